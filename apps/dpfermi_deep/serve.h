#pragma once

#include "dpfermi/torch/deep_model.h"

namespace dpfermi::deep {

/// Answers requests on standard input (vision/wire.h) until it ends. Which groups members have
/// shows in `which` of a request for a sum; nothing is kept of it, printed or written anywhere, and
/// the answer goes to the caller.
void serve(DeepModel& model, std::size_t images, std::size_t classes);

}  // namespace dpfermi::deep
