#include "dpfermi/sketch/residual.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace dpfermi {
namespace {

PublicVectors vectors_of(const std::vector<float>& columns, std::size_t width) {
  return {width, 1, [&columns, width](std::uint32_t row, std::span<double> out) {
            for (std::size_t j = 0; j < width; ++j) out[j] = columns[row * width + j];
          }};
}

/// rows x width: the hard decisions of a model, centred and of length 1.
std::vector<float> decision_columns(const HybridMatrix& x, const Network& network,
                                    std::span<const double> theta) {
  const std::size_t l = network.spec().classes;
  const std::vector<float> f = predict(network, theta, x);
  const std::size_t width = l == 2 ? 1 : l;
  const double share = 1 / static_cast<double>(l);
  std::vector<float> columns(x.rows() * width);
  for (std::size_t row = 0; row < x.rows(); ++row) {
    const std::span<const float> own = std::span(f).subspan(row * l, l);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(own) - own.begin());
    if (width == 1) {
      columns[row] = best == 1 ? 1 : -1;
      continue;
    }
    for (std::size_t j = 0; j < l; ++j) {
      columns[row * l + j] =
          static_cast<float>(((j == best ? 1 : 0) - share) / std::sqrt(1 - share));
    }
  }
  return columns;
}

/// A rate P(yhat = j | r, c) and the standard deviation of its noise.
struct NoisyRate {
  double value = 0;
  double deviation = 0;
};

}  // namespace

Result<ResidualQueries> ResidualQueries::create(const Dataset& data, const SketchPlan& plan,
                                                StepLedger& ledger, std::uint64_t charge,
                                                NoiseSource& noise) {
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(charge, kResidualPart, 0, plan.rounds));
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kResidualNoise));
  DPFERMI_ASSIGN(ContributionLayout layout,
                 group_sums_layout(plan.setting, vectors_of({}, plan.setting.width()),
                                   plan.round_noise_multiplier));
  DPFERMI_ASSIGN(Privatizer privatizer,
                 Privatizer::create(std::move(layout), plan.adjacency, plan.round_noise_multiplier,
                                    std::move(permit), std::move(lane)));
  return ResidualQueries(data, plan.setting, std::move(privatizer));
}

Result<DenseStatistic> ResidualQueries::ask(const Network& network, std::span<const double> theta) {
  DenseStatistic answer;
  answer.columns = decision_columns(data_->x, network, theta);
  DPFERMI_ASSIGN(answer.sums,
                 release_group_sums(*data_, setting_, vectors_of(answer.columns, setting_.width()),
                                    privatizer_));
  return answer;
}

ViolationInterval violation_interval(const FairnessSetting& setting, const GroupSums& decisions,
                                     const SketchFeatures& features, const GroupSums& sketch,
                                     double confidence) {
  const std::size_t k = setting.groups;
  const std::size_t width = decisions.size;
  const double spread = std::sqrt(1 - 1 / static_cast<double>(k));
  const double kappa = features.spec().kappa;
  const double share = 1 / static_cast<double>(setting.classes);
  const double scale = width == 1 ? 0.5 : std::sqrt(1 - share);
  const auto rate = [&](std::size_t c, std::size_t r, std::size_t j) {
    const double count = sketch.of(c, r).back() / kappa;
    const double mean = decisions.of(c, r)[j] / count;
    const double noise =
        std::hypot(decisions.noise * spread, mean * sketch.noise * spread / kappa) / count;
    return NoisyRate{std::clamp(share + scale * mean, 0.0, 1.0), scale * noise};
  };
  const std::vector<bool> known = known_groups(features, sketch);
  const std::size_t pairs = k * (k - 1) / 2;
  const double tail =
      (1 - confidence) / 2 / static_cast<double>(setting.conditions() * pairs * width);
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
  ViolationInterval interval{0, 0, confidence};
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    for (std::size_t j = 0; j < width; ++j) {
      const bool counts = setting.notion != FairnessNotion::kEqualOpportunity || width == 1 ||
                          j == setting.favourable;
      for (std::size_t r = 1; counts && r < k; ++r) {
        for (std::size_t other = 0; other < r; ++other) {
          if (!known[c * k + r] || !known[c * k + other]) continue;
          const NoisyRate a = rate(c, r, j);
          const NoisyRate b = rate(c, other, j);
          const double gap = std::abs(a.value - b.value);
          const double room = z * (a.deviation + b.deviation);
          interval.low = std::max(interval.low, gap - room);
          interval.high = std::max(interval.high, gap + room);
        }
      }
    }
  }
  interval.high = std::min(interval.high, 1.0);
  return interval;
}

}  // namespace dpfermi
