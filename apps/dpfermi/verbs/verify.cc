// dpfermi verify: what a recipient can check of a file: that it is whole, who signed it, that its
// statement adds up, and that a ledger knows its run.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "artifact/signature.h"
#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "privacy/json_fields.h"
#include "privacy/ledger/signing_key.h"
#include "workflow/verification.h"

namespace dpfermi::cli {
namespace {

struct VerifyFlags {
  std::string file;
  std::string key;
  std::string ledger;
};

/// A key as it is written on the command line, or the first line of a file that holds one.
Result<std::optional<std::string>> trusted_key(const std::string& given) {
  if (given.empty()) return std::optional<std::string>();
  std::string key = given;
  if (std::error_code error; std::filesystem::is_regular_file(given, error)) {
    DPFERMI_ASSIGN(const std::string text, read_text_file(given));
    key = std::string(trim(std::string_view(text).substr(0, text.find('\n'))));
  }
  const bool hex = key.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (key.size() == ledger::kPublicKeyDigits && hex) return std::optional(key);
  return usage_error(fmt::format(
      "--key takes a public key of {} digits 0-9a-f, or a file with one, as 'dpfermi ledger key' "
      "prints it",
      ledger::kPublicKeyDigits));
}

struct Verified {
  std::optional<std::string> signer;
  std::optional<PrivacyStatement> statement;  ///< nothing: neither model nor sketch
  double epsilon = 0;
  std::optional<RunState> run;
};

Result<Verified> check_file(const VerifyFlags& flags) {
  Verified found;
  DPFERMI_ASSIGN(const std::optional<std::string> key, trusted_key(flags.key));
  std::error_code error;
  if (key || std::filesystem::exists(signature_path(flags.file), error)) {
    DPFERMI_ASSIGN(found.signer, verify_signature(flags.file, key));
  }
  // Of dossiers and exports the signature is all there is to check.
  if (found.signer && !has_statement(flags.file)) return found;
  DPFERMI_ASSIGN(found.statement, read_statement(flags.file));
  const auto epsilon = recompute_epsilon(*found.statement);
  if (!epsilon) {
    return failed(fmt::format("{}: {}", printable(flags.file), epsilon.error().message));
  }
  found.epsilon = *epsilon;
  if (flags.ledger.empty()) return found;
  DPFERMI_ASSIGN(const LedgerPlace place, recorded_place(flags.file, *found.statement));
  DPFERMI_ASSIGN(const LedgerFile ledger, LedgerFile::open(flags.ledger));
  DPFERMI_ASSIGN(found.run, recorded_run(ledger, place));
  return found;
}

std::string promise_text(const Verified& found) {
  if (!found.statement) return "none: the file is neither a model nor a sketch";
  if (!is_private(*found.statement)) return "it promises nothing: see its card";
  if (found.statement->releases.empty()) return "nothing protected was read";
  return fmt::format(
      "epsilon {:.6g} at delta {:.3g} is stated, {:.6g} recomputed from the releases it lists",
      found.statement->cost->epsilon, found.statement->cost->delta, found.epsilon);
}

void print_verified(const Context& context, const VerifyFlags& flags, const Verified& found) {
  if (context.json) {
    Json json = {{"file", printable(flags.file, SIZE_MAX)}, {"ok", true}};
    json["signed_by"] = found.signer ? Json(*found.signer) : Json(nullptr);
    json["key_trusted"] = !flags.key.empty();
    if (found.statement) json["private"] = is_private(*found.statement);
    if (found.statement && found.statement->cost) {
      json["epsilon"] = {{"stated", found.statement->cost->epsilon},
                         {"recomputed", found.epsilon},
                         {"delta", found.statement->cost->delta}};
    }
    if (found.run) json["run"] = {{"id", found.run->id}, {"budget", found.run->budget}};
    Context::print(json_text(json) + "\n");
    return;
  }
  std::string text =
      fmt::format("file        whole\nsignature   {}\nstatement   {}\n",
                  found.signer ? fmt::format("by {}{}", *found.signer,
                                             flags.key.empty() ? "; compare it with the key "
                                                                 "that its sender published"
                                                               : ", the trusted key")
                               : "none",
                  promise_text(found));
  if (found.run) {
    text += fmt::format("ledger      run {} of budget '{}', charged there\n", found.run->id,
                        printable(found.run->budget));
  }
  Context::print(text + "This checks signatures and arithmetic, not what was run.\n");
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<VerifyFlags>();
  CLI::App* verb =
      add_verb(app, context, "verify",
               "Check a model, sketch or dossier: its signature, the arithmetic of its statement, "
               "its ledger",
               "  dpfermi verify people.model --key 3b6a27bc...\n"
               "  dpfermi verify people.model --key sender.pub --ledger ledger.db --json",
               [&context, flags]() -> Status {
                 DPFERMI_ASSIGN(const Verified found, check_file(*flags));
                 print_verified(context, *flags, found);
                 return {};
               });
  verb->add_option("file", flags->file,
                   "The model, sketch or any signed file; its signature is FILE.sig")
      ->required()
      ->type_name("FILE");
  verb->add_option(
      "--key", flags->key,
      "The public key that is trusted, or a file that holds it; FILE.sig must be there");
  verb->add_option("--ledger", flags->ledger,
                   "A ledger that must contain the run and the head that the file names");
}

}  // namespace dpfermi::cli
