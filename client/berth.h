// All of the client library.
#pragma once

#include "client/devices.h"
#include "client/gradients/gradients.h"
#include "client/ops/ops.h"
#include "client/optimizer.h"
#include "client/saver.h"
#include "client/scope.h"
#include "client/session.h"
#include "client/variable.h"
