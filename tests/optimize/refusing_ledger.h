#pragma once

/// A budget that is spent, and data whose groups cannot be read.

#include "data/dataset.h"
#include "dpfermi/privacy/ledger.h"

namespace dpfermi::testing_support {

class RefusingLedger final : public StepLedger {
 public:
  Result<std::uint64_t> plan(const JointPlan&) override { return budget_refused("no plan"); }
  Result<ReleasePermit> claim(std::uint64_t, std::size_t, std::uint64_t, std::uint64_t) override {
    return budget_refused("no claim");
  }
  Status commit() override { return budget_refused("no commit"); }

 protected:
  Status record(const Charge&) override { return budget_refused("no charge"); }
};

/// The same rows without their groups: reading any of them is a null pointer.
inline Dataset without_groups(Dataset data) {
  data.s = {};
  return data;
}

}  // namespace dpfermi::testing_support
