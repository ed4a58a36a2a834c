// dpfermi summary: what a sweep says, in tables.

#include "experiment/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "experiment/public_figures.h"
#include "experiment/trade_off_svg.h"
#include "report/report_file.h"

namespace dpfermi::cli {
namespace {

struct SummaryFlags {
  std::string folder;
  std::string table;  ///< empty: overview or, where nothing exact is shown, errors
  std::string rows = "test";
  std::string datasets, fairness, protocols;
  SummaryFilter filter;
  std::string pictures;  ///< folder for SVG files; empty: tables
  bool exact = false;
};

/// Keeps the runs that the flags name; all where they name none.
Status keep_chosen(const SummaryFlags& flags, std::vector<RunRecord>& runs) {
  std::vector<FairnessNotion> notions;
  for (const std::string& name : split_list(flags.fairness)) {
    DPFERMI_ASSIGN(const FairnessNotion notion, parse_fairness_notion(name));
    notions.push_back(notion);
  }
  const std::vector<std::string> datasets = split_list(flags.datasets);
  const std::vector<std::string> protocols = split_list(flags.protocols);
  std::erase_if(runs, [&](const RunRecord& run) {
    const bool dataset = datasets.empty() || contains(datasets, run.spec.dataset);
    const bool protocol = protocols.empty() || contains(protocols, to_string(run.spec.protocol));
    const bool notion =
        notions.empty() || std::ranges::find(notions, run.spec.notion) != notions.end();
    return !dataset || !protocol || !notion;
  });
  if (runs.empty()) return failed("the results hold no such run; leave out some of the flags");
  return {};
}

/// One picture a panel, beside what was published without privacy.
Status write_pictures(const std::string& folder, const Summary& summary) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return failed(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  for (const PanelSummary& each : summary.panels) {
    const Panel& panel = each.panel;
    std::vector<Curve> published = published_curves(panel.dataset, panel.notion);
    std::erase_if(published,
                  [](const Curve& curve) { return curve.epsilon || !curve.is_papers(); });
    const std::string file =
        (fs::path(folder) / fmt::format("{}-{}-{}.svg", panel.dataset, to_string(panel.protocol),
                                        to_string(panel.notion)))
            .string();
    DPFERMI_TRY(write_file_atomically(file, trade_off_svg(panel, published)));
    Context::print(file + "\n");
  }
  return {};
}

/// Tables of curves are never empty.
const char* why_empty(SummaryTable table) {
  switch (table) {
    case SummaryTable::kPublished:
      return "nothing was published for these runs; the table needs method published-code under "
             "protocol as-published";
    case SummaryTable::kLiterature:
      return "nothing was published for these runs; the table needs pf-ld, fairness-lens or "
             "jagielski-in at an epsilon of the paper's figures";
    case SummaryTable::kClaims:
      return "no run promises privacy; the table needs a private method";
    case SummaryTable::kCovered:
      return "there is nothing to cover: the table needs auto, or the method of --method, and a "
             "private baseline at the same epsilon";
    case SummaryTable::kFreeLine:
      return "the free line is not known; the table needs method coin";
    case SummaryTable::kEpsilon:
      return "there is nothing to compare: the table needs a private method and another one "
             "without "
             "privacy, of several lambdas; see --table curves";
    default:
      return "there is nothing to compare: the table needs two methods of several lambdas each "
             "(erm "
             "has none), at the same epsilon or one without privacy; see --table curves";
  }
}

/// Refuses a method that no run has.
Status check_filter(const SummaryFilter& filter, const std::vector<RunRecord>& runs) {
  std::vector<std::string> known;
  for (const RunRecord& run : runs) {
    if (!contains(known, run.spec.method)) known.push_back(run.spec.method);
  }
  for (const std::string& name : {filter.method, filter.against}) {
    if (name.empty() || name == "published" || contains(known, name)) continue;
    return usage_error(fmt::format("the results hold no method '{}'; they hold {}", printable(name),
                                   fmt::join(known, ", ")));
  }
  return {};
}

/// What is chosen by exact figures is not covered by the promise of the ledger that counts the
/// runs.
Status check_shown(const SummaryFlags& flags, SummaryTable table) {
  if (!is_exact(table) && flags.pictures.empty()) return {};
  return usage_error(fmt::format(
      "{}: these runs are booked in a ledger, and their violations and rates of groups are exact: "
      "what is chosen by them is not covered by its promise; --table errors shows what may be "
      "shown, --exact everything to the holder of the data, and 'dpfermi evaluate --epsilon' "
      "releases such figures with noise",
      flags.folder));
}

Status print_summary(const Context& context, const SummaryFlags& flags) {
  if (flags.rows != "test" && flags.rows != "train") {
    return usage_error(fmt::format("--rows is test or train, not '{}'", printable(flags.rows)));
  }
  std::optional<SummaryTable> asked;
  if (!flags.table.empty()) {
    DPFERMI_ASSIGN(asked, parse_summary_table(flags.table));
  }
  DPFERMI_ASSIGN(SweepResults results, read_results(flags.folder));
  const bool exact = shows_exact(results, flags.exact);
  const SummaryTable table =
      asked.value_or(exact ? SummaryTable::kOverview : SummaryTable::kErrors);
  if (!exact) DPFERMI_TRY(check_shown(flags, table));
  DPFERMI_TRY(keep_chosen(flags, results.runs));
  DPFERMI_TRY(check_filter(flags.filter, results.runs));
  if (!results.complete) context.note("the sweep is not complete; these are the runs so far");
  const Summary summary = summarize(results);
  if (!flags.pictures.empty()) return write_pictures(flags.pictures, summary);
  if (!exact) {
    context.note(
        "exact violations and rates of groups are not shown; --exact shows them to the holder of "
        "the data");
  }
  if (context.json) {
    Context::print((exact ? to_json(summary) : public_json(results)) + "\n");
    return {};
  }
  const ViolationOf rows = flags.rows == "test" ? ViolationOf::kTest : ViolationOf::kTrain;
  const std::string text = to_markdown(summary, table, rows, flags.filter);
  if (text.empty()) return failed(why_empty(table));
  Context::print(text);
  return {};
}

}  // namespace

void add_summary(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<SummaryFlags>(
      app, context, "summary",
      "Tables of a sweep: who is better at equal violation, and by how much",
      "  dpfermi summary results\n"
      "  dpfermi summary results --table matched --dataset adult --fairness dp\n"
      "  dpfermi summary results --json > summary.json",
      print_summary);
  verb->add_option("results", flags->folder, "The folder that sweep or reproduce wrote")
      ->required()
      ->type_name("FOLDER");
  verb->add_option(
      "--table", flags->table,
      "overview (default), dominance, curves, matched, epsilon, published, rivals, literature, "
      "claims, free-line, covered or errors (default where a ledger counts the runs)");
  verb->add_option("--rows", flags->rows,
                   "Rows that violations are matched on: test, or train, where chance plays less; "
                   "free-line and covered take errors of the same rows")
      ->capture_default_str();
  verb->add_option(
      "--method", flags->filter.method,
      "Of overview, dominance, epsilon, rivals, free-line and covered (default auto): only this "
      "method ...");
  verb->add_option("--against", flags->filter.against,
                   "... and only against this one, or against published");
  verb->add_option("--svg", flags->pictures,
                   "Write a picture of every panel to this folder instead")
      ->type_name("FOLDER");
  verb->add_flag("--exact", flags->exact,
                 "Show exact figures of a sweep that was charged: for the holder, not private");
  verb->add_option("--dataset", flags->datasets, "Only these data sets");
  verb->add_option("--fairness", flags->fairness,
                   "Only these notions: " + printable_list(brief_notions()));
  verb->add_option("--protocol", flags->protocols, "Only honest or only as-published");
}

}  // namespace dpfermi::cli
