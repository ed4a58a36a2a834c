#include <dpfermi/torch/deep_model.h>

#include <cstdio>

int main() {
  dpfermi::deep::ModelOptions options;
  options.architecture = dpfermi::deep::Architecture::kSmall;
  options.side = 16;
  const auto made = dpfermi::deep::DeepModel::create(options);
  const auto* model = std::get_if<dpfermi::deep::DeepModel>(&made);
  if (model == nullptr) return 1;
  std::printf("a network of %zu parameters\n", model->parameters());
  return 0;
}
