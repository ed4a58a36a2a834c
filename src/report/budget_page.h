#pragma once

/// What was spent from budgets, over time, as a page that is read and printed: a chart, which is
/// SVG without scripts, and a table of every charge.

#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger/ledger_file.h"
#include "privacy/json_fields.h"
#include "report/check_part.h"

namespace dpfermi {

/// The bodies of all entries in their order, each with its "sequence".
Result<std::vector<Json>> ledger_entries(const LedgerFile& ledger);

/// Those that charge `budget`.
std::vector<Json> charges_of(const std::vector<Json>& entries, const std::string& budget);

/// Chart and table of one budget; the charges of `runs` are set off from the others.
std::string budget_history_html(const BudgetState& budget, const std::vector<Json>& charges,
                                const std::vector<std::string>& runs = {});

/// The page of these budgets of a ledger.
Result<std::string> ledger_page(const LedgerFile& ledger, const std::vector<BudgetState>& budgets);

/// A whole page; `sections` is HTML, the others are texts.
struct PaperPage {
  std::string kind;
  std::string title;
  std::string lead;
  std::string sections;
  std::string footer;
  std::string lead_source = {};  ///< where the lead comes from, where that is to be said
  CheckPart check = {};          ///< after the sections
};
Result<std::string> paper_page(const PaperPage& page);

}  // namespace dpfermi
