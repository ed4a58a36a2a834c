#include "network_training.h"

#include <fmt/format.h>

#include "dpfermi/core/text.h"
#include "dpfermi/optimize/deep_problem.h"
#include "image_training.h"

namespace dpfermi::cli {

Status check_whole_network(const TrainingJob& job) {
  if (!job.whole_network) return {};
  if (job.baseline != nullptr || job.request.method != Method::kDpFermi) {
    return usage_error("--private-part network is for --method dp-fermi; leave out one of them");
  }
  return {};
}

Status open_network(const Context& context, const PreparedData& data, TrainingJob& job) {
  DPFERMI_ASSIGN(deep::ComponentNetwork network, job.images->serve());
  job.network = std::make_shared<deep::ComponentNetwork>(std::move(network));
  DPFERMI_ASSIGN(job.request.network, measure_network(*job.network, data.train));
  context.note(fmt::format("{} parameters are trained, on from the public network",
                           with_thousands(job.network->parameters())));
  return {};
}

Result<PreparedData> adopt_network(const Context& context, TrainingJob& job, TrainingPlan& plan,
                                   TrainingResult& result) {
  const std::string how =
      fmt::format("{}; then dp-fermi on all parameters, epsilon {:.4g}, lambda {:.4g}, {} steps",
                  job.images->network().settings, plan.epsilon, result.lambda, result.steps);
  DPFERMI_ASSIGN(EmbeddedImages trained, job.images->with_parameters(context, result.theta, how));
  return adopt_images(std::move(trained), job, plan, result);
}

}  // namespace dpfermi::cli
