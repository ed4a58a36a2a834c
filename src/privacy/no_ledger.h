#pragma once

/// The ledger of a run that reads nothing protected: it refuses every charge.

#include "dpfermi/privacy/ledger.h"

namespace dpfermi {

class NoLedger final : public StepLedger {
 public:
  Result<std::uint64_t> plan(const JointPlan&) override { return refused(); }
  Result<ReleasePermit> claim(std::uint64_t, std::size_t, std::uint64_t, std::uint64_t) override {
    return refused();
  }
  Status commit() override { return {}; }

 protected:
  Status record(const Charge&) override { return refused(); }

 private:
  static tl::unexpected<Error> refused() {
    return failed("this run was planned to read nothing protected and then asked to; report this");
  }
};

}  // namespace dpfermi
