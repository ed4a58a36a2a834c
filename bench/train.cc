// Training steps, one thread: Adult beside the NumPy peer (train_step.py runs this), time per step
// and memory by the number of rows, and one epoch over ten million rows.
//
//   train adult FOLDER [EPOCHS BATCH REPETITIONS]   seconds of the steps, as JSON
//   train rows N [BATCH]                            one line for synthetic rows

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>

#include "data/registry.h"
#include "data/table_choice.h"
#include "dpfermi/evaluate/metrics.h"
#include "model/network.h"
#include "optimize/training.h"
#include "privacy/research_ledger.h"
#include "workflow/load.h"

namespace dpfermi {
namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Result<TrainingResult> run(const Dataset& data, const TrainingPlan& plan, std::uint64_t seed) {
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seed));
  ResearchLedger ledger;
  return train(data, plan, ledger, std::move(noise));
}

Status adult(const std::string& folder, double epochs, std::uint32_t batch, int repetitions) {
  DPFERMI_ASSIGN(const DatasetDescriptor descriptor, find_dataset("adult"));
  DPFERMI_ASSIGN(const DatasetVariant variant, descriptor.variant(""));
  DPFERMI_ASSIGN(const Table table, read_table(table_request(variant, folder)));
  DPFERMI_ASSIGN(const Split split, split_table(table, variant.split, {0.25, 1}));
  DPFERMI_ASSIGN(const EncodedSplit encoded, encode_split(table, split));
  const TrainingRequest request{.epsilon = 1, .lambda = 2, .epochs = epochs, .batch = batch};
  DPFERMI_ASSIGN(const TrainingPlan plan,
                 plan_training(request, encoded.train, table.labels.positive));
  double best = 1e9;
  TrainingResult result;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    DPFERMI_ASSIGN(result, run(encoded.train, plan, 1));
    best = std::min(best, result.seconds);
  }
  const std::vector<float> f = predict(Network(plan.model), result.theta, encoded.test->x);
  DPFERMI_ASSIGN(const Metrics metrics, exact_metrics(f, *encoded.test, table.labels.positive));
  fmt::print(
      "{{\"seconds\": {:.4f}, \"steps\": {}, \"microseconds_per_step\": {:.1f}, "
      "\"error\": {:.4f}, \"gap\": {:.4f}}}\n",
      best, plan.steps, 1e6 * best / static_cast<double>(plan.steps), metrics.error,
      metrics.fairness->violation[FairnessNotion::kDemographicParity]);
  return {};
}

/// Rows shaped as Adult's: 6 numbers, 7 categories, 102 columns.
Dataset synthetic(std::uint32_t n) {
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  Dataset data;
  data.x = HybridMatrix(n, 6, std::vector<std::size_t>{13, 13, 13, 13, 13, 13, 18});
  std::vector<std::uint16_t> s(n);
  data.y.resize(n);
  data.units.resize(n);
  std::iota(data.units.begin(), data.units.end(), 0U);
  for (std::uint32_t i = 0; i < n; ++i) {
    const HybridMatrix::MutableRow row = data.x.row(i);
    for (float& number : row.numbers) number = normal(random);
    for (std::size_t c = 0; c < 7; ++c) {
      row.ones[c] = static_cast<std::uint16_t>(6 + c * 13 + random() % 13);
    }
    s[i] = random() % 3 == 0 ? 1 : 0;
    data.y[i] = row.numbers[0] + row.numbers[1] + static_cast<float>(s[i]) > 0.5F ? 1 : 0;
  }
  data.s = Protected(std::move(s));
  data.classes = data.groups = 2;
  data.unit_count = n;
  return data;
}

Status rows(std::uint32_t n, std::uint32_t batch) {
  const Dataset data = synthetic(n);
  const double before = peak_megabytes();
  TrainingRequest request{.epsilon = 1, .lambda = 2, .batch = batch};
  // One epoch, or enough steps to measure.
  request.epochs = std::max(1.0, 2000.0 * batch / n);
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_training(request, data, 1));
  double best = 1e9;
  for (int repetition = 0; repetition < (n > 1'000'000 ? 1 : 5); ++repetition) {
    DPFERMI_ASSIGN(const TrainingResult result, run(data, plan, 1));
    best = std::min(best, result.seconds);
  }
  const double encoded = static_cast<double>(data.x.bytes() + n * (2 + 2 + 4)) / 1048576;
  fmt::print(
      "{:>10} rows, batch {:>6}: {:>6} steps, {:7.1f} us/step, {:6.2f} s/epoch, encoded "
      "{:6.1f} MiB, peak {:6.1f} MiB (+{:.1f} for training)\n",
      n, batch, plan.steps, 1e6 * best / static_cast<double>(plan.steps),
      best / request.epochs.value(), encoded, peak_megabytes(), peak_megabytes() - before);
  return {};
}

int main_or_error(int argc, char** argv) {
  const auto number = [&](int i, double otherwise) {
    return argc > i ? std::strtod(argv[i], nullptr) : otherwise;
  };
  Status status =
      usage_error("usage: train adult FOLDER [EPOCHS BATCH REPETITIONS] | rows N [BATCH]");
  if (argc > 2 && std::string(argv[1]) == "adult") {
    status = adult(argv[2], number(3, 200), static_cast<std::uint32_t>(number(4, 1024)),
                   static_cast<int>(number(5, 5)));
  } else if (argc > 2 && std::string(argv[1]) == "rows") {
    status = rows(static_cast<std::uint32_t>(number(2, 1e5)),
                  static_cast<std::uint32_t>(number(3, 1024)));
  }
  if (status) return 0;
  fmt::print(stderr, "{}\n", status.error().message);
  return 1;
}

}  // namespace
}  // namespace dpfermi

int main(int argc, char** argv) {
  return dpfermi::main_or_error(argc, argv);
}
