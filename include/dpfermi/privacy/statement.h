#pragma once

/// What a trained model promises about the people in its training data: which neighbours are hard
/// to tell apart, how hard (epsilon, delta), every release that was charged, and what had to be
/// taken for public. It is written into model files and read by auditors.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/adjacency.h"
#include "dpfermi/privacy/event.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/protected.h"
#include "dpfermi/random/key.h"

namespace dpfermi {

/// One line of the account: `count` releases of one event.
struct StatedRelease {
  std::string purpose;  ///< as charged: "group counts", "training steps"
  PrivacyEvent event;
  std::uint64_t count = 1;
  /// Which of several parts of the people it is about, from 1; 0: it is about all of them. No
  /// person is in two parts: whoever made them declares that.
  std::uint64_t part = 0;
};

struct ExactCharge;

/// Charges a run that reads protected data without noise, so that a ledger with a limit refuses it.
Result<ExactCharge> charge_exact(Ledger& ledger, Adjacency adjacency, std::string purpose,
                                 Reproducibility noise);

/// The right to read protected data without noise: only charge_exact makes it, once the ledger has
/// agreed. Code that trains has no other way to read (tools/check_includes.py).
class ExactRead {
 public:
  template <class T>
  const T& of(const Protected<T>& data) const {
    return data.read(ProtectedReadKey());
  }

 private:
  friend Result<ExactCharge> charge_exact(Ledger&, Adjacency, std::string, Reproducibility);
  ExactRead() = default;
};

struct ExactCharge {
  StatedRelease release;  ///< what the statement has to list
  ExactRead read;
};

struct PrivacyStatement {
  Adjacency adjacency = Adjacency::kSensitive;
  std::string id_column;            ///< the unit is the person it names; empty: the record
  std::optional<PrivacyCost> cost;  ///< certified, of all releases; nothing: no guarantee
  /// Certified for the noisy releases of a method that also used exact group shares: what would
  /// hold if those shares were public. `cost` is nothing then.
  std::optional<PrivacyCost> cost_given_shares;
  std::string accountant;  ///< "PLD, certified upper bound"
  std::vector<StatedRelease> releases;
  Reproducibility noise = Reproducibility::kSecret;
  bool domain_declared = true;           ///< false: the list of groups was read from the data
  std::vector<std::string> assumptions;  ///< what else is treated as public, one phrase each
  std::optional<LedgerPlace> recorded;   ///< where it was charged; nothing: in no ledger on disk
  /// Where the model that this one repairs was charged, if in another run.
  std::optional<LedgerPlace> recorded_before;
  std::optional<double> claimed_epsilon;  ///< what a published theorem claims for the same run
};

/// What a plan that was charged as a whole promises; who is in it and what is public besides is for
/// the caller to add.
PrivacyStatement statement_of(Adjacency adjacency, const JointPlan& releases);

/// Whether the statement promises anything: a finite epsilon, a delta below 1, and noise that
/// cannot be recomputed.
bool is_private(const PrivacyStatement& statement);

/// Whether it lists a release of protected data without noise.
bool holds_exact_release(const PrivacyStatement& statement);

/// How many parts the releases are about that are declared to share no person; 0: none.
std::size_t declared_parts(const PrivacyStatement& statement);

/// What is released about one person, as one event: of all releases those that are about all people
/// or about the person's part. One such event for every part; with no parts the only one is of all.
Result<std::vector<PrivacyEvent>> releases_about_one(const PrivacyStatement& statement);

/// Refuses numbers without meaning, releases of another adjacency, parts where who is in which
/// would be protected, and a finite epsilon beside an exact release.
Status check_statement(const PrivacyStatement& statement);

/// The assumptions and, where the groups were not declared, their list.
std::vector<std::string> treated_as_public(const PrivacyStatement& statement);

/// What the first line of a card adds where the groups were not declared; empty otherwise.
std::string_view headline_reservation(const PrivacyStatement& statement);

/// Why nothing is promised, for the first line of a card; empty where something is, or where no
/// protected data were named.
std::string_view why_not_private(const PrivacyStatement& statement);

/// Phrases of the description below, without a full stop: what is protected, and what is
/// guaranteed.
std::string describe_protected(const PrivacyStatement& statement);
std::string describe_guarantee(const PrivacyStatement& statement);

/// What a promise does not cover: a phrase, and the field of the statement that it follows from;
/// empty where no promise covers it.
struct NotCovered {
  std::string phrase;
  std::string_view field;
};
std::vector<NotCovered> not_covered(const PrivacyStatement& statement);

/// Plain words for an auditor, several lines: what neighbours differ in, the guarantee, what was
/// released, what was treated as public, what is not covered.
std::string describe(const PrivacyStatement& statement);

/// One line that says where the releases were charged; empty where that is in no ledger on disk.
std::string describe_record(const PrivacyStatement& statement);

/// A JSON text that parse_statement reads back exactly. An infinite epsilon is not a guarantee and
/// is written as one that is missing. Unknown keys are refused, and so is what check_statement
/// refuses.
std::string to_json(const PrivacyStatement& statement);
Result<PrivacyStatement> parse_statement(const std::string& json);

}  // namespace dpfermi
