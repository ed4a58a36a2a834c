#include "report/answer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "dpfermi/methods/registry.h"
#include "experiment/comparison.h"

namespace dpfermi {
namespace {

using Curves = std::vector<Curve>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double least_violation(const Curve& curve) {
  double least = kInfinity;
  for (const TradeOffPoint& point : curve.means(ViolationOf::kTest)) {
    least = std::min(least, point.violation);
  }
  return least;
}

double largest_violation(const Curve& curve) {
  double largest = 0;
  for (const TradeOffPoint& point : curve.means(ViolationOf::kTest)) {
    largest = std::max(largest, point.violation);
  }
  return largest;
}

/// A model trained without regard to fairness: that of a method without a fairness term, else the
/// one of weight 0 with the largest violation.
std::optional<TradeOffPoint> unfair_model(const Curves& curves) {
  std::optional<TradeOffPoint> worst;
  for (const Curve& curve : curves) {
    if (curve.published) continue;
    const std::vector<TradeOffPoint> means = curve.means(ViolationOf::kTest);
    if (const auto method = find_method(curve.method); method == Method::kErm) {
      return means.front();
    }
    for (std::size_t i = 0; i < means.size(); ++i) {
      const bool more = !worst || means[i].violation > worst->violation;
      if (curve.models[i].lambda == 0.0 && more) worst = means[i];
    }
  }
  return worst;
}

/// Curves among which the answer is chosen: private ones at the epsilon closest to 1, else those of
/// several models.
std::vector<std::size_t> candidates(const Curves& curves,
                                    const std::vector<std::string>& only_claimed) {
  const auto eligible = [&](const Curve& curve) {
    const MethodDescriptor* method = curve.descriptor();
    const bool free = method != nullptr && method->is_free_line();
    return !curve.published && !free && !contains(only_claimed, curve.method);
  };
  const auto distance = [](const Curve& curve) {
    return curve.epsilon ? std::abs(std::log(*curve.epsilon)) : kInfinity;
  };
  double closest = kInfinity;
  for (const Curve& curve : curves) {
    if (eligible(curve)) closest = std::min(closest, distance(curve));
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const bool wanted =
        closest < kInfinity ? distance(curves[i]) == closest : curves[i].models.size() > 1;
    if (eligible(curves[i]) && wanted) found.push_back(i);
  }
  return found;
}

/// The models that are fairer than `unfair`, in the digits that are shown; all where it is not
/// known.
Curves fairer(Curves curves, const std::optional<TradeOffPoint>& unfair) {
  constexpr double kShown = 0.0005;
  if (!unfair) return curves;
  for (Curve& curve : curves) {
    std::erase_if(curve.models, [&](const CurveModel& model) {
      return estimate(model.violation).mean > unfair->violation - kShown;
    });
  }
  return curves;
}

/// The models that are worth having: those that err less than the constant does and do not lie
/// above the free line; all where it is not known.
Curves worth_having(Curves curves, const Curves& all) {
  const auto lines = free_lines(all, ViolationOf::kTest);
  for (Curve& curve : curves) {
    std::erase_if(curve.models, [&](const CurveModel& model) {
      const auto above = above_line(model, lines, ViolationOf::kTest);
      return above && (above->excess.mean > 0 || above->over_constant.mean >= 0);
    });
  }
  return curves;
}

/// The free line, where more of it is known than the constant.
std::optional<std::size_t> free_line(const Curves& curves) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const MethodDescriptor* method = curves[i].descriptor();
    if (method != nullptr && method->is_free_line() && curves[i].models.size() > 1) return i;
  }
  return std::nullopt;
}

/// Less error at `level`; where only one gets there, that one; where none does, the fairer.
bool better_at(const Curve& a, const Curve& b, double level) {
  const auto error_a = error_at(a, level, ViolationOf::kTest);
  const auto error_b = error_at(b, level, ViolationOf::kTest);
  if (error_a && error_b) return error_a->mean < error_b->mean;
  if (error_a || error_b) return error_a.has_value();
  return least_violation(a) < least_violation(b);
}

/// The model on the frontier whose violation is closest to `level`, by ratio.
std::size_t model_near(const Curve& curve, double level) {
  const std::vector<TradeOffPoint> means = curve.means(ViolationOf::kTest);
  const auto distance = [&](std::size_t i) {
    constexpr double kTiny = 1e-4;
    return std::abs(std::log((means[i].violation + kTiny) / (level + kTiny)));
  };
  const std::vector<std::size_t> frontier = pareto_frontier(means);
  return *std::ranges::min_element(frontier, {}, distance);
}

/// Every epsilon of the answer's method; of others what has the same epsilon, or none.
bool worth_comparing(const Curve& curve, const Curve& chosen) {
  if (!curve.published && curve.method == chosen.method) return true;
  if (curve.published && !curve.is_papers()) return false;
  return !curve.epsilon || curve.epsilon == chosen.epsilon;
}

std::vector<MatchedCurve> match(const Curves& curves, const Curve& chosen, double level) {
  std::vector<MatchedCurve> matched;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const double least = least_violation(curves[i]);
    // A lone model without regard to fairness is told apart: as the unfair one.
    const bool lone = curves[i].models.size() == 1 && least > level;
    if (lone || !worth_comparing(curves[i], chosen)) continue;
    matched.push_back({i, error_at(curves[i], level, ViolationOf::kTest), least});
  }
  std::ranges::stable_sort(
      matched, {}, [](const MatchedCurve& one) { return one.error ? one.error->mean : kInfinity; });
  return matched;
}

}  // namespace

std::optional<Answer> find_answer(const Curves& curves,
                                  const std::vector<std::string>& only_claimed) {
  std::vector<std::size_t> choice = candidates(curves, only_claimed);
  if (choice.empty()) return std::nullopt;
  Answer answer;
  answer.unfair = unfair_model(curves);
  const double level =
      (answer.unfair ? answer.unfair->violation : largest_violation(curves[choice[0]])) / 4;
  const Curves fair = fairer(curves, answer.unfair);
  const Curves good = worth_having(fair, curves);
  std::erase_if(choice, [&](std::size_t i) { return good[i].models.empty(); });
  if (choice.empty()) {
    const auto line = free_line(curves);
    if (!line || fair[*line].models.empty()) return std::nullopt;
    answer.nothing_better = true;
    choice.push_back(*line);
  }
  const Curves& among = answer.nothing_better ? fair : good;
  answer.curve = *std::ranges::min_element(
      choice, [&](std::size_t a, std::size_t b) { return better_at(among[a], among[b], level); });
  const Curve& chosen = curves[answer.curve];
  const CurveModel& best = among[answer.curve].models[model_near(among[answer.curve], level)];
  answer.model = static_cast<std::size_t>(
      std::ranges::find_if(chosen.models,
                           [&](const CurveModel& model) {
                             return model.lambda == best.lambda && model.target == best.target;
                           }) -
      chosen.models.begin());
  answer.error = estimate(chosen.models[answer.model].error);
  answer.violation = estimate(chosen.models[answer.model].violation);
  answer.line_known = above_line(chosen.models[answer.model],
                                 free_lines(curves, ViolationOf::kTest), ViolationOf::kTest)
                          .has_value();
  answer.matched = match(curves, chosen, answer.violation.mean);
  for (const MatchedCurve& one : answer.matched) {
    const Curve& curve = curves[one.curve];
    if (chosen.epsilon && !curve.published && find_method(curve.method) == Method::kFermi) {
      answer.without_privacy = one.error;
    }
    if (curve.published && curve.epsilon == chosen.epsilon) answer.published = one.error;
  }
  return answer;
}

}  // namespace dpfermi
