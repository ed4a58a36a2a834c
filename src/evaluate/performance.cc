#include "evaluate/performance.h"

#include <algorithm>

namespace dpfermi {
namespace {

/// One row as AUC sees it.
struct Ranked {
  float probability;
  double weight;
  bool favourable;
};

/// The share of pairs (favourable, other) in which the favourable one has more, weighted; equal
/// probabilities count one half.
std::optional<double> area(std::vector<Ranked> rows) {
  std::ranges::sort(rows, {}, &Ranked::probability);
  double below = 0;  // weight of others with less
  double pairs = 0;
  double favourable = 0;
  for (std::size_t i = 0; i < rows.size();) {
    double tied = 0;
    double own = 0;
    const float probability = rows[i].probability;
    for (; i < rows.size() && rows[i].probability == probability; ++i) {
      (rows[i].favourable ? own : tied) += rows[i].weight;
    }
    pairs += own * (below + tied / 2);
    below += tied;
    favourable += own;
  }
  if (below == 0 || favourable == 0) return std::nullopt;
  return pairs / (below * favourable);
}

/// Units by label and decision.
struct Confusion {
  Confusion(const Judged& judged, const Dataset& data, std::span<const std::uint32_t> rows)
      : classes(data.classes), mass(classes * classes), labels(classes) {
    for (const std::uint32_t i : rows) {
      const double weight = judged.weight(i);
      double* own = mass.data() + data.y[i] * classes;
      labels[data.y[i]] += weight;
      if (judged.decisions) {
        own[(*judged.decisions)[i]] += weight;
        continue;
      }
      for (std::size_t j = 0; j < classes; ++j) {
        own[j] += weight * static_cast<double>(judged.probabilities[i * classes + j]);
      }
    }
  }

  std::optional<double> balanced_error() const {
    double sum = 0;
    double present = 0;
    for (std::size_t y = 0; y < classes; ++y) {
      if (labels[y] == 0) continue;
      sum += 1 - mass[y * classes + y] / labels[y];
      present += 1;
    }
    return present == 0 ? std::nullopt : std::optional(sum / present);
  }

  double decided(std::size_t j) const {
    double sum = 0;
    for (std::size_t y = 0; y < classes; ++y) sum += mass[y * classes + j];
    return sum;
  }

  std::size_t classes;
  std::vector<double> mass;
  std::vector<double> labels;
};

std::optional<double> share_of(double part, double whole) {
  return whole == 0 ? std::nullopt : std::optional(part / whole);
}

}  // namespace

Performance performance_of(const Judged& judged, const Dataset& data, std::size_t favourable,
                           std::span<const std::uint32_t> rows) {
  Performance performance;
  const Confusion confusion(judged, data, rows);
  const double hits = confusion.mass[favourable * data.classes + favourable];
  performance.balanced_error = confusion.balanced_error();
  performance.precision = share_of(hits, confusion.decided(favourable));
  performance.recall = share_of(hits, confusion.labels[favourable]);

  performance.calibration.resize(Performance::kBins);
  std::vector<Ranked> ranked;
  double units = 0;
  double squares = 0;
  for (const std::uint32_t i : rows) {
    const float p = judged.probabilities[i * data.classes + favourable];
    const double weight = judged.weight(i);
    const bool own = data.y[i] == favourable;
    ranked.push_back({p, weight, own});
    const double miss = static_cast<double>(p) - (own ? 1 : 0);
    units += weight;
    squares += weight * miss * miss;
    const auto at = static_cast<std::size_t>(static_cast<double>(p) * Performance::kBins);
    CalibrationBin& bin = performance.calibration[std::min(at, Performance::kBins - 1)];
    bin.units += weight;
    bin.mean_probability += weight * static_cast<double>(p);
    bin.share += own ? weight : 0;
  }
  performance.brier = share_of(squares, units);
  performance.auc = area(std::move(ranked));
  for (CalibrationBin& bin : performance.calibration) {
    if (bin.units == 0) continue;
    bin.mean_probability /= bin.units;
    bin.share /= bin.units;
  }
  return performance;
}

}  // namespace dpfermi
