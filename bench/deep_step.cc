/// Images per second of the private step of docs/deep.md on a GPU: the public half on one batch,
/// the secret half on another, lattice noise from the cryptographic stream, the update. An image
/// counts once for each batch that it is in.
///
/// bench_deep_step [--batch 256,1024] [--precision tf32,bf16] [--chunk 256] [--threads 8] [--steps
/// 20]

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "dpfermi/random/key.h"
#include "dpfermi/random/key_stream.h"
#include "dpfermi/random/rounded_gaussian.h"
#include "dpfermi/torch/deep_model.h"

namespace {

using dpfermi::deep::DeepModel;
using dpfermi::deep::Outcome;
using dpfermi::deep::Rows;

constexpr double kBits = 0x1p30;
constexpr std::uint32_t kImages = 8192;
constexpr std::uint32_t kGroups = 5;
constexpr std::uint32_t kClasses = 9;
constexpr std::uint32_t kSide = 128;

struct Settings {
  std::vector<std::string> batches{"256", "1024"};
  std::vector<std::string> precisions{"tf32", "bf16"};
  std::uint32_t chunk = 256;
  unsigned threads = 8;
  int steps = 20;
};

[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

void must(const Outcome& outcome) {
  if (outcome) stop(outcome->message);
}

std::vector<std::string> parts_of(const char* text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

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

/// The Privatizer's noise: a stream per 4096 entries, drawn by several threads beside the GPU.
class Noise {
 public:
  Noise(std::size_t size, unsigned threads)
      : key_(secret()),
        sampler_(*dpfermi::RoundedGaussian::create(0.7 * kBits)),
        draws_(size),
        threads_(threads) {}

  void start() {
    ++step_;
    for (unsigned t = 0; t < threads_; ++t) {
      running_.push_back(std::async(std::launch::async, [this, t] { fill(t); }));
    }
  }

  const std::vector<std::int64_t>& wait() {
    for (auto& part : running_) part.get();
    running_.clear();
    return draws_;
  }

 private:
  static dpfermi::KeyMaterial secret() {
    dpfermi::KeyMaterial::Bytes bytes{};
    std::random_device device;
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(device());
    return dpfermi::KeyMaterial(bytes);
  }

  void fill(unsigned first) {
    constexpr std::size_t kBlock = 4096;
    for (std::size_t block = first; block * kBlock < draws_.size(); block += threads_) {
      std::array<std::uint8_t, 16> start{};
      std::memcpy(start.data(), &step_, 6);
      start[8] = static_cast<std::uint8_t>(block >> 8);
      start[9] = static_cast<std::uint8_t>(block);
      dpfermi::KeyStream stream(key_, start);
      const std::size_t from = block * kBlock;
      const auto room = std::span(draws_).subspan(from, std::min(kBlock, draws_.size() - from));
      if (const auto drawn = sampler_.draw(stream, room); !drawn) stop(drawn.error().message);
    }
  }

  dpfermi::KeyMaterial key_;
  dpfermi::RoundedGaussian sampler_;
  std::vector<std::int64_t> draws_;
  unsigned threads_;
  std::uint64_t step_ = 0;
  std::vector<std::future<void>> running_;
};

struct Data {
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint16_t> labels;
  std::vector<std::uint32_t> groups;
  std::vector<float> by_group, by_condition;
};

Data invent() {
  std::mt19937 random(7);
  Data data;
  data.pixels.resize(std::size_t{kImages} * kSide * kSide * 3);
  for (auto& byte : data.pixels) byte = static_cast<std::uint8_t>(random());
  for (std::uint32_t i = 0; i < kImages; ++i) {
    data.labels.push_back(static_cast<std::uint16_t>(random() % kClasses));
    data.groups.push_back(static_cast<std::uint32_t>(random() % kGroups));
  }
  std::uniform_real_distribution<float> uniform(-0.3F, 0.3F);
  for (std::uint32_t j = 0; j < kGroups * kClasses; ++j) data.by_group.push_back(uniform(random));
  for (std::uint32_t j = 0; j < kClasses; ++j) data.by_condition.push_back(uniform(random));
  return data;
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
  dpfermi::deep::ModelOptions options;
  options.place = dpfermi::deep::Place::kGpu;
  options.precision =
      precision == "bf16" ? dpfermi::deep::Precision::kBfloat16 : dpfermi::deep::Precision::kTf32;
  options.chunk = settings.chunk;
  auto made = DeepModel::create(options);
  if (const auto* problem = std::get_if<dpfermi::deep::Problem>(&made)) stop(problem->message);
  DeepModel& model = std::get<DeepModel>(made);
  must(model.load(data.pixels, data.labels));
  Noise noise(model.parameters(), settings.threads);
  std::mt19937 random(3);
  std::vector<std::uint32_t> all(kImages);
  std::iota(all.begin(), all.end(), 0U);
  std::vector<std::uint32_t> open(batch), secret(batch), groups(batch);
  const std::vector<std::uint32_t> condition(batch);
  std::vector<std::int64_t> sums(model.parameters());
  std::vector<float> f(std::size_t{batch} * kClasses);
  const auto draw = [&] {
    std::sample(all.begin(), all.end(), open.begin(), batch, random);
    std::sample(all.begin(), all.end(), secret.begin(), batch, random);
    for (std::uint32_t i = 0; i < batch; ++i) groups[i] = data.groups[secret[i]];
  };
  const auto start_sum = [&] {
    must(model.sum_start({secret, 0, data.by_group, groups}, {1, kBits}));
  };
  const auto open_half = [&] {
    must(model.public_gradient({open, 1, data.by_condition, condition}));
  };
  draw();
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
    draw();
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

}  // namespace

int main(int count, char** values) {
  const Settings settings = parse(count, values);
  const Data data = invent();
  for (const std::string& precision : settings.precisions) {
    for (const std::string& batch : settings.batches) {
      measure(settings, data, precision, static_cast<std::uint32_t>(std::stoul(batch)));
    }
  }
  return 0;
}
