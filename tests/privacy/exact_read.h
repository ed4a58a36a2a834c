#pragma once

#include "dpfermi/privacy/statement.h"
#include "privacy/research_ledger.h"

namespace dpfermi::testing_support {

/// The right to read, from a ledger without limits.
inline ExactRead exact_read() {
  ResearchLedger ledger;
  return charge_exact(ledger, Adjacency::kSensitive, "a test", Reproducibility::kReproducible)
      .value()
      .read;
}

}  // namespace dpfermi::testing_support
