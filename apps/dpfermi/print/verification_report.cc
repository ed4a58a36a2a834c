#include "print/verification_report.h"

#include <fmt/format.h>

#include "core/text.h"
#include "privacy/json_fields.h"

namespace dpfermi::cli {
namespace {

std::string promise_text(const Verified& found) {
  if (!found.statement) return "none: the file is neither a model nor a sketch";
  if (!is_private(*found.statement)) return "it promises nothing: see its card";
  if (found.statement->releases.empty()) return "nothing protected was read";
  const PrivacyCost& stated = *found.statement->cost;
  constexpr int kDigits = 6;  // as on pages
  const std::size_t parts = declared_parts(*found.statement);
  return fmt::format("epsilon {} at delta {} is stated, {} recomputed from the releases it lists{}",
                     rounded_up(stated.epsilon, kDigits), rounded_up(stated.delta),
                     rounded_up(found.epsilon, kDigits),
                     parts == 0 ? ""
                                : fmt::format(", in the costliest of {} parts that were declared "
                                              "to share no person",
                                              parts));
}

}  // namespace

std::string to_text(const Verified& found, const VerificationRequest& request) {
  std::string text =
      fmt::format("file        whole\nsignature   {}\nstatement   {}\n",
                  found.signer ? fmt::format("by {}{}", *found.signer,
                                             request.key.empty() ? "; compare it with the key "
                                                                   "that its sender published"
                                                                 : ", the trusted key")
                               : "none",
                  promise_text(found));
  for (const RunState& run : found.runs) {
    text +=
        fmt::format("ledger      run {} of budget '{}', charged there for what the file lists\n",
                    run.id, printable(run.budget));
  }
  return text + "This checks signatures and arithmetic, not what was run.\n";
}

std::string to_json(const Verified& found, const VerificationRequest& request) {
  Json json = {{"file", printable(request.file, SIZE_MAX)}, {"ok", true}};
  json["signed_by"] = found.signer ? Json(*found.signer) : Json(nullptr);
  json["key_trusted"] = !request.key.empty();
  if (found.statement) json["private"] = is_private(*found.statement);
  if (found.statement && found.statement->cost) {
    json["epsilon"] = {{"stated", found.statement->cost->epsilon},
                       {"recomputed", found.epsilon},
                       {"delta", found.statement->cost->delta}};
    if (const std::size_t parts = declared_parts(*found.statement); parts > 0) {
      json["declared_parts"] = parts;
    }
  }
  if (!found.runs.empty()) {
    json["run"] = {{"id", found.runs.front().id}, {"budget", found.runs.front().budget}};
  }
  return json_text(json) + "\n";
}

}  // namespace dpfermi::cli
