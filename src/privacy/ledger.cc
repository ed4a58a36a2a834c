#include "dpfermi/privacy/ledger.h"

#include <fmt/format.h>

namespace dpfermi {

Status ReleasePermit::check() const {
  if (!guard_.in_same_process()) {
    return budget_refused(
        "the permit was granted before the process forked and belongs to the parent; charge in "
        "the process that releases");
  }
  if (remaining_ == 0) {
    return budget_refused(fmt::format(
        "every planned release of {} has been made; plan more before the run", describe(event_)));
  }
  return {};
}

Status ReleasePermit::consume() {
  DPFERMI_TRY(check());
  --remaining_;
  return {};
}

Status ReleasePermit::check_noise(Reproducibility noise) const {
  if (noise == reproducibility_) return {};
  return usage_error(
      fmt::format("the ledger was charged for noise that is {}, but this noise is {}; charge what "
                  "is released",
                  to_string(reproducibility_), to_string(noise)));
}

Result<ReleasePermit> Ledger::charge(const Charge& charge) {
  DPFERMI_TRY(record(charge));
  return grant(charge.event, charge.count, charge.fixed_seed);
}

}  // namespace dpfermi
