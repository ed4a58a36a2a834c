// dpfermi dossier: what a data-protection officer needs to know about a model, in a folder.

#include "report/dossier.h"

#include <fmt/format.h>

#include <filesystem>

#include "artifact/signature.h"
#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "privacy/ledger/signing_key.h"
#include "report/print_pdf.h"
#include "workflow/output_file.h"
#include "workflow/verification.h"

namespace dpfermi::cli {
namespace {

struct DossierFlags {
  std::string model;
  std::optional<std::string> ledger;
  std::string out;
  std::string purpose;

  std::string file(const char* name) const { return (std::filesystem::path(out) / name).string(); }
  std::string page() const { return file("dossier.html"); }
  std::string pdf() const { return file("dossier.pdf"); }
  std::string record() const { return file("registry.json"); }
  std::string releases() const { return file("releases.json"); }
  std::vector<std::string> all() const { return {page(), pdf(), record(), releases()}; }
};

/// Commands that work where the dossier was made.
std::vector<DossierFact> checks(const DossierFlags& flags, const std::string& ledger,
                                const DossierMaterial& material) {
  const std::string model = shell_word(flags.model);
  const std::string where = shell_word(ledger);
  std::vector<DossierFact> all = {
      {"Is the file whole, does the stated epsilon follow from the listed releases, and was no "
       "more "
       "charged to the ledger?",
       {"model: privacy"},
       fmt::format("dpfermi verify {} --ledger {}", model, where)},
      {"Was the ledger altered, and does it still hold this model's run?",
       {"model: privacy.recorded"},
       fmt::format("dpfermi ledger --ledger {} verify --model {}", where, model)},
      {"Does the ledger still contain what this dossier saw?",
       {"ledger: its head"},
       fmt::format("dpfermi ledger --ledger {} verify --head {}", where, to_string(material.head))},
      {"What does the model promise, in its own card?",
       {"model: the whole file"},
       fmt::format("dpfermi inspect {}", model)}};
  const PrivacyStatement& statement = material.model.privacy;
  if (is_private(statement) && !statement.releases.empty()) {
    all.push_back({"What do the listed releases cost?",
                   {"model: privacy.releases"},
                   fmt::format("dpfermi account --event {} --delta {}",
                               shell_word(flags.releases()), shortest(statement.cost->delta))});
  }
  if (ledger::has_signing_key(ledger)) {
    all.push_back(
        {"Is this dossier as it was signed? Add --key and the key that its sender "
         "published.",
         {"ledger: its signing key"},
         fmt::format("dpfermi verify {}", shell_word(flags.page()))});
  }
  return all;
}

/// What an earlier dossier left in the folder must not pass for a part of this one.
Status remove_earlier(const DossierFlags& flags) {
  for (const std::string& file : flags.all()) {
    for (const auto& old : {std::filesystem::path(file), signature_path(file)}) {
      std::error_code error;
      std::filesystem::remove(old, error);
      if (error) {
        return failed(fmt::format("{}: an earlier one cannot be removed ({}); remove it",
                                  printable(old.string(), SIZE_MAX), error.message()));
      }
    }
  }
  return {};
}

/// Makes the folder and clears it of what this command writes.
Status prepare_folder(const DossierFlags& flags, const std::string& ledger) {
  std::error_code error;
  std::filesystem::create_directories(flags.out, error);
  if (error || !std::filesystem::is_directory(flags.out)) {
    return usage_error(
        fmt::format("{}: cannot be made a folder; name another with --out", printable(flags.out)));
  }
  const std::vector<std::string> inputs{flags.model, ledger};
  for (const std::string& file : flags.all()) DPFERMI_TRY(check_writable(file, "out", inputs));
  return remove_earlier(flags);
}

Result<std::vector<std::string>> write_files(const Context& context, const DossierFlags& flags,
                                             const DossierMaterial& material) {
  std::vector<std::string> files{flags.page(), flags.record()};
  DPFERMI_ASSIGN(const std::string page, dossier_page(material));
  DPFERMI_TRY(write_file_atomically(flags.page(), page));
  DPFERMI_TRY(write_file_atomically(flags.record(), registry_record(material)));
  const PrivacyStatement& statement = material.model.privacy;
  if (is_private(statement) && !statement.releases.empty()) {
    DPFERMI_ASSIGN(const PrivacyEvent all, costliest_releases(statement));
    DPFERMI_TRY(write_file_atomically(flags.releases(), to_json(all) + "\n"));
    files.push_back(flags.releases());
  }
  const Status printed = print_pdf(flags.page(), flags.pdf());
  if (printed) {
    files.push_back(flags.pdf());
  } else {
    context.note("no PDF: " + printed.error().message);
  }
  return files;
}

Status dossier(const Context& context, const DossierFlags& flags) {
  DPFERMI_ASSIGN(const auto path, ledger_path(flags.ledger));
  DPFERMI_ASSIGN(const LedgerFile ledger, LedgerFile::open(path));
  DPFERMI_ASSIGN(DossierMaterial material, gather_dossier(flags.model, ledger, flags.purpose));
  DPFERMI_TRY(prepare_folder(flags, path.string()));
  material.checks = checks(flags, path.string(), material);
  DPFERMI_ASSIGN(const std::vector<std::string> files, write_files(context, flags, material));
  const bool sign = ledger::has_signing_key(path);
  Json json = {{"signed", sign}, {"files", Json::array()}};
  for (const std::string& file : files) {
    if (sign) DPFERMI_TRY(sign_file(file, path));
    json["files"].push_back(printable(file, SIZE_MAX));
    if (!context.json) Context::print(printable(file, SIZE_MAX) + (sign ? ", signed\n" : "\n"));
  }
  if (context.json) Context::print(json_text(json) + "\n");
  return {};
}

}  // namespace

void add_dossier(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<DossierFlags>(
      app, context, "dossier",
      "Write what a data-protection officer needs to know about a model: a page, a PDF "
      "and a record for the deployments registry",
      "  dpfermi dossier --model people.model --ledger people.db --out dossier "
      "--purpose 'to correct for bias in lending'",
      dossier);
  verb->add_option("--model", flags->model, "The model file")->required()->type_name("FILE");
  verb->add_option("--ledger", flags->ledger, "The ledger that its run was charged to");
  verb->add_option("--out", flags->out, "The folder")->required()->type_name("FOLDER");
  verb->add_option("--purpose", flags->purpose,
                   "Why the protected attribute was read, in your words; by default not stated");
}

}  // namespace dpfermi::cli
