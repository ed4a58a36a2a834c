#pragma once

/// The kinds of entries a ledger holds and the JSON they are stored as. The stored text itself is
/// hashed, so that reading needs no canonical form.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/adjacency.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/ledger/budget.h"

namespace dpfermi::ledger {

/// The rules that entries are written by. Ledgers of format 2 did not relate budgets of different
/// adjacencies and took fixed seeds on limited budgets; they are read as they were meant.
inline constexpr int kFormat = 3;
inline constexpr int kOldestFormat = 2;

/// Always the first entry: who this ledger is, and which key its fingerprints use.
struct LedgerOpened {
  std::string id;
  std::string key_id;
  int format = kFormat;
};
/// From here on the entries follow the rules of a newer format, which older programs do not know.
struct FormatRaised {
  int format = kFormat;
};
struct BudgetCreated {
  std::string budget;
  Adjacency adjacency;
};
/// Budgets start without a cap; it is set once.
struct BudgetCapped {
  std::string budget;
  BudgetCap cap;
};
/// Ties a budget to the data of this fingerprint; a second time, to more digests of them.
struct BudgetBound {
  std::string budget;
  std::string fingerprint;
  std::vector<std::string> relatives;  ///< digests, as in BudgetKey
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
  bool rehearsal = false;  ///< the data were declared to be synthetic
  Amount epsilon;
  Amount delta;
  std::optional<RenyiAmount> renyi;  ///< of the event; nothing: the price says it
  Amount spent_epsilon;              ///< of the budget, this charge included
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

using EntryBody = std::variant<LedgerOpened, FormatRaised, BudgetCreated, BudgetCapped, BudgetBound,
                               Charged, Claimed, Committed>;

struct Entry {
  EntryBody body;
  std::string time;     ///< UTC, informative only: sequence numbers order the entries
  std::string version;  ///< of the program that wrote it
};

std::string entry_to_json(const Entry& entry);
Result<Entry> entry_from_json(const std::string& text);

}  // namespace dpfermi::ledger
