// Samplers, one thread. The bars: a batch of 1024 in 12 us (secret) and 10 us (public) whatever the
// number of units; a Poisson batch of rate 0.03 over ten million units in 8 ms.
#include <benchmark/benchmark.h>

#include "dpfermi/random/noise_source.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "sample/index_sampler.h"

namespace dpfermi {
namespace {

constexpr std::uint32_t kBatch = 1024;

NoiseLane lane(Purpose purpose) {
  NoiseSource source(SecretKey::from_os().value());
  return source.open(purpose).value();
}

template <class Sampler>
void draw(benchmark::State& state, Sampler& sampler) {
  for (auto _ : state) {
    const auto batch = sampler.next();
    if (!batch) state.SkipWithError("the stream failed");
    benchmark::DoNotOptimize(batch);
  }
}

PoissonSampler poisson(std::uint32_t units, double q) {
  return PoissonSampler::create(units, SamplingRate::nearest(q).value(),
                                lane(Purpose::kSecretBatch))
      .value();
}

void secret_batch_of_1024(benchmark::State& state) {
  const auto units = static_cast<std::uint32_t>(state.range(0));
  PoissonSampler sampler = poisson(units, static_cast<double>(kBatch) / units);
  draw(state, sampler);
}

void public_batch_of_1024(benchmark::State& state) {
  const auto units = static_cast<std::uint32_t>(state.range(0));
  auto sampler = ShuffleSampler::create(units, kBatch, lane(Purpose::kPublicBatch)).value();
  draw(state, sampler);
}

void by_units(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMicrosecond)->ArgName("units");
  for (const std::int64_t units : {34'000, 100'000, 1'000'000, 10'000'000, 1'000'000'000}) {
    benchmark->Arg(units);
  }
}
BENCHMARK(secret_batch_of_1024)->Apply(by_units);
BENCHMARK(public_batch_of_1024)->Apply(by_units);

// What a sampler costs before its first batch.
void secret_sampler(benchmark::State& state) {
  const auto units = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(poisson(units, static_cast<double>(kBatch) / units));
  }
}
BENCHMARK(secret_sampler)->Apply(by_units);

// Both sides of the rate where bytes take over from gaps.
void poisson_batch(benchmark::State& state) {
  constexpr std::uint32_t kUnits = 10'000'000;
  PoissonSampler sampler = poisson(kUnits, 1e-4 * static_cast<double>(state.range(0)));
  draw(state, sampler);
  state.SetItemsProcessed(state.iterations() * kUnits);
}
BENCHMARK(poisson_batch)
    ->ArgName("rate_in_1e-4")
    ->Unit(benchmark::kMillisecond)
    ->Arg(1)
    ->Arg(300)
    ->Arg(1000)
    ->Arg(1001)
    ->Arg(5000);

}  // namespace
}  // namespace dpfermi

BENCHMARK_MAIN();
