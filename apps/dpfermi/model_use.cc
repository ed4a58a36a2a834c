#include "model_use.h"

#include "dpfermi/model/network.h"

namespace dpfermi::cli {

std::vector<float> probabilities(const TrainedModel& model, const HybridMatrix& x) {
  const std::vector<double> theta(model.theta.begin(), model.theta.end());
  return predict(Network(model.spec), theta, x);
}

Result<Metrics> measure(const TrainedModel& model, const Dataset& data) {
  return exact_metrics(probabilities(model, data.x), data, model.favourable);
}

}  // namespace dpfermi::cli
