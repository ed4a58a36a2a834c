#include "privacy/ledger/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "privacy/accountant/rdp_accountant.h"

namespace dpfermi::ledger {
namespace {

constexpr std::uint64_t kFailureShare = 10;  // one in ten of delta
constexpr double kMargin = 1e-9;             // far above the rounding errors of a few logarithms

/// The largest divergence that is (epsilon, delta)-DP, up to rounding; the inverse of
/// rdp_to_epsilon.
double largest_divergence(double epsilon, double delta, double order) {
  return epsilon - std::log1p(-1 / order) + (std::log(delta) + std::log(order)) / (order - 1);
}

double converted_delta(const BudgetCap& cap, const Amount& failure) {
  return cap.delta.less(failure).to_double(Rounding::kDown);
}

/// Of `order`, with the margin that keeps a limit valid on machines whose logarithms differ.
double largest_divergence(const BudgetCap& cap, double delta, double order) {
  const double epsilon = cap.epsilon.to_double(Rounding::kDown);
  return largest_divergence(epsilon, delta, order) - kMargin * (1 + epsilon);
}

/// Gaussian releases have a divergence proportional to the order.
double best_order(const BudgetCap& cap, double delta) {
  double best = 2;
  for (double order = 1.01; order < 1e5; order *= 1.005) {
    const double hold = largest_divergence(cap, delta, order) / order;
    if (hold > largest_divergence(cap, delta, best) / best) best = order;
  }
  constexpr double kDigits = 100;
  return std::ceil(best * kDigits) / kDigits;
}

}  // namespace

Price counted_under(Adjacency promised, Adjacency made, const Price& price) {
  if (promised == made) return price;
  if (promised == Adjacency::kAddRemoveRecord || made == Adjacency::kSensitive) {
    return {Amount::infinite(), price.delta};
  }
  if (made == Adjacency::kReplaceRecord) return price;
  const Amount factor = Amount::one() + exp_rounded_up(price.epsilon);
  return {price.epsilon + price.epsilon, price.delta.times(factor, Rounding::kUp)};
}

RenyiAmount renyi_of_price(const Price& price, const Amount& order) {
  const Amount square = price.epsilon.times(price.epsilon, Rounding::kUp);
  const Amount half = square.times(order, Rounding::kUp).over(2, Rounding::kUp);
  return {std::min(price.epsilon, half), price.delta};
}

Result<RenyiFilter> make_filter(const BudgetCap& cap, const std::optional<Amount>& order) {
  if (cap.delta == Amount()) {
    return usage_error("a Renyi filter needs a budget of `delta` > 0; give one such as 1e-6");
  }
  if (exp_rounded_up(cap.epsilon).is_infinite()) {
    return usage_error(fmt::format("a Renyi filter is for budgets of `epsilon` <= 34, not {}",
                                   cap.epsilon.text()));
  }
  RenyiFilter filter;
  filter.failure = cap.delta.over(kFailureShare, Rounding::kDown);
  const double delta = converted_delta(cap, filter.failure);
  if (order && (order->is_infinite() || *order <= Amount::one())) {
    return usage_error(fmt::format("`order` must be a number above 1, not {}", order->text()));
  }
  const double chosen = order ? order->to_double(Rounding::kUp) : best_order(cap, delta);
  const double most = largest_divergence(cap, delta, chosen);
  if (!(most > 0)) {
    return usage_error(
        fmt::format("a Renyi filter of order {} holds nothing within epsilon {}, delta {}; leave "
                    "out `order` or use plain sums",
                    shortest(chosen), cap.epsilon.text(), cap.delta.text()));
  }
  DPFERMI_ASSIGN(filter.order, Amount::from(chosen, Rounding::kUp));
  DPFERMI_ASSIGN(filter.divergence, Amount::from(most, Rounding::kDown));
  return filter;
}

Status check_filter(const BudgetCap& cap) {
  const RenyiFilter& filter = *cap.filter;
  if (filter.order > Amount::one() && !filter.order.is_infinite() && filter.failure < cap.delta) {
    const double order = filter.order.to_double(Rounding::kUp);
    const double most = largest_divergence(cap.epsilon.to_double(Rounding::kDown),
                                           converted_delta(cap, filter.failure), order);
    if (filter.divergence.to_double(Rounding::kUp) <= most) return {};
  }
  return failed(
      fmt::format("states a filter of order {}, divergence {}, failure {}, which does not keep "
                  "epsilon {}, delta {}; restore a backup",
                  filter.order.text(), filter.divergence.text(), filter.failure.text(),
                  cap.epsilon.text(), cap.delta.text()));
}

std::optional<RenyiAmount> renyi_of_event(const PrivacyEvent& whole, double total_variation,
                                          const BudgetCap& cap) {
  const auto certified = certified_renyi(whole, cap.filter->order.to_double(Rounding::kUp));
  if (!certified || std::isinf(certified->divergence)) return std::nullopt;
  const auto divergence = Amount::from(certified->divergence, Rounding::kUp);
  const auto infinite = Amount::from(certified->infinite, Rounding::kUp);
  const auto distance = Amount::from(total_variation, Rounding::kUp);
  if (!divergence || !infinite || !distance) return std::nullopt;
  const Amount factor = Amount::one() + exp_rounded_up(cap.epsilon);
  return RenyiAmount{*divergence, *infinite + factor.times(*distance, Rounding::kUp)};
}

}  // namespace dpfermi::ledger
