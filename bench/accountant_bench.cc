// Certified bounds and calibration over all reference rows, one thread. The bar: median <= 10 ms
// and worst <= 300 ms a query, calibration <= 150 ms. Counters hold the best time of each row over
// the iterations, in milliseconds.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <vector>

#include "dpfermi/privacy/accountant/calibrate.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/golden.h"

namespace dpfermi {
namespace {

using golden::Json;

/// Runs `query` on every row, five times over, and reports median and worst of the best times.
void time_rows(benchmark::State& state, const std::vector<Json>& rows,
               const std::function<bool(const Json&)>& query) {
  std::vector<double> best(rows.size(), std::numeric_limits<double>::infinity());
  for (auto _ : state) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      if (!query(rows[i])) state.SkipWithError("a row failed");
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      best[i] = std::min(best[i], took.count());
    }
  }
  std::ranges::sort(best);
  state.counters["rows"] = static_cast<double>(best.size());
  state.counters["median_ms"] = best[best.size() / 2];
  state.counters["worst_ms"] = best.back();
}

std::vector<Json> rows_of(const std::function<bool(const std::string&)>& wanted) {
  std::vector<Json> rows;
  for (const Json& row : golden::load("golden_accounting.json")) {
    if (wanted(row.at("group"))) rows.push_back(row);
  }
  return rows;
}

void certified_bounds(benchmark::State& state) {
  const auto rows = rows_of([](const std::string& group) { return group != "rdp"; });
  time_rows(state, rows, [](const Json& row) {
    return certified_epsilon(golden::event_of(row), row.at("delta"), {.cross_check = false})
        .has_value();
  });
}
BENCHMARK(certified_bounds)->Iterations(5)->Unit(benchmark::kMillisecond);

void noise_calibration(benchmark::State& state) {
  const auto rows = rows_of([](const std::string& group) { return group == "inverse"; });
  time_rows(state, rows, [](const Json& row) {
    const EventFamily family = [&](double noise) -> Result<PrivacyEvent> {
      return golden::release(row.at("mechanism"), golden::adjacency_of(row), row.at("q"), noise)
          .times(row.at("T"));
    };
    return calibrate_noise(family, row.at("epsilon_lower"), row.at("delta")).has_value();
  });
}
BENCHMARK(noise_calibration)->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dpfermi

BENCHMARK_MAIN();
