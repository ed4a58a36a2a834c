#include "sketch/residual.h"

#include <algorithm>
#include <cmath>

#include "core/mutant.h"

namespace dpfermi {
namespace {

/// What is asked about: `columns`, rows x width, outlive it.
PublicVectors vectors_of(std::span<const float> columns, std::size_t width) {
  return {width, 1, [columns, width](std::uint32_t row, std::span<double> out) {
            for (std::size_t j = 0; j < width; ++j) out[j] = columns[row * width + j];
          }};
}

/// rows x width: the hard decisions of a model, centred and of length 1.
std::vector<float> decision_columns(std::span<const std::uint16_t> decisions, std::size_t l) {
  const std::size_t width = l == 2 ? 1 : l;
  const double share = 1 / static_cast<double>(l);
  std::vector<float> columns(decisions.size() * width);
  for (std::size_t row = 0; row < decisions.size(); ++row) {
    if (width == 1) {
      columns[row] = decisions[row] == 1 ? 1 : -1;
      continue;
    }
    for (std::size_t j = 0; j < l; ++j) {
      columns[row * l + j] =
          static_cast<float>(((j == decisions[row] ? 1 : 0) - share) / std::sqrt(1 - share));
    }
  }
  return columns;
}

}  // namespace

QueryPlan residual_queries(const SketchPlan& plan) {
  return {plan.setting, plan.adjacency, plan.round_noise_multiplier, plan.rounds, kResidualPart};
}

Result<ResidualQueries> ResidualQueries::create(const Dataset& data, const QueryPlan& plan,
                                                StepLedger& ledger, std::uint64_t charge,
                                                NoiseSource& noise) {
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(charge, plan.part, 0, plan.count));
  DPFERMI_ASSIGN(NoiseLane lane,
                 noise.open(mutant(Mutant::kQueriesOnSketchStream) ? Purpose::kSketchNoise
                                                                   : Purpose::kResidualNoise));
  // A layout is about the length of vectors; there are none yet.
  DPFERMI_ASSIGN(
      ContributionLayout layout,
      group_sums_layout(plan.setting, vectors_of({}, plan.setting.width()), plan.noise_multiplier));
  DPFERMI_ASSIGN(Privatizer privatizer,
                 Privatizer::create(std::move(layout), plan.adjacency, plan.noise_multiplier,
                                    std::move(permit), std::move(lane)));
  return ResidualQueries(data, plan.setting, std::move(privatizer));
}

Result<DenseStatistic> ResidualQueries::ask(std::span<const std::uint16_t> decisions) {
  const bool fits = decisions.size() == data_->rows() &&
                    std::ranges::all_of(decisions, [&](auto y) { return y < setting_.classes; });
  if (!fits) return failed("the decisions are not those about these rows; train again");
  DenseStatistic answer;
  answer.columns = decision_columns(decisions, setting_.classes);
  DPFERMI_ASSIGN(answer.sums,
                 release_group_sums(*data_, setting_, vectors_of(answer.columns, setting_.width()),
                                    privatizer_));
  return answer;
}

}  // namespace dpfermi
