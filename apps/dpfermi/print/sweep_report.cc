#include "print/sweep_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "experiment/run_store.h"

namespace dpfermi::cli {

void print_sweep(const Context& context, const SweepJob& job, const SweepOutcome& outcome) {
  const char* stamp = job.charge ? kChargedStamp : kResearchStamp;
  const std::string folder = printable(job.out, SIZE_MAX);
  if (context.json) {
    const nlohmann::ordered_json json = {{"folder", folder},
                                         {"models", outcome.runs},
                                         {"kept_from_before", outcome.kept},
                                         {"stamp", stamp},
                                         {"seconds", outcome.seconds}};
    Context::print(json.dump(2) + "\n");
    return;
  }
  const std::string kept =
      outcome.kept > 0 ? fmt::format(" ({} of them from before)", with_thousands(outcome.kept))
                       : "";
  Context::print(fmt::format("{}{}, {:.1f} s; {}\nresults {}\n", counted(outcome.runs, "model"),
                             kept, outcome.seconds, stamp, folder));
}

}  // namespace dpfermi::cli
