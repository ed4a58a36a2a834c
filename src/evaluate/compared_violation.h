#pragma once

/// What the interval of a run is about (docs/proofs/repair.md): the violation of decisions as they
/// are made, exactly and for the holder, among the groups that noise does not hide.

#include <cstdint>
#include <span>
#include <vector>

namespace dpfermi {

struct Dataset;
struct FairnessSetting;

/// `known`: conditions x groups; a group that is not known takes part in no comparison under that
/// condition. Reads s exactly. Requires a decision for every row.
double compared_violation(std::span<const std::uint16_t> decisions, const Dataset& data,
                          const FairnessSetting& setting, const std::vector<bool>& known);

}  // namespace dpfermi
