#pragma once

/// The kinds of entries a ledger holds and the JSON they are stored as. The stored text itself is
/// hashed, so that reading needs no canonical form.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/adjacency.h"
#include "dpfermi/privacy/ledger.h"
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
/// Spends. The permits of a charge "in blocks" are handed out by later claims.
struct Charged {
  std::string budget;
  std::string run;
  std::string purpose;
  std::string event;  ///< to_json of whole_event(parts): what the price is for
  std::vector<PlannedPart> parts;
  bool in_blocks = false;
  bool fixed_seed = false;
  Amount epsilon;
  Amount delta;
  Amount spent_epsilon;  ///< of the budget, this charge included
  Amount spent_delta;
};
/// Hands out releases for steps [first, first + count) of a part of the charge with sequence number
/// `charge`.
struct Claimed {
  std::uint64_t charge = 0;
  std::uint64_t part = 0;
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
