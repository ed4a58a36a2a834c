#pragma once

/// T0, replay: the same run on neighbouring data, with the same random streams and the releases of
/// the first run substituted for those of the second. Whatever is left to differ was read from
/// protected data past the noise. Deterministic.
///
/// Every pair of neighbours that the search proposes (audit/neighbours.h) is replayed over 40
/// steps; one pair over the whole run, where the second run breaks off and goes on from its
/// checkpoint. At every release:
///   lengths    every unit's contribution has norm at most 1, exactly, in lattice units
///   distance   the exact sums lie at most as far apart as the charged event says
///   others     units that do not differ contribute the same
///   shared     plan, ledger entries, batches, shapes, denominators, sigma and number of releases
///              agree; denominators are constants: q n of steps, n of queries
///   path       parameters after every step, lambda, tables and the result agree bit by bit
///   batches    the same path with other secret batches, where membership is charged as secret
///   noise      is there, is the same on both sides, is never used twice, lies on the lattice
///   order      a sum does not depend on the order of its members
///   price      what was seen, composed by the accountant, costs no more than was claimed

#include "audit/audit.h"

namespace dpfermi {

/// The tier. `options.quick` tries fewer neighbours.
Result<std::vector<Finding>> replay_tier(const AuditCase& audited, const AuditOptions& options);

}  // namespace dpfermi
