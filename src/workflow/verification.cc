#include "workflow/verification.h"

#include <fmt/format.h>

#include <algorithm>

#include "artifact/model_file.h"
#include "artifact/sketch_file.h"
#include "core/text.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"

namespace dpfermi {

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
  constexpr double kTolerance = 1e-4;  // as prices are computed
  DPFERMI_ASSIGN(const PrivacyEvent whole, all_releases(statement));
  DPFERMI_ASSIGN(const CertifiedBound bound,
                 certified_epsilon(whole, statement.cost->delta, {.tolerance = kTolerance}));
  const double stated = statement.cost->epsilon;
  if (stated < bound.upper - 2 * kTolerance * std::max(1.0, bound.upper)) {
    return failed(fmt::format(
        "the statement promises epsilon {:.6g} at delta {:.3g}, but the releases that it lists "
        "cost {:.6g}",
        stated, statement.cost->delta, bound.upper));
  }
  return bound.upper;
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

}  // namespace dpfermi
