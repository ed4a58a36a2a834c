#include "workflow/verification.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "artifact/model_file.h"
#include "artifact/signature.h"
#include "artifact/sketch_file.h"
#include "core/file.h"
#include "core/text.h"
#include "privacy/accountant/stated_cost.h"
#include "privacy/ledger/signing_key.h"
#include "workflow/spending.h"

namespace dpfermi {
namespace {

constexpr int kDigits = 6;  // of an epsilon in messages

/// A key as it is written down, or the first line of a file that holds one.
Result<std::optional<std::string>> trusted_key(const std::string& given) {
  if (given.empty()) return std::optional<std::string>();
  std::string key = given;
  if (std::error_code error; std::filesystem::is_regular_file(given, error)) {
    DPFERMI_ASSIGN(const std::string text, read_text_file(given));
    key = std::string(trim(std::string_view(text).substr(0, text.find('\n'))));
  }
  const bool hex = key.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (key.size() == ledger::kPublicKeyDigits && hex) return std::optional(key);
  return usage_error(fmt::format("`key` takes a public key of {} digits 0-9a-f, or a file with one",
                                 ledger::kPublicKeyDigits));
}

/// Refuses a promise that is smaller than what the ledger charged for it.
Status check_promise(const std::string& path, const PrivacyStatement& statement,
                     const std::vector<RunState>& runs) {
  if (!statement.cost) return {};
  constexpr double kDecimals = 1 + 1e-12;  // sums of a ledger are decimals, those of files binary
  PrivacyCost charged{0, 0};
  for (const RunState& run : runs) {
    for (const PlanState& charge : run.plans) {
      charged.epsilon += charge.plan.cost.epsilon;
      charged.delta += charge.plan.cost.delta;
      if (charge.plan.fixed_seed && statement.noise == Reproducibility::kSecret) {
        return failed(fmt::format(
            "{}: the statement says that the noise was secret, but run {} was charged for noise "
            "from a known seed",
            printable(path), printable(run.id)));
      }
    }
    if (run.rehearsal && !contains(statement.assumptions, Spending::kRehearsal)) {
      return failed(fmt::format(
          "{}: the statement does not say that the data are synthetic, as run {} was told",
          printable(path), printable(run.id)));
    }
  }
  const PrivacyCost& stated = *statement.cost;
  if (kDecimals * stated.epsilon >= charged.epsilon && kDecimals * stated.delta >= charged.delta) {
    return {};
  }
  return failed(fmt::format(
      "{}: the statement promises epsilon {} at delta {}, but the ledger charged epsilon {} at "
      "delta {} for it",
      printable(path), rounded_up(stated.epsilon, kDigits), rounded_up(stated.delta),
      rounded_up(charged.epsilon, kDigits), rounded_up(charged.delta)));
}

/// Refuses a list that leaves out releases that were charged.
Status check_list(const std::string& path, const PrivacyStatement& statement,
                  const std::vector<RunState>& runs) {
  std::map<std::string, std::uint64_t> listed;  // by event, whatever the purposes say
  for (const StatedRelease& release : statement.releases) {
    listed[to_json(release.event)] += release.count;
  }
  for (const RunState& run : runs) {
    for (const PlanState& charge : run.plans) {
      for (const PlannedPart& part : charge.plan.parts) {
        const std::uint64_t count = part.steps + part.spare;
        std::uint64_t& left = listed[to_json(part.event)];
        if (left < count) {
          return failed(fmt::format(
              "{}: run {} was charged for {} x {}: {}, which the statement does not list in full",
              printable(path), printable(run.id), with_thousands(count), printable(part.purpose),
              describe(part.event)));
        }
        left -= count;
      }
    }
  }
  return {};
}

struct PricedReleases {
  PrivacyEvent event;
  StatedCost cost;
};

/// Of the parts that a person may be in the one that costs most.
Result<PricedReleases> costliest_part(const PrivacyStatement& statement) {
  DPFERMI_ASSIGN(const std::vector<PrivacyEvent> all, releases_about_one(statement));
  const PrivacyCost& stated = *statement.cost;
  std::set<std::string> seen;  // many parts release the same
  std::optional<PricedReleases> worst;
  for (const PrivacyEvent& event : all) {
    if (!seen.insert(to_json(event)).second) continue;
    DPFERMI_ASSIGN(const StatedCost cost, check_stated_cost(event, stated.epsilon, stated.delta));
    if (!worst || cost.epsilon > worst->cost.epsilon) worst = PricedReleases{event, cost};
  }
  return *worst;
}

}  // namespace

bool has_statement(const std::string& path) {
  return looks_like_sketch(path) || looks_like_model(path);
}

Result<PrivacyStatement> read_statement(const std::string& path) {
  if (looks_like_sketch(path)) {
    DPFERMI_ASSIGN(StoredSketch stored, read_sketch(path));
    return std::move(stored.sketch.statement);
  }
  DPFERMI_ASSIGN(TrainedModel model, read_model(path));
  return std::move(model.privacy);
}

Result<PrivacyEvent> costliest_releases(const PrivacyStatement& statement) {
  DPFERMI_ASSIGN(PricedReleases priced, costliest_part(statement));
  return std::move(priced.event);
}

Result<double> recompute_epsilon(const std::string& path, const PrivacyStatement& statement) {
  if (!statement.cost || statement.releases.empty()) return 0.0;
  const PrivacyCost& stated = *statement.cost;
  DPFERMI_ASSIGN(const PricedReleases priced, costliest_part(statement));
  const StatedCost& cost = priced.cost;
  if (!cost.covers) {
    return failed(fmt::format(
        "{}: the statement promises epsilon {} at delta {}, but the releases that it lists cost {}",
        printable(path), rounded_up(stated.epsilon, kDigits), rounded_up(stated.delta),
        rounded_up(cost.epsilon, kDigits)));
  }
  return cost.epsilon;
}

Result<std::vector<RunState>> recorded_runs(const LedgerFile& ledger, const std::string& path,
                                            const PrivacyStatement& statement) {
  if (!statement.recorded) {
    return failed(fmt::format(
        "{}: names no ledger: research, made by an older dpfermi, or nothing protected was read",
        printable(path)));
  }
  std::vector<RunState> runs;
  for (const auto& place : {statement.recorded, statement.recorded_before}) {
    if (!place) continue;
    DPFERMI_TRY(ledger.check_contains(place->head));
    DPFERMI_ASSIGN(runs.emplace_back(), ledger.run(place->run_id));
  }
  DPFERMI_TRY(check_promise(path, statement, runs));
  DPFERMI_TRY(check_list(path, statement, runs));
  return runs;
}

Result<Verified> verify_file(const VerificationRequest& request) {
  DPFERMI_TRY(check_readable_file(request.file));
  Verified found;
  DPFERMI_ASSIGN(const std::optional<std::string> key, trusted_key(request.key));
  std::error_code error;
  if (key || std::filesystem::exists(signature_path(request.file), error)) {
    DPFERMI_ASSIGN(found.signer, verify_signature(request.file, key));
  }
  if (!has_statement(request.file)) {
    const std::string what = printable(request.file) + ": is neither a model nor a sketch";
    if (!found.signer) {
      return failed(fmt::format("{}, and there is no signature {}", what,
                                printable(signature_path(request.file).string())));
    }
    if (request.ledger.empty()) return found;
    return usage_error(what + " and names no run of a ledger; leave out `ledger`");
  }
  DPFERMI_ASSIGN(found.statement, read_statement(request.file));
  DPFERMI_ASSIGN(found.epsilon, recompute_epsilon(request.file, *found.statement));
  if (request.ledger.empty()) return found;
  DPFERMI_ASSIGN(const LedgerFile ledger, LedgerFile::open(request.ledger));
  DPFERMI_ASSIGN(found.runs, recorded_runs(ledger, request.file, *found.statement));
  return found;
}

}  // namespace dpfermi
