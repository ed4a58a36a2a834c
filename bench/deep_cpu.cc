/// Images per second of the private step of docs/deep.md on a CPU, beside libtorch's own forward
/// and backward pass on a whole batch without privacy. All ways take turns, so that a machine that
/// others use treats them alike; processor time is given as well. An image counts once for each
/// batch that it is in.
///
/// bench_deep_cpu [--side 64,128] [--batch 64] [--workers 1,2] [--rounds 5]

#include <torch/nn.h>
#include <torch/torch.h>

#include <chrono>
#include <ctime>
#include <functional>

#include "deep_parts.h"
#include "dpfermi/torch/sequential.h"

namespace dpfermi::deep::bench {
namespace {

struct Settings {
  std::vector<std::string> sides{"64", "128"};
  std::vector<std::string> workers{"1", "2"};
  std::uint32_t batch = 64;
  int rounds = 5;
};

Settings parse(int count, char** values) {
  Settings settings;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = values[i];
    const char* value = values[i + 1];
    if (name == "--side")
      settings.sides = parts_of(value);
    else if (name == "--workers")
      settings.workers = parts_of(value);
    else if (name == "--batch")
      settings.batch = static_cast<std::uint32_t>(std::atoi(value));
    else if (name == "--rounds")
      settings.rounds = std::atoi(value);
    else
      stop("unknown option " + name + "; see the head of bench/deep_cpu.cc");
  }
  return settings;
}

/// Something to measure, and how many images one call takes.
struct Way {
  std::string name;
  std::uint32_t images;
  std::function<void()> work;
  std::vector<double> wall, processor;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void measure(std::vector<Way>& ways, int rounds) {
  for (int round = -1; round < rounds; ++round) {
    for (Way& way : ways) {
      const double used = processor_seconds();
      const auto start = std::chrono::steady_clock::now();
      way.work();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (round < 0) continue;
      way.wall.push_back(took.count());
      way.processor.push_back(processor_seconds() - used);
    }
  }
}

/// One of our models and what it needs to take steps.
struct Ours {
  Ours(const ModelOptions& options, const Data& data, std::uint32_t batch)
      : model(made(options)), noise(model.parameters(), 1), batches(data, batch) {
    must(model.load(data.pixels, data.labels));
    sums.resize(model.parameters());
    f.resize(std::size_t{batch} * kClasses);
  }

  static DeepModel made(const ModelOptions& options) {
    auto model = DeepModel::create(options);
    if (const auto* problem = std::get_if<Problem>(&model)) stop(problem->message);
    return std::get<DeepModel>(std::move(model));
  }

  void secret_half() {
    must(model.sum_start(batches.secret(), {1, kBits}));
    must(model.sum_finish(sums, f));
  }
  void public_half() { must(model.public_gradient(batches.open())); }
  void step() {
    batches.draw();
    secret_half();
    public_half();
    noise.start();
    const std::vector<std::int64_t>& draws = noise.wait();
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += draws[j];
    must(model.descend(0.01, 1e-3 / (static_cast<double>(f.size()) * kBits), sums));
  }

  DeepModel model;
  Noise noise;
  Batches batches;
  std::vector<std::int64_t> sums;
  std::vector<float> f;
};

/// libtorch by itself: the mean loss of a batch, and its gradient.
Way peer(const ModelOptions& options, const Data& data, std::uint32_t batch, int threads,
         at::MemoryFormat layout) {
  torch::nn::Sequential network = make_network(options);
  for (torch::Tensor& p : network->parameters()) {
    if (p.dim() == 4) p.set_data(p.contiguous(layout));
  }
  const auto side = static_cast<std::int64_t>(options.side);
  torch::Tensor x = torch::empty({batch, side, side, 3}, torch::kByte);
  std::copy_n(data.pixels.begin(), x.numel(), x.data_ptr<std::uint8_t>());
  x = (x.to(torch::kFloat) / 127.5 - 1).permute({0, 3, 1, 2}).contiguous(layout);
  torch::Tensor y = torch::empty({batch}, torch::kLong);
  std::copy_n(data.labels.begin(), batch, y.data_ptr<std::int64_t>());
  const std::string order = layout == at::MemoryFormat::ChannelsLast ? "channels last" : "planes";
  return {"libtorch, batch, " + order + ", " + std::to_string(threads) + " threads",
          batch,
          [=]() mutable {
            at::set_num_threads(threads);
            network->zero_grad();
            torch::nn::functional::cross_entropy(network->forward(x), y).backward();
          },
          {},
          {}};
}

void measure_side(const Settings& settings, std::uint32_t side) {
  const std::uint32_t batch = settings.batch;
  const Data data = invent(2 * batch, side);
  ModelOptions options;
  options.side = side;
  std::vector<Way> ways;
  std::vector<std::unique_ptr<Ours>> models;
  for (const std::string& workers : settings.workers) {
    options.workers = static_cast<std::uint32_t>(std::stoul(workers));
    Ours* ours = models.emplace_back(std::make_unique<Ours>(options, data, batch)).get();
    const std::string with = ", " + workers + " workers";
    ways.push_back({"secret half" + with, batch, [ours] { ours->secret_half(); }, {}, {}});
    ways.push_back({"public half" + with, batch, [ours] { ours->public_half(); }, {}, {}});
    ways.push_back({"private step" + with, 2 * batch, [ours] { ours->step(); }, {}, {}});
    for (const auto layout : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      ways.push_back(peer(options, data, batch, std::stoi(workers), layout));
    }
  }
  measure(ways, settings.rounds);
  std::printf("%u x %u, batch %u, images per second\n", side, side, batch);
  std::printf("  %-42s %8s %20s\n", "", "of time", "of processor time");
  for (const Way& way : ways) {
    std::printf("  %-42s %8.1f %20.1f\n", way.name.c_str(), way.images / median(way.wall),
                way.images / median(way.processor));
  }
}

}  // namespace
}  // namespace dpfermi::deep::bench

int main(int count, char** values) {
  namespace bench = dpfermi::deep::bench;
  const bench::Settings settings = bench::parse(count, values);
  for (const std::string& side : settings.sides) {
    bench::measure_side(settings, static_cast<std::uint32_t>(std::stoul(side)));
  }
  return 0;
}
