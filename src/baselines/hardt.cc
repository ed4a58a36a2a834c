#include "baselines/hardt.h"

#include "baselines/group_rule.h"

namespace dpfermi {
namespace {

Result<TrainingResult> train_hardt(const Dataset& data, const BaselineOptions& options,
                                   const ExactRead& read, NoiseSource noise,
                                   const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(BaseModel base, train_base_model(data, options, std::move(noise), hooks));
  DecisionTable table(data.groups);
  const std::vector<std::uint16_t>& s = read.of(data.s);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    table.at(base.favours[i], s[i], data.y[i] == options.favourable ? 1 : 0) += 1;
  }
  table.correct();
  TrainingResult result = std::move(base.training);
  DPFERMI_ASSIGN(result.rule.group_table, fair_group_table(table, tolerances(options.notion, 0)));
  return result;
}

}  // namespace

extern const MethodDescriptor methods::hardt = {
    .name = "hardt",
    .origin = "Hardt, Price and Srebro 2016",
    .summary = "fair, not private: decisions of a plain model, redrawn by group",
    .notions = {FairnessNotion::kEqualizedOdds, FairnessNotion::kEqualOpportunity},
    .minibatch = true,
    .takes_hidden = true,
    .randomised = true,
    .needs_group = true,
    .train_exactly = train_hardt,
};

}  // namespace dpfermi
