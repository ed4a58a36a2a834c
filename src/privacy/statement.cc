#include "dpfermi/privacy/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "dpfermi/privacy/protected.h"

namespace dpfermi {
namespace {

constexpr std::size_t kLongText = 400;

bool holds_exact_release(const PrivacyEvent& event) {
  if (std::holds_alternative<ExactRelease>(event.node())) return true;
  if (const auto* repetition = std::get_if<Repetition>(&event.node())) {
    return repetition->count > 0 && holds_exact_release(*repetition->part);
  }
  const auto* composition = std::get_if<Composition>(&event.node());
  return composition != nullptr && std::ranges::any_of(composition->parts, holds_exact_release);
}

bool has_guarantee(const PrivacyStatement& statement) {
  return statement.cost && std::isfinite(statement.cost->epsilon) && statement.cost->delta < 1;
}

std::string unit_of(const PrivacyStatement& statement) {
  return statement.id_column.empty() ? "record"
                                     : fmt::format("person (rows that share a value of '{}')",
                                                   printable(statement.id_column));
}

std::string protected_text(const PrivacyStatement& statement) {
  const std::string unit = unit_of(statement);
  switch (statement.adjacency) {
    case Adjacency::kSensitive:
      return fmt::format("the sensitive attribute of one {}; features and labels are public", unit);
    case Adjacency::kReplaceRecord:
      return fmt::format("everything about one {}, which may be exchanged for any other", unit);
    case Adjacency::kAddRemoveRecord:
      return fmt::format("everything about one {}, its presence in the data included", unit);
  }
  return "unknown";
}

std::string cost_text(const PrivacyStatement& statement) {
  return fmt::format("epsilon = {:.6g}, delta = {:.6g} ({})", statement.cost->epsilon,
                     statement.cost->delta, printable(statement.accountant));
}

std::string guarantee_text(const PrivacyStatement& statement) {
  if (!has_guarantee(statement)) {
    return "none. What was trained may tell anything about its data: treat it as you treat them";
  }
  if (statement.noise != Reproducibility::kSecret) {
    return fmt::format(
        "none, because the noise came from a known seed and can be taken off again. Secret noise "
        "would give {}",
        cost_text(statement));
  }
  return fmt::format(
      "{}. Whatever somebody concludes from the result, and whatever else they know, would have "
      "been at most {:.3g} times as likely had what is protected been different, but for a "
      "probability of delta",
      cost_text(statement), std::exp(statement.cost->epsilon));
}

std::vector<std::string> treated_as_public(const PrivacyStatement& statement) {
  std::vector<std::string> all;
  if (!statement.domain_declared) {
    all.emplace_back("the list of groups, which was taken from the data");
  }
  for (const std::string& text : statement.assumptions) all.push_back(printable(text, kLongText));
  return all;
}

std::vector<std::string> not_covered(const PrivacyStatement& statement) {
  std::vector<std::string> all;
  if (features_are_public(statement.adjacency)) {
    all.emplace_back(
        "features and labels, and what they let anybody guess about the sensitive attribute");
  } else {
    all.emplace_back("facts about the population that hold whoever is in the data");
  }
  if (statement.id_column.empty()) {
    all.emplace_back("persons with several records: each record is protected by itself");
  }
  all.emplace_back("other releases from the same data: costs add up, and a ledger keeps the sum");
  all.push_back(fmt::format("figures marked \"{}\"", ExactForHolder::kLabel));
  all.emplace_back("whoever can look into the machine that holds the data");
  return all;
}

std::string section(const std::string& title, const std::vector<std::string>& lines) {
  std::string text = title + ":\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

}  // namespace

Result<StatedRelease> charge_exact(Ledger& ledger, Adjacency adjacency, std::string_view method,
                                   Reproducibility noise) {
  DPFERMI_ASSIGN(const PrivacyEvent event, PrivacyEvent::create(adjacency, ExactRelease{}));
  const std::string purpose = fmt::format("training without noise ({})", method);
  const bool fixed_seed = noise == Reproducibility::kReproducible;
  DPFERMI_TRY(ledger.charge({purpose, event, 1, PrivacyCost{}, fixed_seed}));
  return StatedRelease{purpose, event, 1};
}

PrivacyStatement statement_of(Adjacency adjacency, const JointPlan& releases) {
  PrivacyStatement statement;
  statement.adjacency = adjacency;
  statement.cost = releases.cost;
  statement.accountant = "PLD, certified upper bound";
  statement.noise = releases.fixed_seed ? Reproducibility::kReproducible : Reproducibility::kSecret;
  for (const PlannedPart& part : releases.parts) {
    statement.releases.push_back({part.purpose, part.event, part.steps + part.spare});
  }
  return statement;
}

bool is_private(const PrivacyStatement& statement) {
  return has_guarantee(statement) && statement.noise == Reproducibility::kSecret;
}

Status check_statement(const PrivacyStatement& statement) {
  const auto bad_epsilon = [](double epsilon) { return std::isnan(epsilon) || epsilon < 0; };
  if (statement.cost && (bad_epsilon(statement.cost->epsilon) ||
                         !(statement.cost->delta >= 0 && statement.cost->delta <= 1))) {
    return failed(fmt::format(
        "a privacy statement needs epsilon >= 0 and delta in [0, 1], not {} and {}; correct them",
        statement.cost->epsilon, statement.cost->delta));
  }
  if (statement.claimed_epsilon && bad_epsilon(*statement.claimed_epsilon)) {
    return failed(
        fmt::format("the claimed epsilon must be >= 0, not {}", *statement.claimed_epsilon));
  }
  for (const StatedRelease& release : statement.releases) {
    if (release.event.adjacency() != statement.adjacency) {
      return failed(fmt::format(
          "the statement is about adjacency {}, but its release '{}' about {}; make them equal",
          to_string(statement.adjacency), printable(release.purpose),
          to_string(release.event.adjacency())));
    }
    if (has_guarantee(statement) && release.count > 0 && holds_exact_release(release.event)) {
      return failed(fmt::format(
          "the statement promises a finite epsilon, but its release '{}' has no noise; leave the "
          "promise out",
          printable(release.purpose)));
    }
  }
  return {};
}

std::string describe(const PrivacyStatement& statement) {
  std::string text = fmt::format("Protected: {}.\n", protected_text(statement));
  text += fmt::format("Guarantee: {}.\n", guarantee_text(statement));
  if (statement.claimed_epsilon) {
    text += fmt::format(
        "Claimed: the theorem behind this method promises epsilon = {:.6g} for the same run; only "
        "what is certified above should be relied on.\n",
        *statement.claimed_epsilon);
  }
  std::vector<std::string> releases;
  for (const StatedRelease& release : statement.releases) {
    releases.push_back(fmt::format("{} x {}: {}", with_thousands(release.count),
                                   printable(release.purpose), describe(release.event)));
  }
  if (releases.empty()) releases.emplace_back("nothing with noise");
  text += section("Released", releases);
  if (const auto assumed = treated_as_public(statement); !assumed.empty()) {
    text += section("Treated as public", assumed);
  }
  if (has_guarantee(statement)) text += section("Not covered", not_covered(statement));
  return text;
}

}  // namespace dpfermi
