#pragma once

/// Cases of the audit in which the model is held elsewhere: softmax regression in plain loops in
/// the place of a network.

#include <memory>

#include "audit/audit_case.h"
#include "optimize/linear_network.h"

namespace dpfermi::testing_support {

inline AuditCase network_case(AuditCase audited) {
  const ModelSpec spec{audited.data.x.columns(), audited.data.classes, {}};
  const std::size_t parameters = spec.parameter_count();
  audited.name += ", network";
  audited.request.tau.reset();
  audited.request.network_scale = {parameters, 1 + audited.data.x.mean_square()};
  audited.network = [parameters](const Dataset& data) {
    return std::make_shared<LinearNetwork>(data, std::vector<double>(parameters));
  };
  return audited;
}

}  // namespace dpfermi::testing_support
