#pragma once

/// T0 through the front door: tables of neighbours, as text, are read, encoded, planned, charged
/// and used as `train`, `sketch` and `evaluate` use them, with the same releases on both sides.
/// Whatever leaves must be the same to the byte: the model file, the sketch file, their cards, the
/// private figures, and every remark. T1 for the release of a private evaluation.

#include <vector>

#include "audit/audit.h"

namespace dpfermi {

/// On generated cases of our own methods, whose records are synthetic.
Result<std::vector<Finding>> file_tier(const AuditCase& audited, const AuditOptions& options);
bool file_applies(const AuditCase& audited);

/// The noise of private evaluations of the case, over many of them.
Result<std::vector<Finding>> evaluation_tier(const AuditCase& audited, const AuditOptions& options);
/// One method is enough: a private evaluation does not depend on how a model was trained, nor on
/// the weights of its loss.
bool evaluation_applies(const AuditCase& audited);

}  // namespace dpfermi
