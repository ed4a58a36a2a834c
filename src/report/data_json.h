#pragma once

#include <string>

#include "report/report_data.h"

namespace dpfermi {

/// What the charts read; web/scripts/data.js is the other end.
std::string page_json(const ReportData& data);

}  // namespace dpfermi
