// Reads a table into typed columns and prints {"seconds", "cpu_seconds", "rows", "peak_mib"}; the
// drivers bench/read_table.py and bench/sources.py put it beside pandas and psql.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "data/table_reader.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: read_table TABLE\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto table = dpfermi::read_table(dpfermi::TableRequest{.files = {argv[1]}});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (!table) {
    fmt::print(stderr, "{}\n", table.error().message);
    return 1;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  fmt::print("{{\"seconds\": {}, \"cpu_seconds\": {}, \"rows\": {}, \"peak_mib\": {}}}\n",
             elapsed.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime), table->rows,
             usage.ru_maxrss / 1024);
}
