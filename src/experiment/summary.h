#pragma once

/// What a sweep says: curves, errors at matched violation, who dominates whom, which epsilon
/// suffices for a trade-off, and how close a re-creation is to what was published. As Markdown for
/// people and documents, as JSON for machines.

#include <string>
#include <vector>

#include "experiment/comparison.h"
#include "experiment/public_figures.h"
#include "experiment/run_store.h"

namespace dpfermi {

/// Two curves of one panel. Either side may be a published one.
struct NamedComparison {
  Curve first, second;
  Comparison test;   ///< at matched violation of test rows
  Comparison train;  ///< at matched violation of training rows
};

/// The least epsilon at which a method is nowhere worse than a reference curve.
struct EpsilonNeeded {
  std::string method;
  Curve reference;
  std::optional<double> test, train;  ///< nothing: none of the sweep's
};

struct PanelSummary {
  Panel panel;
  /// Private curves against those of other methods at the same epsilon, against those without
  /// privacy and against what was published; curves without privacy against each other.
  std::vector<NamedComparison> comparisons;
  std::vector<EpsilonNeeded> epsilons;
};

/// What a private method was asked for and what it states.
struct ClaimedAndCertified {
  std::string method;
  double asked = 0;               ///< epsilon of the sweep
  double certified = 0;           ///< the largest of all runs; infinite where one promises nothing
  std::optional<double> claimed;  ///< by its authors' accounting of the same noise, the least
  bool given_shares = false;      ///< `certified` would hold if exact group shares were public
};

struct Summary {
  SweepDescription description;
  bool complete = false;
  std::size_t runs = 0;
  std::vector<PanelSummary> panels;
  std::vector<ClaimedAndCertified> claims;
  std::vector<PublicPanel> errors;  ///< what may be shown to anyone
};

Summary summarize(const SweepResults& results);

enum class SummaryTable {
  kOverview,    ///< the least error of every method at the usual gaps, then kDominance
  kCurves,      ///< every model: error and violation, mean and standard error over splits
  kMatched,     ///< error at given violations, curve by curve
  kDominance,   ///< verdicts and mean differences, by panel and epsilon
  kEpsilon,     ///< which epsilon suffices
  kPublished,   ///< the re-created published objective beside the published means
  kRivals,      ///< who dominates whom, panel by panel: one method against every other
  kLiterature,  ///< baselines beside what others published for them, at the same violation
  kClaims,      ///< epsilon as certified and as claimed
  kFreeLine,    ///< every model beside the free line and the constant; seconds
  kCovered,     ///< every model of a private baseline, and which of ours is as good in both figures
  kErrors,      ///< every model: errors that are public, violations as they were released
};
/// "overview", "curves", "matched", "dominance", "epsilon", "published", "rivals", "literature",
/// "claims", "free-line", "covered", "errors".
Result<SummaryTable> parse_summary_table(std::string_view text);

/// Whether a table holds exact figures of groups, or follows from them.
bool is_exact(SummaryTable table);

/// Which rows of kOverview, kDominance, kEpsilon, kRivals, kFreeLine and kCovered are wanted;
/// empty: all.
struct SummaryFilter {
  std::string method;
  std::string against;  ///< another method, or "published" for the paper's means
};
/// Empty where there is nothing to compare.
std::string to_markdown(const Summary& summary, SummaryTable table, ViolationOf rows,
                        const SummaryFilter& filter = {});
std::string to_json(const Summary& summary);

}  // namespace dpfermi
