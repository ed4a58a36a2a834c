#pragma once

/// Rows with given numbers by group, label and decision, and whether intervals hold their figures.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "data/dataset.h"
#include "data/hybrid_matrix.h"
#include "dpfermi/evaluate/private_metrics.h"
#include "dpfermi/random/noise_source.h"
#include "evaluate/private_release.h"
#include "privacy/research_ledger.h"

namespace dpfermi::testing_support {

/// Units by group, label, decision: (r l + y) l + j.
struct Counts {
  std::size_t groups;
  std::size_t classes;
  std::vector<double> cells;

  double sum(std::size_t group, const std::function<bool(std::size_t, std::size_t)>& chosen) const {
    double sum = 0;
    for (std::size_t y = 0; y < classes; ++y) {
      for (std::size_t j = 0; j < classes; ++j) {
        if (chosen(y, j)) sum += cells[(group * classes + y) * classes + j];
      }
    }
    return sum;
  }
};

struct Judged {
  Dataset data;
  std::vector<std::uint16_t> decisions;
};

/// One row per unit of whole counts.
inline Judged rows_of(const Counts& counts) {
  Judged judged;
  std::vector<std::uint16_t> s;
  const std::size_t l = counts.classes;
  for (std::size_t cell = 0; cell < counts.cells.size(); ++cell) {
    for (int i = 0; i < std::lround(counts.cells[cell]); ++i) {
      s.push_back(static_cast<std::uint16_t>(cell / (l * l)));
      judged.data.y.push_back(static_cast<std::uint16_t>(cell / l % l));
      judged.decisions.push_back(static_cast<std::uint16_t>(cell % l));
      judged.data.units.push_back(static_cast<std::uint32_t>(judged.data.units.size()));
    }
  }
  judged.data.x = HybridMatrix(s.size(), 0, 0, 0);
  judged.data.unit_count = s.size();
  judged.data.classes = l;
  judged.data.groups = counts.groups;
  judged.data.s = Protected(std::move(s));
  return judged;
}

/// Every person has `rows` rows one after the other of rows_of(counts).
inline Judged persons_of(const Counts& counts, std::uint32_t rows) {
  Judged judged = rows_of(counts);
  for (std::uint32_t& unit : judged.data.units) unit /= rows;
  judged.data.unit_count = judged.data.units.back() + std::size_t{1};
  judged.data.persons = true;
  return judged;
}

/// What persons count: the mean over their rows.
inline Counts weighted_counts(const Judged& judged) {
  std::vector<double> size(judged.data.unit_count);
  for (const std::uint32_t unit : judged.data.units) ++size[unit];
  const std::size_t l = judged.data.classes;
  Counts counts{judged.data.groups, l, std::vector<double>(judged.data.groups * l * l)};
  const auto& s = ExactForHolder::read(judged.data.s);
  for (std::size_t row = 0; row < s.size(); ++row) {
    counts.cells[(s[row] * l + judged.data.y[row]) * l + judged.decisions[row]] +=
        1 / size[judged.data.units[row]];
  }
  return counts;
}

inline NoisyTable release(const EvaluationPlan& plan, const Judged& judged, std::uint64_t seed) {
  ResearchLedger ledger;
  return release_table(plan, judged.decisions, judged.data, ledger,
                       NoiseSource(ReproducibleSeed::from_number(seed).value()))
      .value();
}

/// Which of an estimate's intervals is looked at.
using Side = std::function<Interval(const NoisyFigure&)>;
inline Interval of_rows(const NoisyFigure& estimate) {
  return estimate.interval;
}
inline Interval of_population(const NoisyFigure& estimate) {
  return estimate.population.value();
}

inline bool holds(const Interval& interval, double value) {
  return interval.low <= value + 1e-9 && value <= interval.high + 1e-9;
}

/// The largest difference of rates among those that are there.
inline double largest_gap(const std::vector<double>& rates, const std::vector<bool>& there) {
  double gap = 0;
  for (std::size_t a = 0; a < rates.size(); ++a) {
    for (std::size_t b = 0; b < rates.size(); ++b) {
      if (there[a] && there[b]) gap = std::max(gap, rates[a] - rates[b]);
    }
  }
  return gap;
}

/// Whether all intervals of `side` hold the figures of `exact` (two classes), and every value lies
/// in its interval. Counts may be shares: sizes are then not looked at.
inline bool all_hold(const PrivateMetrics& metrics, const Counts& exact, std::size_t favourable,
                     const Side& side, bool sizes) {
  const std::size_t k = exact.groups;
  bool ok = true;
  std::vector<double> rate(k), found(k), mistaken(k);
  std::vector<bool> there(k), with_label(k), without_label(k);
  double wrong = 0;
  double everybody = 0;
  for (std::size_t r = 0; r < k; ++r) {
    const PrivateGroup& group = metrics.groups[r];
    const auto check = [&](const NoisyFigure& estimate, const auto& given, const auto& hit) {
      const double size = exact.sum(r, given);
      const double share =
          exact.sum(r, [&](auto y, auto j) { return given(y, j) && hit(y, j); }) / size;
      if (size > 0) ok = ok && holds(side(estimate), share);
      if (estimate.value) ok = ok && holds(estimate.interval, *estimate.value) && size > 0;
      return share;
    };
    const auto all = [](std::size_t, std::size_t) { return true; };
    const auto yes = [&](std::size_t, std::size_t j) { return j == favourable; };
    const auto off = [](std::size_t y, std::size_t j) { return y != j; };
    const auto labelled = [&](std::size_t y, std::size_t) { return y == favourable; };
    const auto unlabelled = [&](std::size_t y, std::size_t) { return y != favourable; };
    rate[r] = check(group.rate[favourable], all, yes);
    check(group.rate[1 - favourable], all,
          [&](std::size_t, std::size_t j) { return j != favourable; });
    check(group.error, all, off);
    found[r] = check(group.true_positive_rate, labelled, yes);
    mistaken[r] = check(group.false_positive_rate, unlabelled, yes);
    if (exact.sum(r, labelled) > 0 && exact.sum(r, unlabelled) > 0) {
      ok = ok && holds(side(group.balanced_error), (1 - found[r] + mistaken[r]) / 2);
    }
    // Sizes have no population to be sizes of, nor has what follows from them.
    if (sizes) check(group.precision, yes, labelled);
    if (sizes) ok = ok && holds(group.units.interval, exact.sum(r, all));
    wrong += exact.sum(r, off);
    everybody += exact.sum(r, all);
    there[r] = group.rate[favourable].value.has_value();
    with_label[r] = group.true_positive_rate.value.has_value();
    without_label[r] = group.false_positive_rate.value.has_value();
  }
  const double odds =
      std::max(largest_gap(found, with_label), largest_gap(mistaken, without_label));
  if (sizes) ok = ok && holds(metrics.units.interval, everybody);
  return ok && holds(side(metrics.error), wrong / everybody) &&
         holds(side(metrics.violation[FairnessNotion::kDemographicParity]),
               largest_gap(rate, there)) &&
         holds(side(metrics.violation[FairnessNotion::kEqualizedOdds]), odds) &&
         holds(side(metrics.violation[FairnessNotion::kEqualOpportunity]),
               largest_gap(found, with_label));
}

}  // namespace dpfermi::testing_support
