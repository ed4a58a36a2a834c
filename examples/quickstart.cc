// From a table to a fair and private model, in ten lines. Run it beside people.csv:
//   dpfermi datasets generate --out people.csv
#include <dpfermi/dpfermi.h>

int main() {
  const auto data = dpfermi::load("people.csv", {.target = "income",
                                                 .positive = "high",
                                                 .sensitive = {"group"},
                                                 .sensitive_values = {{"group", {"g0", "g1"}}}});
  if (!data) return dpfermi::complain(data.error());
  auto ledger = dpfermi::open_ledger("people.db");
  if (!ledger) return dpfermi::complain(ledger.error());
  const auto run = dpfermi::train(*data, {.epsilon = 1, .max_violation = 0.05}, *ledger);
  if (!run) return dpfermi::complain(run.error());
  const auto written = dpfermi::write_model(run->model, "people.model");
  return written ? 0 : dpfermi::complain(written.error());
}
