#pragma once

/// dpfermi-deep as a function, for programs with networks of their own (examples/resnet.cc). The
/// tool uses such a program instead of dpfermi-deep where $DPFERMI_DEEP names it.

#include <functional>
#include <map>
#include <string>
#include <variant>

#include "dpfermi/torch/deep_model.h"

namespace dpfermi::deep {

/// Makes a network; its starting parameters must follow from options.seed.
using MakeModel = std::function<std::variant<DeepModel, Problem>(const ModelOptions& options)>;

/// By the name that --model takes.
using Networks = std::map<std::string, MakeModel>;

/// vgg9 and small.
Networks known_networks();

/// What main() returns.
int run_program(int count, char** words, const Networks& networks);

}  // namespace dpfermi::deep
