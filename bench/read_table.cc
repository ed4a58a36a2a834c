// Reads a delimited file into typed columns and prints {"seconds", "rows", "peak_mib"}; the driver
// bench/read_table.py puts it beside pandas.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "data/table_reader.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: read_table FILE\n");
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
  fmt::print("{{\"seconds\": {}, \"rows\": {}, \"peak_mib\": {}}}\n", elapsed.count(), table->rows,
             usage.ru_maxrss / 1024);
}
