#pragma once

/// The figures of the paper as grids, and the means that its authors published for them.

#include <optional>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "experiment/grid.h"

namespace dpfermi {

/// "adult-dp", "adult-eo", ...: one for each data set and notion of the paper's figures on tables.
std::vector<std::string> figure_names();

/// The grid of tables that no rule was tuned on, which is not a figure of the paper.
inline constexpr const char* kUnseen = "unseen";

/// The grid of boosted trees and their repair (docs/repair.md), which is none either.
inline constexpr const char* kRepair = "repair";

/// The figures but those two.
std::vector<std::string> paper_figures();

/// The grid of a figure, of several ("adult-dp,adult-eo") or of all of them ("all"): every method,
/// both protocols.
Result<Grid> figure_grid(const std::string& names);

/// Leaves out the runs of the other protocol.
void keep_protocol(Grid& grid, Protocol protocol);

/// Adds, for every data set and notion of the grid under the honest protocol, all baselines of the
/// registry that know the notion and that the grid does not hold yet.
void add_baselines(Grid& grid);

/// One published point: means over the authors' runs, on their files and split. Their error bands
/// are no sample intervals and are not kept.
struct PublishedPoint {
  static constexpr std::string_view kPapers = "dp-fermi";  ///< what the paper calls its method

  std::string dataset;
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  std::string method;             ///< kPapers and the baselines of the paper
  std::optional<double> epsilon;  ///< as claimed; nothing: not private
  std::optional<double> lambda;   ///< nothing where none was given
  double error = 0;
  double violation = 0;
};
const std::vector<PublishedPoint>& published_points();

}  // namespace dpfermi
