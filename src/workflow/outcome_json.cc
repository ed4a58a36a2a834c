#include "workflow/outcome_json.h"

#include "workflow/spending.h"

namespace dpfermi {

Json json_of(const ChargeRecord& record) {
  if (record.research) return Spending::kResearch;
  if (!record.place) return nullptr;
  return {{"ledger", record.ledger},
          {"run", record.place->run_id},
          {"head", to_string(record.place->head)}};
}

Json json_of(const ViolationInterval& interval) {
  return {{"low", interval.low},
          {"high", interval.high},
          {"confidence", interval.confidence},
          {"by", interval.by_proxy ? "sketch" : "query"}};
}

}  // namespace dpfermi
