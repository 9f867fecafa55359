// The network: two convolutions, two pools, one hidden layer.
#pragma once

#include "client/berth.h"

namespace lenet {

namespace bc = berth::client;

struct Model {
  bc::Output images;    // fed: [batch,28,28,1], 0…1
  bc::Output labels;    // fed: int64 [batch]
  bc::Output logits;    // [batch,10]
  bc::Output loss;      // scalar: mean cross-entropy
  bc::Output accuracy;  // scalar: share of right answers
};

// Builds it in `scope`: layers go to the scope's device, variables to its variable
// device.
Model BuildModel(const bc::Scope& scope);

}  // namespace lenet
