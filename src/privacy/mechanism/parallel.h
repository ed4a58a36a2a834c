#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Runs work(part, first, last) on contiguous parts of [0, count), one per thread, and returns the
/// first error by part.
template <class Work>
Status run_parts(std::uint64_t count, unsigned threads, const Work& work) {
  const std::uint64_t parts =
      std::clamp<std::uint64_t>(threads, 1, std::max<std::uint64_t>(1, count));
  std::vector<Status> results(parts);
  {
    std::vector<std::jthread> workers;
    const auto run = [&](std::uint64_t part) {
      results[part] = work(part, count * part / parts, count * (part + 1) / parts);
    };
    for (std::uint64_t part = 1; part < parts; ++part) workers.emplace_back(run, part);
    run(0);
  }
  for (Status& result : results) DPFERMI_TRY(std::move(result));
  return {};
}

}  // namespace dpfermi
