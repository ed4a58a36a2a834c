#pragma once

/// What the interval and the target of a run are about (docs/proofs/repair.md): the violation of
/// decisions as they are made, exactly and for the holder, among the groups that noise does not
/// hide.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dpfermi {

struct Dataset;
struct FairnessSetting;

/// `known`: conditions x groups; a group that is not known takes part in no comparison under that
/// condition; empty: all are. Nothing where no two groups with rows are compared. Reads s exactly.
/// Requires a decision for every row.
std::optional<double> compared_violation(std::span<const std::uint16_t> decisions,
                                         const Dataset& data, const FairnessSetting& setting,
                                         const std::vector<bool>& known);

}  // namespace dpfermi
