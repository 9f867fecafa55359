// The namespace of the C++ layer.
#pragma once

// Everything of the layer is in `berth::sdk`, in an inline namespace that carries the ABI
// version and hidden visibility: two plugins built from different releases of these
// headers, with whatever compiler flags, never share a symbol. For the same reason
// nothing here has a mutable static or an inline variable.
#define BERTH_SDK_BEGIN  \
  namespace berth::sdk { \
  inline namespace v0_1 __attribute__((visibility("hidden"))) {
#define BERTH_SDK_END \
  }                   \
  }
