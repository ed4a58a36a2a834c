#include "dpfermi/privacy/ledger.h"

#include <fmt/format.h>

#include <limits>

#include "core/mutant.h"
#include "core/text.h"

namespace dpfermi {

Status ReleasePermit::check() const {
  if (!guard_.in_same_process()) {
    return budget_refused(
        "the permit was granted before the process forked and belongs to the parent; charge in "
        "the process that releases");
  }
  if (remaining_ == 0) {
    return budget_refused(fmt::format(
        "every planned release of {} has been made; plan more before the run", describe(event_)));
  }
  return {};
}

Status ReleasePermit::consume() {
  DPFERMI_TRY(check());
  --remaining_;
  return {};
}

Status ReleasePermit::check_noise(Reproducibility noise) const {
  if (noise == reproducibility_) return {};
  return usage_error(
      fmt::format("the ledger was charged for noise that is {}, but this noise is {}; charge what "
                  "is released",
                  to_string(reproducibility_), to_string(noise)));
}

Status ReleasePermit::check_tap(Invented data) const {
  const Invented needed =
      features_are_public(event_.adjacency()) ? Invented::kGroups : Invented::kRecords;
  if (tap_ == nullptr || data >= needed) return {};
  return usage_error(
      "releases that an auditor watches take synthetic data only; rehearse on synthetic values");
}

std::string to_string(const LedgerHead& head) {
  return fmt::format("{}:{}", head.sequence, head.hash);
}

Result<LedgerHead> parse_head(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::optional<double> sequence = parse_number(text.substr(0, colon));
  if (colon == std::string::npos || !sequence || *sequence < 1 || *sequence > 1e15) {
    return usage_error(
        fmt::format("'{}' is not NUMBER:HASH; copy it from a privacy statement or from 'dpfermi "
                    "ledger verify'",
                    printable(text)));
  }
  return LedgerHead{static_cast<std::uint64_t>(*sequence), text.substr(colon + 1)};
}

Result<ReleasePermit> Ledger::charge(const Charge& charge) {
  DPFERMI_TRY(record(charge));
  return grant(charge.event, charge.count, charge.fixed_seed, tap());
}

Result<PrivacyEvent> whole_event(const std::vector<PlannedPart>& parts) {
  if (parts.empty()) return usage_error("the plan has no parts; say what will be released");
  Composition whole;
  for (const PlannedPart& part : parts) {
    if (part.spare > std::numeric_limits<std::uint64_t>::max() - part.steps) {
      return usage_error("the number of planned and spare steps overflows; plan fewer");
    }
    const std::uint64_t hidden = mutant(Mutant::kFewerStepsPriced) ? part.steps / 2 : 0;
    whole.parts.push_back(part.event.times(part.steps + part.spare - hidden));
  }
  if (whole.parts.size() == 1) return std::move(whole.parts.front());
  const Adjacency adjacency = whole.parts.front().adjacency();
  return PrivacyEvent::create(adjacency, std::move(whole));
}

}  // namespace dpfermi
