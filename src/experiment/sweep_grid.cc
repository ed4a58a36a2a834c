#include "dpfermi/experiment/sweep_grid.h"

#include "experiment/sweep_job.h"
#include "workflow/front_door.h"

namespace dpfermi {

Result<SweepOutcome> sweep(const std::string& grid, const std::string& out,
                           const SweepSettings& settings) {
  SweepJob job;
  DPFERMI_ASSIGN(job.grid, parse_grid(grid));
  for (const auto& [name, table] : settings.tables) {
    DPFERMI_ASSIGN(job.own[name], table_choice(table.path, table.options));
  }
  job.data_folder = settings.data_folder;
  job.out = out;
  job.resume = settings.resume;
  job.workers = settings.workers;
  job.charge = settings.ledger != nullptr;
  if (job.charge) job.spending.open = *settings.ledger;
  job.spending.budget = settings.budget;
  Observer silent;
  return run_sweep_job(settings.observer != nullptr ? *settings.observer : silent, job);
}

}  // namespace dpfermi
