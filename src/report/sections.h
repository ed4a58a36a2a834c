#pragma once

/// The parts of the page that are plain HTML, for readers with and without scripts.

#include <string>

#include "report/report_data.h"

namespace dpfermi {

/// The answer in words, and a card for each panel.
std::string answers_html(const ReportData& data);

/// The panel that the answer in words is about; nothing where no panel has an answer.
const ReportPanel* leading_panel(const ReportData& data);

/// One table for each panel.
std::string tables_html(const ReportData& data);

std::string statements_html(const std::vector<PrivacyStatement>& statements);

/// Methods and words of the page, the command that made it.
std::string about_html(const ReportData& data);

/// "ε = 1" or "not private".
std::string epsilon_text(std::optional<double> epsilon);

/// Whether its method never reads the protected attribute.
bool is_plain(const Curve& curve);

/// "dp-fermi, ε = 1", "dp-fermi (published), not private"; not escaped.
std::string curve_label(const Curve& curve);

}  // namespace dpfermi
