#pragma once

/// A report as one page of HTML that needs nothing else: styles, charts and their library are in
/// it, it fetches nothing, and its tables can be read without scripts. All that comes from data is
/// escaped, and a content security policy lets no script run but the page's own.

#include <string>

#include "dpfermi/core/result.h"
#include "report/report_data.h"

namespace dpfermi {

Result<std::string> report_page(const ReportData& data);

/// The page of a sweep that a ledger counts: errors where they are public, violations as they were
/// released, statements (experiment/public_figures.h). No chart, nothing exact.
Result<std::string> public_page(const SweepResults& results);

}  // namespace dpfermi
