#include "workflow/verification.h"

#include <fmt/format.h>

#include <filesystem>

#include "artifact/model_file.h"
#include "artifact/signature.h"
#include "artifact/sketch_file.h"
#include "core/file.h"
#include "core/text.h"
#include "privacy/accountant/stated_cost.h"
#include "privacy/ledger/signing_key.h"

namespace dpfermi {
namespace {

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

Result<PrivacyEvent> all_releases(const PrivacyStatement& statement) {
  Composition all;
  for (const StatedRelease& release : statement.releases) {
    all.parts.push_back(release.event.times(release.count));
  }
  return PrivacyEvent::create(statement.adjacency, all);
}

Result<double> recompute_epsilon(const PrivacyStatement& statement) {
  if (!statement.cost || statement.releases.empty()) return 0.0;
  DPFERMI_ASSIGN(const PrivacyEvent whole, all_releases(statement));
  const PrivacyCost& stated = *statement.cost;
  DPFERMI_ASSIGN(const StatedCost cost, check_stated_cost(whole, stated.epsilon, stated.delta));
  if (!cost.covers) {
    return failed(fmt::format(
        "the statement promises epsilon {:.6g} at delta {:.3g}, but the releases that it lists "
        "cost {:.6g}",
        stated.epsilon, stated.delta, cost.epsilon));
  }
  return cost.epsilon;
}

Result<LedgerPlace> recorded_place(const std::string& path, const PrivacyStatement& statement) {
  if (statement.recorded) return *statement.recorded;
  return failed(fmt::format(
      "{}: names no ledger: research, made by an older dpfermi, or nothing protected was read",
      printable(path)));
}

Result<RunState> recorded_run(const LedgerFile& ledger, const LedgerPlace& place) {
  DPFERMI_TRY(ledger.check_contains(place.head));
  return ledger.run(place.run_id);
}

Result<Verified> verify_file(const VerificationRequest& request) {
  Verified found;
  DPFERMI_ASSIGN(const std::optional<std::string> key, trusted_key(request.key));
  std::error_code error;
  if (key || std::filesystem::exists(signature_path(request.file), error)) {
    DPFERMI_ASSIGN(found.signer, verify_signature(request.file, key));
  }
  if (found.signer && !has_statement(request.file)) return found;
  DPFERMI_ASSIGN(found.statement, read_statement(request.file));
  const auto epsilon = recompute_epsilon(*found.statement);
  if (!epsilon) {
    return failed(fmt::format("{}: {}", printable(request.file), epsilon.error().message));
  }
  found.epsilon = *epsilon;
  if (request.ledger.empty()) return found;
  DPFERMI_ASSIGN(const LedgerPlace place, recorded_place(request.file, *found.statement));
  DPFERMI_ASSIGN(const LedgerFile ledger, LedgerFile::open(request.ledger));
  DPFERMI_ASSIGN(found.run, recorded_run(ledger, place));
  return found;
}

}  // namespace dpfermi
