#include "dpfermi/privacy/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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

}  // namespace

std::string describe_protected(const PrivacyStatement& statement) {
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

namespace {

std::string cost_text(const PrivacyCost& cost, const std::string& accountant) {
  return fmt::format("epsilon = {}, delta = {} ({})", rounded_up(cost.epsilon),
                     rounded_up(cost.delta), printable(accountant, kLongText));
}

/// What (epsilon, delta) means, as one sentence without its full stop.
std::string meaning(const PrivacyStatement& statement) {
  const char* unit = statement.id_column.empty() ? "record" : "person";
  const PrivacyCost& cost = *statement.cost;
  if (cost.epsilon == 0 && cost.delta == 0) {
    return fmt::format("The result does not depend on the sensitive attribute of any {}", unit);
  }
  std::string change;
  switch (statement.adjacency) {
    case Adjacency::kSensitive:
      change = fmt::format("Changing the sensitive attribute of one {}", unit);
      break;
    case Adjacency::kReplaceRecord:
      change = fmt::format("Replacing one {} by any other", unit);
      break;
    case Adjacency::kAddRemoveRecord:
      change = fmt::format("Adding or removing one {}", unit);
      break;
  }
  return fmt::format(
      "{} changes the probability of any outcome by at most a factor of {}, except with "
      "probability delta",
      change, rounded_up(std::exp(cost.epsilon), 3));
}

}  // namespace

std::string describe_guarantee(const PrivacyStatement& statement) {
  if (statement.cost_given_shares) {
    return fmt::format(
        "none, because exact shares of groups were used{}. If the shares were public, {}would give "
        "{}",
        statement.noise == Reproducibility::kSecret ? "" : " and the noise came from a known seed",
        statement.noise == Reproducibility::kSecret ? "the noise " : "secret noise ",
        cost_text(*statement.cost_given_shares, statement.accountant));
  }
  if (!has_guarantee(statement)) {
    return "none. The model may reveal anything about its data: treat it as you treat the data";
  }
  if (statement.noise != Reproducibility::kSecret) {
    return fmt::format(
        "none, because the noise came from a known seed and can be subtracted. Secret noise would "
        "give {}",
        cost_text(*statement.cost, statement.accountant));
  }
  return fmt::format("{}. {}", cost_text(*statement.cost, statement.accountant),
                     meaning(statement));
}

std::vector<NotCovered> not_covered(const PrivacyStatement& statement) {
  std::vector<NotCovered> all;
  if (features_are_public(statement.adjacency)) {
    all.push_back(
        {"features and labels, and what can be guessed from them about the sensitive attribute",
         "adjacency"});
  } else {
    all.push_back({"facts about the population that do not depend on any one record", "adjacency"});
  }
  if (declared_parts(statement) > 0) {
    all.push_back(
        {"people in several of the parts that were declared to share no person", "releases"});
  }
  if (statement.id_column.empty()) {
    all.push_back({"persons with several records: each record is protected on its own", "unit"});
  }
  all.push_back(
      {"other releases from the same data: costs add up, and a ledger keeps the sum", ""});
  all.push_back({fmt::format("figures marked \"{}\"", ExactForHolder::kLabel), ""});
  all.push_back({"people who can look into the machine that holds the data", ""});
  return all;
}

namespace {

std::set<std::uint64_t> parts_of(const PrivacyStatement& statement) {
  std::set<std::uint64_t> parts;
  for (const StatedRelease& release : statement.releases) {
    if (release.part > 0) parts.insert(release.part);
  }
  return parts;
}

std::string section(const std::string& title, const std::vector<std::string>& lines) {
  std::string text = title + ":\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

}  // namespace

Result<ExactCharge> charge_exact(Ledger& ledger, Adjacency adjacency, std::string purpose,
                                 Reproducibility noise) {
  DPFERMI_ASSIGN(const PrivacyEvent event, PrivacyEvent::create(adjacency, ExactRelease{}));
  const bool fixed_seed = noise == Reproducibility::kReproducible;
  DPFERMI_TRY(ledger.charge({purpose, event, 1, PrivacyCost{}, fixed_seed}));
  return ExactCharge{{std::move(purpose), event, 1}, ExactRead()};
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

std::vector<std::string> treated_as_public(const PrivacyStatement& statement) {
  std::vector<std::string> all = statement.assumptions;
  if (!statement.domain_declared) {
    all.insert(all.begin(), "the list of groups, which was read from the data");
  }
  return all;
}

std::string_view headline_reservation(const PrivacyStatement& statement) {
  return statement.domain_declared
             ? ""
             : "; the list of groups was read from the data and is treated as public";
}

std::string_view why_not_private(const PrivacyStatement& statement) {
  if (is_private(statement)) return "";
  if (statement.cost_given_shares) return "exact shares of groups were used as if they were public";
  if (has_guarantee(statement)) return "the noise came from a known seed";
  return holds_exact_release(statement) ? "protected data were used without noise" : "";
}

bool holds_exact_release(const PrivacyStatement& statement) {
  return std::ranges::any_of(statement.releases, [](const StatedRelease& release) {
    return release.count > 0 && holds_exact_release(release.event);
  });
}

std::size_t declared_parts(const PrivacyStatement& statement) {
  return parts_of(statement).size();
}

Result<std::vector<PrivacyEvent>> releases_about_one(const PrivacyStatement& statement) {
  std::set<std::uint64_t> parts = parts_of(statement);
  if (parts.empty()) parts.insert(0);
  std::vector<PrivacyEvent> all;
  for (const std::uint64_t part : parts) {
    Composition about_one;
    for (const StatedRelease& release : statement.releases) {
      if (release.part == 0 || release.part == part) {
        about_one.parts.push_back(release.event.times(release.count));
      }
    }
    DPFERMI_ASSIGN(PrivacyEvent event, PrivacyEvent::create(statement.adjacency, about_one));
    all.push_back(std::move(event));
  }
  return all;
}

Status check_statement(const PrivacyStatement& statement) {
  const auto bad_epsilon = [](double epsilon) { return std::isnan(epsilon) || epsilon < 0; };
  for (const std::optional<PrivacyCost>& cost : {statement.cost, statement.cost_given_shares}) {
    if (!cost || (!bad_epsilon(cost->epsilon) && cost->delta >= 0 && cost->delta <= 1)) continue;
    return failed(fmt::format(
        "a privacy statement needs epsilon >= 0 and delta in [0, 1], not {} and {}; correct them",
        cost->epsilon, cost->delta));
  }
  if (has_guarantee(statement) && statement.cost_given_shares) {
    return failed("what holds if shares are public is not a promise beside another; leave one out");
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
    if (release.part > 0 && !features_are_public(statement.adjacency)) {
      return failed(fmt::format(
          "the release '{}' is about a part of the people, and under {} nobody may know who is in "
          "it; leave the parts out",
          printable(release.purpose), to_string(statement.adjacency)));
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
  std::string text = fmt::format("Protected: {}.\n", describe_protected(statement));
  text += fmt::format("Guarantee: {}.\n", describe_guarantee(statement));
  if (statement.claimed_epsilon) {
    text += fmt::format(
        "Claimed: the theorem behind this method promises epsilon = {} for the same run; rely only "
        "on what is certified above.\n",
        rounded_up(*statement.claimed_epsilon));
  }
  std::vector<std::string> releases;
  for (const StatedRelease& release : statement.releases) {
    releases.push_back(fmt::format("{} x {}: {}", with_thousands(release.count),
                                   printable(release.purpose), describe(release.event)));
  }
  if (releases.empty()) releases.emplace_back("nothing with noise");
  text += section("Released", releases);
  if (auto assumed = treated_as_public(statement); !assumed.empty()) {
    for (std::string& phrase : assumed) phrase = printable(phrase, kLongText);
    text += section("Treated as public", assumed);
  }
  std::vector<std::string> uncovered;
  for (NotCovered& each : not_covered(statement)) uncovered.push_back(std::move(each.phrase));
  if (has_guarantee(statement)) text += section("Not covered", uncovered);
  return text;
}

std::string describe_record(const PrivacyStatement& statement) {
  if (!statement.recorded) return "";
  const std::string before = statement.recorded_before
                                 ? fmt::format("; the model that it repairs: run {}",
                                               printable(statement.recorded_before->run_id))
                                 : "";
  return fmt::format("Recorded: run {}, ledger head {}{}.\n", printable(statement.recorded->run_id),
                     printable(to_string(statement.recorded->head), kLongText), before);
}

}  // namespace dpfermi
