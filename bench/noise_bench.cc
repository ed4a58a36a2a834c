// Key stream, noise and clipped sums, one thread. The bar: 20 million lattice-Gaussian draws a
// second and core.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "dpfermi/privacy/mechanism/clipped_sum.h"
#include "dpfermi/random/noise_source.h"
#include "random/discrete_gaussian.h"
#include "random/key_stream.h"
#include "random/lane.h"
#include "random/rounded_gaussian.h"

namespace dpfermi {
namespace {

NoiseLane lane() {
  NoiseSource source(SecretKey::from_os().value());
  return source.open(Purpose::kGradientNoise).value();
}

void key_stream_words(benchmark::State& state) {
  const NoiseLane noise = lane();
  KeyStream stream = LaneForTests::stream(noise, 0, 0);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (int i = 0; i < 4096; ++i) sum ^= stream.next();
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK(key_stream_words);

template <class Sampler>
void draw(benchmark::State& state) {
  const Sampler sampler =
      Sampler::create(std::ldexp(1.1, static_cast<int>(state.range(0)))).value();
  const NoiseLane noise = lane();
  std::vector<std::int64_t> draws(4096);
  std::uint64_t step = 0;
  for (auto _ : state) {
    KeyStream stream = LaneForTests::stream(noise, step++, 0);
    if (!sampler.draw(stream, draws)) state.SkipWithError("the stream failed");
    benchmark::DoNotOptimize(draws.data());
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK_TEMPLATE(draw, RoundedGaussian)
    ->Name("rounded_gaussian/log2_sigma")
    ->Arg(-10)
    ->Arg(0)
    ->Arg(20)
    ->Arg(30)
    ->Arg(40);
BENCHMARK_TEMPLATE(draw, DiscreteGaussian)
    ->Name("discrete_gaussian/log2_sigma")
    ->Arg(-10)
    ->Arg(0)
    ->Arg(16)
    ->Arg(40);

/// One contribution clipped, quantised and added; range(0) entries in two segments.
void clipped_contribution(benchmark::State& state) {
  const auto entries = static_cast<std::size_t>(state.range(0));
  const auto layout = ContributionLayout::create({{entries - 8, 1.0}, {8, 1.0}}).value();
  std::vector<double> contribution(entries);
  for (std::size_t i = 0; i < entries; ++i) contribution[i] = std::sin(static_cast<double>(i));
  std::vector<std::int64_t> lattice(entries);
  LatticeSum sum(entries, layout.lattice_bits());
  for (auto _ : state) {
    layout.quantise(contribution, lattice);
    benchmark::DoNotOptimize(sum.add(lattice));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(clipped_contribution)->Arg(32)->Arg(256)->Arg(4096);

}  // namespace
}  // namespace dpfermi

BENCHMARK_MAIN();
