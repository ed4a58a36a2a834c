#pragma once

/// The answer that a panel gives: which method, at which epsilon, costs how much accuracy for how
/// much fairness, and how the others do at the same violation.

#include <optional>
#include <string>
#include <vector>

#include "experiment/trade_off.h"

namespace dpfermi {

/// A curve at the violation of the answer.
struct MatchedCurve {
  std::size_t curve = 0;
  std::optional<Estimate> error;  ///< nothing: it never gets that fair
  double least_violation = 0;     ///< of its models
};

/// Curves are named by their index in the argument of find_answer.
struct Answer {
  std::size_t curve = 0;                    ///< the method and epsilon that it is about
  std::size_t model = 0;                    ///< of that curve
  Estimate error;                           ///< of that model, on test rows
  Estimate violation;                       ///< likewise
  std::optional<TradeOffPoint> unfair;      ///< a model without regard to fairness
  std::optional<Estimate> without_privacy;  ///< error of `fermi` at the same violation
  std::optional<Estimate> published;        ///< error of the published means, same epsilon
  std::vector<MatchedCurve> matched;        ///< the answer's curve and others, by error
  bool nothing_better = false;              ///< than the free line, which the answer is about then
  bool line_known = false;                  ///< the free line, on splits of this model
};

/// About the private method that does best near epsilon 1, with the model that leaves about a
/// quarter of the violation; about a fair method where none is private; nothing where no curve of
/// the runs will do. Methods in `only_claimed` promise less than their epsilon says and are not
/// chosen. Neither is a model that is no fairer than one without regard to fairness, errs as often
/// as the best constant or lies above the free line, where that is known; where no other is left,
/// the answer is about the free line, or missing where no more of it is known than the constant.
std::optional<Answer> find_answer(const std::vector<Curve>& curves,
                                  const std::vector<std::string>& only_claimed);

}  // namespace dpfermi
