#pragma once

#include <string>

#include "audit/finding.h"

namespace dpfermi::cli {

/// For people: the worst of every attempt over all cases, what became of the case `own` (empty:
/// there is none), then what broke, where and how.
std::string audit_text(const AuditReport& report, const std::string& own);

/// A page beside the model card, with every finding: Markdown, or HTML that stands alone.
std::string audit_markdown(const AuditReport& report);
std::string audit_html(const AuditReport& report);

}  // namespace dpfermi::cli
