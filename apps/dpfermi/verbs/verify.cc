// dpfermi verify: what a recipient can check of a file: that it is whole, who signed it, that its
// statement adds up, and that a ledger knows its run.

#include "cli.h"
#include "print/verification_report.h"

namespace dpfermi::cli {
namespace {

Status verify(const Context& context, const VerificationRequest& request) {
  DPFERMI_ASSIGN(const Verified found, verify_file(request));
  Context::print(context.json ? to_json(found, request) : to_text(found, request));
  return {};
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<VerificationRequest>(
      app, context, "verify",
      "Check a model, sketch or dossier: its signature, the arithmetic of its statement, "
      "its ledger",
      "  dpfermi verify people.model --key 3b6a27bc...\n"
      "  dpfermi verify people.model --key sender.pub --ledger ledger.db --json",
      verify);
  verb->add_option("file", flags->file,
                   "The model, sketch or any signed file; its signature is FILE.sig")
      ->required()
      ->type_name("FILE");
  verb->add_option(
      "--key", flags->key,
      "The public key that is trusted, or a file that holds it; FILE.sig must be there");
  verb->add_option(
      "--ledger", flags->ledger,
      "A ledger that must contain the runs and heads that the file names, charged for no "
      "more than it states");
}

}  // namespace dpfermi::cli
