#include "print/charge_record.h"

#include <fmt/format.h>

namespace dpfermi::cli {

std::string recorded_text(const ChargeRecord& record) {
  if (record.research) return fmt::format("Recorded: {}.\n", Spending::kResearch);
  if (!record.place) return "";
  return fmt::format("Recorded: run {} in {}.\n", record.place->run_id, record.ledger);
}

}  // namespace dpfermi::cli
