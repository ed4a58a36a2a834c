#pragma once

/// What a file for a data-protection officer needs to say about a model: what was read, when, for
/// which purpose, under which promise, what left, who may see what, what is not covered, and how to
/// check it. Every sentence names the field of the model or the entry of the ledger that it comes
/// from; nothing in it was computed from protected data.

#include <optional>
#include <string>
#include <vector>

#include "artifact/trained_model.h"
#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger/ledger_file.h"
#include "privacy/json_fields.h"

namespace dpfermi {

/// A sentence and all that it depends on. Sources are fields of the model file as `dpfermi inspect
/// --json` prints it ("model: privacy.epsilon", "model: released[0]", "model: no model.rule" where
/// the absence says it), entries of the ledger ("ledger: entry 7"), or named in words.
struct DossierFact {
  std::string text;
  std::vector<std::string> sources;
  std::string command = {};  ///< that checks it, where there is one
};

struct DossierSection {
  std::string title;
  std::vector<DossierFact> facts;
};

/// What a dossier is made from.
struct DossierMaterial {
  TrainedModel model;
  std::string digest;               ///< SHA-256 of the model file
  std::string purpose;              ///< as its holder states it; empty: not stated
  BudgetState budget;               ///< that the run spent from
  std::vector<Json> charges;        ///< all of that budget
  std::vector<Json> entries;        ///< charges and ends of the runs of this model
  LedgerHead head;                  ///< of the ledger when it was read
  std::string as_of;                ///< time of that entry
  std::vector<DossierFact> checks;  ///< commands of the program that writes the dossier
};

/// Refuses a model that names no ledger, one that `ledger` does not contain, and one whose
/// statement promises more than its releases allow. `checks` is left to the caller.
Result<DossierMaterial> gather_dossier(const std::string& model_path, const LedgerFile& ledger,
                                       const std::string& purpose);

/// The first sentence: what is protected, and how much.
DossierFact dossier_lead(const DossierMaterial& material);

std::vector<DossierSection> dossier_sections(const DossierMaterial& material);

/// One page of HTML that is read and printed without scripts.
Result<std::string> dossier_page(const DossierMaterial& material);

/// A record in the shape of the differential privacy deployments registry of OpenDP and NIST
/// (docs/dossier.md says which version). What neither model nor ledger knows is "not stated".
std::string registry_record(const DossierMaterial& material);

}  // namespace dpfermi
