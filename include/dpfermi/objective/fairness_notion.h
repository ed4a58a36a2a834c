#pragma once

/// What "fair" means: the prediction is independent of the protected group S, given a condition C
/// that follows from the label.
///
///   demographic parity   yhat independent of S           one condition, everybody meets it
///   equalized odds       yhat independent of S given y   one condition per label
///   equal opportunity    the same for one favourable label; rows with another label meet none
///
/// The fairness term is psi = sum_c w_c psi_c. Labels are public wherever notions are used with
/// adjacency `sensitive`, so a row's condition is no secret; its group is.

#include <cstddef>
#include <optional>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

enum class FairnessNotion {
  kNone,               ///< no fairness term
  kDemographicParity,  ///< P(yhat | S) = P(yhat)
  kEqualizedOdds,      ///< P(yhat | S, y) = P(yhat | y) for every label y
  kEqualOpportunity,   ///< P(yhat | S, y) = P(yhat | y) for the favourable label y
};

/// "none", "demographic-parity", "equalized-odds" or "equal-opportunity".
std::string_view to_string(FairnessNotion notion);

/// The inverse of to_string; "dp", "eo" and "eopp" stand for the last three.
Result<FairnessNotion> parse_fairness_notion(std::string_view text);

/// How many conditions there are, for a label with `classes` values.
std::size_t condition_count(FairnessNotion notion, std::size_t classes);

/// The condition in [0, condition_count) that a row with label y meets, if any. `favourable` is
/// read for equal opportunity only.
std::optional<std::size_t> condition_of(FairnessNotion notion, std::size_t y,
                                        std::size_t favourable);

/// w_c, where `share` is the share pi_c of the rows that meet condition c: pi_c for equalized odds
/// (the paper weighs labels by P(y)), 1 otherwise.
double condition_weight(FairnessNotion notion, double share);

}  // namespace dpfermi
