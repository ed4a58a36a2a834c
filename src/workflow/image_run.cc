#include "workflow/image_run.h"

#include <fmt/format.h>

#include "artifact/model_file.h"
#include "artifact/network_softmax.h"
#include "core/text.h"
#include "optimize/choose_method.h"
#include "optimize/training_defaults.h"
#include "sketch/sketch_defaults.h"
#include "vision/component.h"
#include "workflow/build_model.h"
#include "workflow/from_sketch.h"

namespace dpfermi {
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

/// Without the groups that drown in noise: what is fair to them cannot be measured.
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

// A last layer pays noise for every feature and needs those that tell classes apart; a sketch needs
// those that tell groups apart, of which a network for classes knows less than a glance at the
// face. A repair decides by the network's own probabilities and by a sketch.
vision::FeatureChoice features_of(const ImageChoice& choice, Method method) {
  const bool sketch = method->takes_sketch();
  return {.components = choice.components.value_or(sketch ? 32 : 64),
          .pictures = choice.pictures.value_or(sketch ? 96 : 0)};
}

/// Refuses rates that dpfermi-deep would refuse when something was paid for.
Status check_rates(const ImageChoice& choice) {
  for (const auto& [field, value] : {std::pair("schedule.rate", choice.schedule.rate),
                                     std::pair("schedule.decay", choice.schedule.decay),
                                     std::pair("tuning_rate", choice.tuning_rate)}) {
    if (value >= 0 && value <= 1e6) continue;
    return usage_error(fmt::format("`{}` takes a number from 0 to 1e6, not {:g}", field, value));
  }
  return {};
}

/// Refuses settings of a network that there is only where images are public.
Status check_unused(const ImageChoice& choice, Adjacency adjacency) {
  if (features_are_public(adjacency) || choice.of_public_network.empty()) return {};
  return usage_error(fmt::format("under {} there is no public network; leave out `{}`",
                                 to_string(adjacency), choice.of_public_network.front()));
}

/// The images of a run and the plan for them. Nothing is made yet.
Result<vision::EmbeddedImages> gather_images(Observer& observer, const TrainingJob& job) {
  const ImageChoice& images = *job.image_choice;
  TableChoice choice = job.choice;
  if (!images.column.empty()) choice.request.schema.image = images.column;
  if (!images.images.empty()) choice.images = images.images;
  DPFERMI_TRY(vision::check_images(choice, job.split, images.whole_network));
  DPFERMI_TRY(check_rates(images));
  DPFERMI_TRY(check_unused(images, choice.request.schema.adjacency));
  DPFERMI_ASSIGN(const std::string program, vision::find_component());
  DPFERMI_ASSIGN(vision::ImageSet set, vision::read_image_set(choice, job.split));
  if (features_are_public(choice.request.schema.adjacency)) {
    observer.note(fmt::format("{} distinct images, {} of them for training",
                              with_thousands(set.names.size()), with_thousands(set.train.size())));
  }
  vision::ImagePlan plan{images.work.empty() ? job.out + ".work" : images.work,
                         images.shape,
                         images.schedule,
                         {images.tuning_epochs, images.schedule.batch, images.tuning_rate,
                          images.schedule.decay, images.schedule.seed},
                         features_of(images, job.request.method)};
  return vision::EmbeddedImages::create(std::move(choice), std::move(set), std::move(plan),
                                        program);
}

/// Makes the job ready for its images: what can be wrong is said before anything is made of them.
Status prepare_images(Observer& observer, TrainingJob& job) {
  constexpr double kMostLambda = 1e9;  // what dpfermi-deep takes
  if (job.out.empty()) return usage_error("name the model file with `out`");
  // Which components are made of the images depends on the method, before there is a table.
  job.request.method = chosen_for_images(job.request.method);
  DPFERMI_TRY(check_job(job));
  if (!job.sketch.empty()) {
    // Which images are for training, and what their groups are called, is settled in it.
    DPFERMI_ASSIGN(const StoredSketch sketch, read_sketch(job.sketch));
    DPFERMI_TRY(adopt_sketch(sketch, job));
  }
  if (job.request.lambda.value_or(0) > kMostLambda) {
    return usage_error(fmt::format("`lambda` can be {:g} at most on images", kMostLambda));
  }
  DPFERMI_ASSIGN(job.images, gather_images(observer, job));
  // The proxy of a repair must be that of a new image, whose label is not known.
  const bool repairs = job.request.method == Method::kRepair;
  if (FairnessSetting{job.request.notion}.unconditional() && !repairs) job.features.prefer_label();
  if (repairs) {
    observer.note(
        "the network has seen the training images: its probabilities are surer there than on "
        "others, and so is the violation that the repair aims for; measure the model on others");
  }
  if (job.images->tunes() && job.request.method == Method::kSketch) {
    TrainingRequest& request = job.request;
    request.residual_share = request.residual_share.value_or(defaults::kNetworkResidualShare);
    request.residual_rounds = request.residual_rounds.value_or(defaults::kNetworkResidualRounds);
  }
  return {};
}

/// Trains the network and computes its table, unless they are there.
Status make_table(Observer& observer, TrainingJob& job) {
  DPFERMI_TRY(job.images->make(observer));
  job.choice = job.images->table();
  return {};
}

}  // namespace

Status embed_images(Observer& observer, TrainingJob& job) {
  if (!job.image_choice) return {};
  DPFERMI_TRY(prepare_images(observer, job));
  DPFERMI_ASSIGN(const bool awaits, job.images->awaits_network());
  if (awaits) DPFERMI_TRY(check_before_network(job));
  return make_table(observer, job);
}

Result<std::optional<DryRun>> embed_images_for_plan(Observer& observer, TrainingJob& job) {
  if (!job.image_choice) return std::nullopt;
  DPFERMI_TRY(prepare_images(observer, job));
  DPFERMI_ASSIGN(const bool awaits, job.images->awaits_network());
  if (awaits || !features_are_public(job.choice.request.schema.adjacency)) {
    DPFERMI_ASSIGN(DryRun dry, plan_run_before_network(observer, job));
    return dry;
  }
  DPFERMI_TRY(make_table(observer, job));
  return std::nullopt;
}

Status check_whole_network(const TrainingJob& job) {
  if (!job.trains_whole_network()) return {};
  if (!job.request.method->takes_network) {
    return usage_error(
        "`whole_network` is for `method` dp-fermi, fermi or erm; leave out one of them");
  }
  return {};
}

Status open_network(Observer& observer, TrainingJob& job) {
  DPFERMI_ASSIGN(deep::ComponentNetwork network, job.images->serve());
  DPFERMI_ASSIGN(job.request.network_scale, job.images->scale(network));
  observer.note(fmt::format("{} parameters are trained, {}", with_thousands(network.parameters()),
                            features_are_public(job.choice.request.schema.adjacency)
                                ? "on from the public network"
                                : "from a random start"));
  job.network = std::make_shared<deep::ComponentNetwork>(std::move(network));
  return {};
}

Status adopt_network(TrainingJob& job, PreparedData& data, TrainingPlan& plan,
                     TrainingResult& result) {
  const std::string price = plan.noise_multiplier > 0
                                ? fmt::format("epsilon {:.4g}", plan.certified_epsilon)
                                : std::string("no noise");
  const std::string how = fmt::format("{}; then {} on all parameters, {}, lambda {:.4g}, {} steps",
                                      job.images->network().settings, to_string(plan.method), price,
                                      result.lambda, result.steps);
  DPFERMI_ASSIGN(vision::EmbeddedImages trained, job.images->with_parameters(result.theta, how));
  return adopt_images(std::move(trained), job, data, plan, result);
}

Result<std::vector<double>> start_of(const TrainingJob& job, const PreparedData& data,
                                     const TrainingPlan& plan) {
  if (!job.images || job.network || !plan.model.hidden.empty()) return std::vector<double>();
  return network_softmax(data.pipeline, plan.model.classes);
}

Status adopt_images(vision::EmbeddedImages images, TrainingJob& job, PreparedData& data,
                    TrainingPlan& plan, TrainingResult& result) {
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
    TrainedModel last_layer = build_model(*job_, *data_, *plan_, so_far, sketch_);
    DPFERMI_TRY(spending_->stamp(last_layer.privacy));
    DPFERMI_TRY(write_model(last_layer, job_->out));
    observer_->note(
        fmt::format("{} holds the last layer that was paid for; now the whole network", job_->out));
    tuned_ = job_->images;
  }
  const FairnessSetting setting{plan_->notion, plan_->groups, plan_->model.classes,
                                plan_->favourable};
  const std::vector<std::uint32_t> conditions = setting.condition_by_label();
  const std::vector<float> proxy =
      proxy_of_known(so_far, data_->train.y, conditions, plan_->groups);
  if (observer_->interrupted()) return failed("interrupted");
  DPFERMI_ASSIGN(
      tuned_, tuned_->tuned(*observer_,
                            {data_->train.y, proxy, plan_->groups, conditions, setting.conditions(),
                             so_far.lambda, job_->request.tau.value_or(defaults::kNetworkTau)}));
  return tuned_->decisions(*observer_);
}

Result<PreparedData> described_data(Observer& observer, TrainingJob& job) {
  Status described = job.images->describe(observer);
  Result<PreparedData> data = tl::unexpected(Error{});
  if (described) data = prepare_data(job.choice, job.split);
  if (described && data) return data;
  const Error& error = described ? data.error() : described.error();
  return failed(
      fmt::format("{}: the model was not measured, but {} is whole and holds the network; "
                  "dpfermi evaluate --images measures it",
                  error.message, job.out));
}

}  // namespace dpfermi
