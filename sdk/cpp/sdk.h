// All of the C++ layer.
#pragma once

#include "sdk/cpp/device.h"
#include "sdk/cpp/host.h"
#include "sdk/cpp/kernel.h"
#include "sdk/cpp/node.h"
#include "sdk/cpp/plugin.h"
#include "sdk/cpp/status.h"
#include "sdk/cpp/tensor.h"
