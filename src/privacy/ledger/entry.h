#pragma once

/// The kinds of entries a ledger holds and the JSON they are stored as. The stored text itself is
/// hashed, so that reading needs no canonical form.

#include <cstdint>
#include <string>
#include <variant>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/adjacency.h"
#include "dpfermi/privacy/ledger/amount.h"

namespace dpfermi::ledger {

/// Always the first entry: who this ledger is, and which key its fingerprints use.
struct LedgerOpened {
  std::string id;
  std::string key_id;
};
struct BudgetCreated {
  std::string budget;
  Adjacency adjacency;
};
/// Budgets start without a cap; it is set once.
struct BudgetCapped {
  std::string budget;
  Amount epsilon;
  Amount delta;
};
/// Ties a budget to the data of this fingerprint.
struct BudgetBound {
  std::string budget;
  std::string fingerprint;
};
/// Spends. The permits of a charge "in blocks" are handed out by later claims, `steps` planned ones
/// and `spare` ones for steps that a crash made worthless.
struct Charged {
  std::string budget;
  std::string run;
  std::string purpose;
  std::string event;  ///< to_json of one release
  bool in_blocks = false;
  bool fixed_seed = false;
  std::uint64_t steps = 0;
  std::uint64_t spare = 0;
  Amount epsilon;  ///< of steps + spare releases together
  Amount delta;
  Amount spent_epsilon;  ///< of the budget, this charge included
  Amount spent_delta;
};
/// Hands out releases for steps [first, first + count) of the charge with sequence number `charge`.
struct Claimed {
  std::uint64_t charge = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
/// The run ended well and spends no more.
struct Committed {
  std::string run;
};

using EntryBody = std::variant<LedgerOpened, BudgetCreated, BudgetCapped, BudgetBound, Charged,
                               Claimed, Committed>;

struct Entry {
  EntryBody body;
  std::string time;     ///< UTC, informative only: sequence numbers order the entries
  std::string version;  ///< of the program that wrote it
};

std::string entry_to_json(const Entry& entry);
Result<Entry> entry_from_json(const std::string& text);

}  // namespace dpfermi::ledger
