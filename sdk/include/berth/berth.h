// All of the plugin ABI.
#ifndef BERTH_BERTH_H_
#define BERTH_BERTH_H_

#include <berth/compile.h>
#include <berth/device.h>
#include <berth/extension.h>
#include <berth/host.h>
#include <berth/kernel.h>
#include <berth/node.h>
#include <berth/op.h>
#include <berth/plugin.h>
#include <berth/status.h>
#include <berth/tensor.h>
#include <berth/version.h>

#endif  // BERTH_BERTH_H_
