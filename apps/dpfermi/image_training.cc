#include "image_training.h"

#include <fmt/format.h>

#include "build_model.h"
#include "dpfermi/artifact/model_file.h"
#include "dpfermi/artifact/network_softmax.h"
#include "dpfermi/optimize/training_defaults.h"
#include "interrupt.h"

namespace dpfermi::cli {
namespace {

/// Makes the table's features log F alone, in its declared range and with no values yet: what is
/// fitted to them follows from the range.
Status declare_features(const Schema& declared, std::size_t classes, PreparedData& data) {
  Table& table = data.table;
  table.features.clear();
  for (std::size_t j = 0; j < classes; ++j) {
    const std::string name = fmt::format("log_probability{}", j + 1);
    table.features.push_back({name, NumericColumn{}});
    table.schema.columns[name] = declared.columns.at(name);
  }
  DPFERMI_ASSIGN(data.pipeline, Pipeline::fit(table, {}));
  return {};
}

/// Without the groups that drown in noise: nobody could say what is fair to them.
std::vector<float> proxy_of_known(const TrainingResult& result, std::span<const std::uint16_t> y,
                                  std::span<const std::uint32_t> condition_by_label,
                                  std::size_t groups) {
  std::vector<float> proxy = result.proxy;
  const std::vector<bool>& known = result.known_groups;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t cell = condition_by_label[y[i]] * groups;
    for (std::size_t r = 0; r < groups && cell + r < known.size(); ++r) {
      if (!known[cell + r]) proxy[i * groups + r] = 0;
    }
  }
  return proxy;
}

}  // namespace

Result<std::vector<double>> start_of(const TrainingJob& job, const PreparedData& data,
                                     const TrainingPlan& plan) {
  if (!job.images || job.network || !plan.model.hidden.empty()) return std::vector<double>();
  return network_softmax(data.pipeline, plan.model.classes);
}

Status adopt_images(EmbeddedImages images, TrainingJob& job, PreparedData& data, TrainingPlan& plan,
                    TrainingResult& result) {
  job.images = std::move(images);
  job.choice = job.images->table();
  DPFERMI_TRY(declare_features(job.choice.request.schema, plan.model.classes, data));
  plan.model = {data.pipeline.columns(), plan.model.classes, {}};
  DPFERMI_ASSIGN(result.theta, network_softmax(data.pipeline, plan.model.classes));
  result.released_rates.clear();
  return {};
}

std::function<Result<std::vector<std::uint16_t>>(const TrainingResult&)> NetworkFollower::hook() {
  return [this](const TrainingResult& so_far) { return follow(so_far); };
}

Result<std::vector<std::uint16_t>> NetworkFollower::follow(const TrainingResult& so_far) {
  asked_ = true;
  if (!tuned_) {
    DPFERMI_TRY(write_model(build_model(*job_, *data_, *plan_, so_far, sketch_), job_->out));
    context_->note(
        fmt::format("{} holds the last layer that was paid for; now the whole network", job_->out));
    tuned_ = job_->images;
  }
  const FairnessSetting setting{plan_->notion, plan_->groups, plan_->model.classes,
                                plan_->favourable};
  const std::vector<std::uint32_t> conditions = setting.condition_by_label();
  const std::vector<float> proxy =
      proxy_of_known(so_far, data_->train.y, conditions, plan_->groups);
  if (Interrupt::requested()) return failed("interrupted");
  DPFERMI_ASSIGN(
      tuned_, tuned_->tuned(*context_,
                            {data_->train.y, proxy, plan_->groups, conditions, setting.conditions(),
                             so_far.lambda, job_->request.tau.value_or(defaults::kNetworkTau)}));
  return tuned_->decisions(*context_);
}

Result<PreparedData> described_data(const Context& context, TrainingJob& job) {
  Status described = job.images->describe(context);
  Result<PreparedData> data = tl::unexpected(Error{});
  if (described) data = prepare_data(job.choice, job.split);
  if (described && data) return data;
  const Error& error = described ? data.error() : described.error();
  return failed(
      fmt::format("{}: the model was not measured, but {} is whole and holds the network; "
                  "dpfermi evaluate --images measures it",
                  error.message, job.out));
}

}  // namespace dpfermi::cli
