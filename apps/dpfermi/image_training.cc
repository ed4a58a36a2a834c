#include "image_training.h"

#include "dpfermi/optimize/defaults.h"

namespace dpfermi::cli {

Result<std::vector<double>> start_of(const TrainingJob& job, const PreparedData& data,
                                     const TrainingPlan& plan) {
  if (!job.images || job.network || !plan.model.hidden.empty()) return std::vector<double>();
  return network_softmax(data.pipeline, plan.model.classes);
}

Result<PreparedData> adopt_images(EmbeddedImages images, TrainingJob& job, TrainingPlan& plan,
                                  TrainingResult& result) {
  job.images = std::move(images);
  job.choice = job.images->table();
  DPFERMI_ASSIGN(PreparedData data, prepare_data(job.choice, job.split));
  plan.model = {data.pipeline.columns(), plan.model.classes, {}};
  DPFERMI_ASSIGN(result.theta, network_softmax(data.pipeline, plan.model.classes));
  result.released_rates.clear();
  result.violation.reset();
  return data;
}

Result<PreparedData> tune_network(const Context& context, const Dataset& train, TrainingJob& job,
                                  TrainingPlan& plan, TrainingResult& result) {
  const FairnessSetting setting{plan.notion, plan.groups, plan.model.classes, plan.favourable};
  const std::vector<std::uint32_t> conditions = setting.condition_by_label();
  DPFERMI_ASSIGN(EmbeddedImages tuned,
                 job.images->tuned(
                     context, {train.y, result.proxy, plan.groups, conditions, setting.conditions(),
                               result.lambda, job.request.tau.value_or(defaults::kNetworkTau)}));
  return adopt_images(std::move(tuned), job, plan, result);
}

}  // namespace dpfermi::cli
