// Functions that add ops, by family. All of them name the op after itself under the
// scope; an error sticks in the scope and gives an Output that is none.
#pragma once

#include "client/ops/array_ops.h"
#include "client/ops/math_ops.h"
#include "client/ops/nn_ops.h"
#include "client/ops/random_ops.h"
