/// Images per second of the private step of docs/deep.md on a GPU: the public half on one batch,
/// the secret half on another, lattice noise from the cryptographic stream, the update. An image
/// counts once for each batch that it is in.
///
/// bench_deep_step [--batch 256,1024] [--precision tf32,bf16] [--chunk 256] [--threads 8] [--steps
/// 20]

#include <chrono>
#include <functional>

#include "deep_parts.h"

namespace dpfermi::deep::bench {
namespace {

constexpr std::uint32_t kImages = 8192;
constexpr std::uint32_t kSide = 128;

struct Settings {
  std::vector<std::string> batches{"256", "1024"};
  std::vector<std::string> precisions{"tf32", "bf16"};
  std::uint32_t chunk = 256;
  unsigned threads = 8;
  int steps = 20;
};

Settings parse(int count, char** values) {
  Settings settings;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = values[i];
    const char* value = values[i + 1];
    if (name == "--batch")
      settings.batches = parts_of(value);
    else if (name == "--precision")
      settings.precisions = parts_of(value);
    else if (name == "--chunk")
      settings.chunk = static_cast<std::uint32_t>(std::atoi(value));
    else if (name == "--threads")
      settings.threads = static_cast<unsigned>(std::atoi(value));
    else if (name == "--steps")
      settings.steps = std::atoi(value);
    else
      stop("unknown option " + name + "; see the head of bench/deep_step.cc");
  }
  return settings;
}

/// Median seconds of `work`, the GPU idle before and after.
double seconds(const DeepModel& model, int steps, const std::function<void()>& work) {
  constexpr int kWarmUp = 5;
  std::vector<double> times;
  for (int i = 0; i < steps + kWarmUp; ++i) {
    must(model.synchronize());
    const auto start = std::chrono::steady_clock::now();
    work();
    must(model.synchronize());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (i >= kWarmUp) times.push_back(took.count());
  }
  std::nth_element(times.begin(), times.begin() + steps / 2, times.end());
  return times[static_cast<std::size_t>(steps / 2)];
}

void measure(const Settings& settings, const Data& data, const std::string& precision,
             std::uint32_t batch) {
  ModelOptions options;
  options.place = Place::kGpu;
  options.precision = precision == "bf16" ? Precision::kBfloat16 : Precision::kTf32;
  options.chunk = settings.chunk;
  auto made = DeepModel::create(options);
  if (const auto* problem = std::get_if<Problem>(&made)) stop(problem->message);
  DeepModel& model = std::get<DeepModel>(made);
  must(model.load(data.pixels, data.labels));
  Noise noise(model.parameters(), settings.threads);
  Batches batches(data, batch);
  std::vector<std::int64_t> sums(model.parameters());
  std::vector<float> f(std::size_t{batch} * kClasses);
  const auto start_sum = [&] { must(model.sum_start(batches.secret(), {1, kBits})); };
  const auto open_half = [&] { must(model.public_gradient(batches.open())); };
  const double secret_half = seconds(model, settings.steps, [&] {
    start_sum();
    must(model.sum_finish(sums, f));
  });
  const double public_half = seconds(model, settings.steps, open_half);
  const double noise_time = seconds(model, settings.steps, [&] {
    noise.start();
    noise.wait();
  });
  const double step = seconds(model, settings.steps, [&] {
    noise.start();
    batches.draw();
    start_sum();
    open_half();
    must(model.sum_finish(sums, f));
    const std::vector<std::int64_t>& draws = noise.wait();
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += draws[j];
    must(model.descend(0.01, 1e-3 / (batch * kBits), sums));
  });
  std::printf(
      "%-5s batch %5u chunk %4u: step %7.2f ms, %7.0f images/s | secret %7.2f ms (%6.0f/s), "
      "public %7.2f ms (%6.0f/s), noise %5.2f ms\n",
      precision.c_str(), batch, options.chunk, 1e3 * step, 2 * batch / step, 1e3 * secret_half,
      batch / secret_half, 1e3 * public_half, batch / public_half, 1e3 * noise_time);
}

void measure_all(const Settings& settings) {
  const Data data = invent(kImages, kSide);
  for (const std::string& precision : settings.precisions) {
    for (const std::string& batch : settings.batches) {
      measure(settings, data, precision, static_cast<std::uint32_t>(std::stoul(batch)));
    }
  }
}

}  // namespace
}  // namespace dpfermi::deep::bench

int main(int count, char** values) {
  dpfermi::deep::bench::measure_all(dpfermi::deep::bench::parse(count, values));
  return 0;
}
