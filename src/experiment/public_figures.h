#pragma once

/// What may be shown of a sweep that a ledger counts: figures that follow from public columns and
/// from private releases. Choosing a run by them is covered by what was charged; choosing by exact
/// violations or rates of groups is not.

#include <optional>
#include <string>
#include <vector>

#include "experiment/frontier.h"
#include "experiment/run_store.h"

namespace dpfermi {

/// A method at one epsilon and one lambda or target.
struct PublicModel {
  std::string curve;   ///< "dp-fermi, epsilon 1"
  std::string weight;  ///< "target 0.05", or the lambda
  std::size_t runs = 0;
  std::optional<double>
      epsilon;  ///< certified, the largest of the runs; nothing: one promises none
  std::optional<Estimate> error, train_error;  ///< nothing: they depend on what is protected
  std::optional<Estimate> released;            ///< violation on training rows, with its noise
  std::size_t met = 0;                         ///< runs whose released figures meet the target
};

struct PublicPanel {
  std::string name;
  std::vector<PublicModel> models;
};

/// Whether errors and released figures of a run follow from public columns and private releases:
/// features and labels are public, the model is private or never saw the protected attribute, and
/// its decisions do not ask for it.
bool may_be_shown(const RunRecord& run);

/// In the order of the records.
std::vector<PublicPanel> public_panels(const std::vector<RunRecord>& runs);

/// Titles and cells of the tables: Markdown and pages show the same.
const std::vector<std::string>& public_titles();
std::vector<std::string> public_cells(const PublicModel& model);

std::string public_markdown(const std::vector<PublicPanel>& panels);
/// Without digests of tables, which tell about protected columns.
std::string public_json(const SweepResults& results);

}  // namespace dpfermi
