// Samplers, one thread. The bar: a Poisson batch of rate 0.03 over ten million units in 8 ms.
#include <benchmark/benchmark.h>

#include "dpfermi/random/noise_source.h"
#include "dpfermi/sample/index_sampler.h"
#include "dpfermi/sample/poisson_sampler.h"

namespace dpfermi {
namespace {

constexpr std::uint32_t kUnits = 10'000'000;

NoiseLane lane() {
  NoiseSource source(SecretKey::from_os().value());
  return source.open(Purpose::kSecretBatch).value();
}

void poisson_batch(benchmark::State& state) {
  const double q = 1e-4 * static_cast<double>(state.range(0));
  auto sampler = PoissonSampler::create(kUnits, SamplingRate::nearest(q).value(), lane()).value();
  for (auto _ : state) {
    const Result<Batch> batch = sampler.next();
    if (!batch) state.SkipWithError("the stream failed");
    benchmark::DoNotOptimize(batch);
  }
  state.SetItemsProcessed(state.iterations() * kUnits);
}
BENCHMARK(poisson_batch)
    ->Name("poisson_batch/rate_in_1e-4")
    ->Unit(benchmark::kMillisecond)
    ->Arg(1)
    ->Arg(300)
    ->Arg(5000);

void fixed_size_batch(benchmark::State& state) {
  auto sampler = FixedSizeSampler::create(kUnits, 300'000, lane()).value();
  for (auto _ : state) benchmark::DoNotOptimize(sampler.next());
}
BENCHMARK(fixed_size_batch)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dpfermi

BENCHMARK_MAIN();
