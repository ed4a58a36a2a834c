#include "sketch/feature_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "sketch/extra_features.h"

namespace dpfermi {
namespace {

constexpr std::array<std::pair<FeatureKind, std::string_view>, 5> kKinds{
    {{FeatureKind::kEncoded, "encoded"},
     {FeatureKind::kLabel, "label"},
     {FeatureKind::kInteractions, "interactions"},
     {FeatureKind::kFourier, "fourier"},
     {FeatureKind::kModel, "model"}}};

constexpr double kKappaShare = 0.25;

}  // namespace

std::string_view to_string(FeatureKind kind) {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) return name;
  }
  return "unknown";
}

Result<FeatureKind> parse_feature_kind(std::string_view text) {
  for (const auto& [kind, name] : kKinds) {
    if (name == text) return kind;
  }
  return usage_error(
      "'" + printable(text) +
      "' is not a kind of features; choose encoded, label, interactions, fourier or model");
}

Result<SketchFeatures> SketchFeatures::create(const Dataset& data, FeatureMapSpec spec,
                                              const FeatureModel* model) {
  if (!(spec.clip_norm >= 0 && std::isfinite(spec.clip_norm))) {
    return usage_error("`features.clip_norm` must be a positive number, not " +
                       shortest(spec.clip_norm));
  }
  if (data.rows() == 0) return failed("there are no rows to make a sketch of; bring more");
  SketchFeatures features;
  features.x_ = &data.x;
  DPFERMI_ASSIGN(features.extra_, extra_features(data, spec, model));
  features.spec_ = std::move(spec);
  features.settle_norms();
  return features;
}

void SketchFeatures::settle_norms() {
  factors_.assign(rows(), 1);
  std::vector<double> norms(rows());
  std::vector<double> phi(size());
  double sum = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    write(i, phi);
    double square = 0;
    for (const double value : std::span(phi).first(size() - 1)) square += value * value;
    norms[i] = std::sqrt(square);
    sum += square;
  }
  if (spec_.clip_norm == 0) {
    const double root = std::sqrt(sum / static_cast<double>(rows()));
    spec_.clip_norm = root > 0 ? root : 1;
  }
  if (spec_.kappa == 0) spec_.kappa = kKappaShare * spec_.clip_norm;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (norms[i] > spec_.clip_norm) factors_[i] = spec_.clip_norm / norms[i];
  }
}

double SketchFeatures::bound() const {
  return std::sqrt(spec_.clip_norm * spec_.clip_norm + spec_.kappa * spec_.kappa);
}

void SketchFeatures::write(std::size_t row, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  const HybridMatrix::Row entries = x_->row(row);
  const double t = factors_[row];
  for (std::size_t j = 0; j < entries.numbers.size(); ++j) out[j] = t * entries.numbers[j];
  for (const std::uint16_t column : entries.ones) {
    if (column < x_->columns()) out[column] = t;
  }
  const std::span<const float> more = extra(row);
  for (std::size_t j = 0; j < more.size(); ++j) out[x_->columns() + j] = t * more[j];
  out.back() = spec_.kappa;
}

}  // namespace dpfermi
