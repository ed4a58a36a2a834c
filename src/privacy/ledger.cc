#include "dpfermi/privacy/ledger.h"

#include <fmt/format.h>

namespace dpfermi {

Status ReleasePermit::consume() {
  if (remaining_ == 0) {
    return budget_refused(fmt::format(
        "every planned release of {} has been made; plan more before the run", describe(event_)));
  }
  --remaining_;
  return {};
}

Result<ReleasePermit> Ledger::charge(const Charge& charge) {
  DPFERMI_TRY(record(charge));
  return grant(charge.event, charge.count);
}

}  // namespace dpfermi
