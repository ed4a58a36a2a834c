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
  return fmt::format(
      "epsilon {:.6g} at delta {:.3g} is stated, {:.6g} recomputed from the releases it lists",
      found.statement->cost->epsilon, found.statement->cost->delta, found.epsilon);
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
  if (found.run) {
    text += fmt::format("ledger      run {} of budget '{}', charged there\n", found.run->id,
                        printable(found.run->budget));
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
  }
  if (found.run) json["run"] = {{"id", found.run->id}, {"budget", found.run->budget}};
  return json_text(json) + "\n";
}

}  // namespace dpfermi::cli
