#include "network_training.h"

#include <fmt/format.h>

#include "dpfermi/core/text.h"
#include "dpfermi/optimize/deep_problem.h"
#include "image_training.h"

namespace dpfermi::cli {

Status check_whole_network(const TrainingJob& job) {
  if (!job.whole_network) return {};
  const Method method = job.request.method;
  if (job.baseline != nullptr || method == Method::kSketch || method == Method::kDpFermiPaper) {
    return usage_error(
        "--private-part network is for --method dp-fermi, fermi or erm; leave out one of them");
  }
  return {};
}

Status open_network(const Context& context, TrainingJob& job) {
  DPFERMI_ASSIGN(deep::ComponentNetwork network, job.images->serve());
  DPFERMI_ASSIGN(job.request.network_scale, job.images->scale(network));
  context.note(fmt::format("{} parameters are trained, {}", with_thousands(network.parameters()),
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
  DPFERMI_ASSIGN(EmbeddedImages trained, job.images->with_parameters(result.theta, how));
  return adopt_images(std::move(trained), job, data, plan, result);
}

}  // namespace dpfermi::cli
