#include "sketch/extra_features.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>

#include "model/network.h"
#include "sketch/phi_entries.h"

namespace dpfermi {
namespace {

constexpr std::size_t kDefaultExtra = 256;

Status check_count(const FeatureMapSpec& spec) {
  if (spec.extra <= SketchFeatures::kMostExtra) return {};
  return usage_error("a sketch can have " + std::to_string(SketchFeatures::kMostExtra) +
                     " more features at most, not " + std::to_string(spec.extra) +
                     "; choose fewer, or `features.kind` encoded");
}

using Pair = std::pair<std::size_t, std::size_t>;

/// The variance of every product of two columns, upper triangle.
std::vector<double> product_variances(const HybridMatrix& x) {
  const std::size_t d = x.columns();
  std::vector<double> sums(d * d);
  std::vector<double> squares(d * d);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for_entries(x, i, [&](std::size_t a, double u) {
      for_entries(x, i, [&](std::size_t b, double v) {
        if (b <= a) return;
        sums[a * d + b] += u * v;
        squares[a * d + b] += u * u * v * v;
      });
    });
  }
  const auto n = static_cast<double>(x.rows());
  for (std::size_t cell = 0; cell < sums.size(); ++cell) {
    const double mean = sums[cell] / n;
    squares[cell] = squares[cell] / n - mean * mean;
  }
  return squares;
}

/// The pairs of columns whose product varies most, at most `count`.
std::vector<Pair> widest_pairs(const HybridMatrix& x, std::size_t count) {
  const std::size_t d = x.columns();
  const std::vector<double> variances = product_variances(x);
  std::vector<std::size_t> cells;
  for (std::size_t cell = 0; cell < variances.size(); ++cell) {
    if (variances[cell] > 1e-9) cells.push_back(cell);
  }
  std::ranges::stable_sort(cells, std::ranges::greater{},
                           [&](std::size_t cell) { return variances[cell]; });
  if (cells.size() > count) cells.resize(count);
  std::vector<Pair> pairs;
  for (const std::size_t cell : cells) pairs.emplace_back(cell / d, cell % d);
  return pairs;
}

std::vector<float> interactions(const HybridMatrix& x, FeatureMapSpec& spec) {
  const std::vector<Pair> pairs = widest_pairs(x, spec.extra);
  spec.extra = pairs.size();
  std::vector<float> extra(x.rows() * pairs.size());
  std::vector<double> dense(x.columns());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    std::ranges::fill(dense, 0.0);
    for_entries(x, i, [&](std::size_t column, double value) { dense[column] = value; });
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      extra[i * pairs.size() + p] =
          static_cast<float>(dense[pairs[p].first] * dense[pairs[p].second]);
    }
  }
  return extra;
}

/// Numbers that anybody can draw again: nothing about them is secret.
class PublicRandom {
 public:
  explicit PublicRandom(std::uint64_t seed) : bits_(seed) {}

  double uniform() { return std::ldexp(static_cast<double>(bits_() >> 11U) + 0.5, -53); }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 bits_;
};

/// cos(<omega, x> + b), omega normal with the scale of x: the kernel exp(-|x - x'|^2 / (2 mean
/// |x|^2)).
std::vector<float> fourier(const HybridMatrix& x, const FeatureMapSpec& spec) {
  const std::size_t m = spec.extra;
  const double width = std::sqrt(std::max(x.mean_square(), 1e-12));
  PublicRandom random(spec.seed);
  std::vector<double> omega(x.columns() * m);
  std::vector<double> phase(m);
  for (double& value : omega) value = random.normal() / width;
  for (double& value : phase) value = 2 * std::numbers::pi * random.uniform();
  std::vector<float> extra(x.rows() * m);
  std::vector<double> angles(m);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    angles = phase;
    for_entries(x, i, [&](std::size_t column, double value) {
      for (std::size_t f = 0; f < m; ++f) angles[f] += value * omega[column * m + f];
    });
    for (std::size_t f = 0; f < m; ++f) {
      extra[i * m + f] = static_cast<float>(std::cos(angles[f]));
    }
  }
  return extra;
}

Result<std::vector<float>> model_layer(const HybridMatrix& x, FeatureMapSpec& spec,
                                       const FeatureModel* model) {
  if (model == nullptr) {
    return usage_error(
        "the features are those of a model; name its file with `features.model_file`");
  }
  if (model->spec.inputs != x.columns()) {
    return usage_error("the feature model takes " + std::to_string(model->spec.inputs) +
                       " inputs, these data have " + std::to_string(x.columns()) +
                       "; give a model of the same columns");
  }
  spec.model_digest = model->digest;
  const Network network(model->spec);
  const bool hidden = !model->spec.hidden.empty();
  spec.extra = hidden ? model->spec.hidden.back() : network.outputs();
  DPFERMI_TRY(check_count(spec));
  std::vector<float> extra;
  extra.reserve(x.rows() * spec.extra);
  FactorBlock block(network.layers());
  std::vector<double> outputs(FactorBlock::kRows * network.outputs());
  std::vector<std::uint32_t> rows(FactorBlock::kRows);
  for (std::size_t start = 0; start < x.rows(); start += FactorBlock::kRows) {
    rows.resize(std::min(FactorBlock::kRows, x.rows() - start));
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(start));
    Network::load(x, rows, block);
    const std::span<double> out = std::span(outputs).first(rows.size() * network.outputs());
    network.forward(model->theta, block, out);
    const FactorBlock& done = block;
    for (const double value : hidden ? done.inputs(model->spec.hidden.size()) : out) {
      extra.push_back(static_cast<float>(value));
    }
  }
  return extra;
}

/// (1{y = j} - p_j) / sqrt(p_j (1 - p_j)) for j from 1; a class that no row or every row has is
/// zero.
Result<std::vector<float>> label_coordinates(const Dataset& data, FeatureMapSpec& spec) {
  spec.extra = std::max<std::size_t>(data.classes, 1) - 1;
  DPFERMI_TRY(check_count(spec));
  std::vector<double> shares(spec.extra);
  for (const std::uint16_t y : data.y) {
    if (y > 0) shares[y - 1U] += 1 / static_cast<double>(data.rows());
  }
  std::vector<double> deviations;
  for (const double share : shares) {
    deviations.push_back(std::sqrt(std::max(share * (1 - share), 0.0)));
  }
  std::vector<float> extra;
  extra.reserve(data.rows() * spec.extra);
  for (const std::uint16_t y : data.y) {
    for (std::size_t j = 0; j < spec.extra; ++j) {
      const double centred = (y == j + 1 ? 1 : 0) - shares[j];
      extra.push_back(deviations[j] > 0 ? static_cast<float>(centred / deviations[j]) : 0.0F);
    }
  }
  return extra;
}

}  // namespace

Result<std::vector<float>> extra_features(const Dataset& data, FeatureMapSpec& spec,
                                          const FeatureModel* model) {
  const HybridMatrix& x = data.x;
  std::vector<float> extra;
  if (spec.kind == FeatureKind::kEncoded) {
    spec.extra = 0;
    return extra;
  }
  if (spec.kind == FeatureKind::kLabel) return label_coordinates(data, spec);
  if (spec.extra == 0) spec.extra = kDefaultExtra;
  DPFERMI_TRY(check_count(spec));
  if (spec.kind == FeatureKind::kInteractions) extra = interactions(x, spec);
  if (spec.kind == FeatureKind::kFourier) extra = fourier(x, spec);
  if (spec.kind == FeatureKind::kModel) {
    DPFERMI_ASSIGN(extra, model_layer(x, spec, model));
  }
  double square = 0;
  for (const float value : extra) square += double{value} * value;
  const double own = square / std::max(1.0, static_cast<double>(x.rows()));
  const double scale = own > 0 ? std::sqrt(x.mean_square() / own) : 1;
  for (float& value : extra) value = static_cast<float>(value * scale);
  return extra;
}

}  // namespace dpfermi
