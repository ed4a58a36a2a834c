#include "artifact/network_softmax.h"

#include <fmt/format.h>

#include <algorithm>

namespace dpfermi {

Result<std::vector<double>> network_softmax(const Pipeline& pipeline, std::size_t classes) {
  const ModelSpec spec{pipeline.columns(), classes, {}};
  std::vector<double> theta(spec.parameter_count());
  const std::size_t width = spec.outputs();
  const std::vector<NumericFeature>& numbers = pipeline.numeric();
  for (std::size_t j = 0; j < classes; ++j) {
    const std::string name = fmt::format("log_probability{}", j + 1);
    const auto found = std::ranges::find(numbers, name, &NumericFeature::column);
    if (found == numbers.end()) {
      return failed(fmt::format("the table of features has no column '{}'; make it again", name));
    }
    const auto row = static_cast<std::size_t>(found - numbers.begin());
    // With two classes there is one output, the difference of both.
    const std::size_t column = width == 1 ? 0 : j;
    const double sign = width == 1 && j == 0 ? -1 : 1;
    theta[row * width + column] += sign * found->standardizer.scale;
    theta[spec.inputs * width + column] += sign * found->standardizer.centre;
  }
  return theta;
}

bool is_network_softmax(const TrainedModel& model) {
  if (!model.network || !model.rule.plain() || !model.spec.hidden.empty()) return false;
  const auto theta = network_softmax(model.pipeline, model.classes.size());
  return theta && std::ranges::equal(*theta, model.theta, [](double own, float stored) {
           return static_cast<float>(own) == stored;
         });
}

}  // namespace dpfermi
