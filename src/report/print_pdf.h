#pragma once

#include <filesystem>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Prints a page of HTML to a PDF file by Chromium, which it looks for in $PATH. The file is whole
/// or absent.
Status print_pdf(const std::filesystem::path& page, const std::filesystem::path& out);

}  // namespace dpfermi
