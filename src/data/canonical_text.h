#pragma once

/// One way to write a value, whatever wrote it down: for digests that copies of a table share.

#include <string>
#include <string_view>

namespace dpfermi {

/// A field without blanks at its ends; the empty text for what usually stands for a missing value
/// (CsvFormat's list, whatever a schema says); the shortest decimal of a number ("1.50", "+1.5" and
/// "15e-1" are "1.5"). Where nothing has to be changed it is `field` itself, otherwise `buffer`.
/// Two tables that differ only in how values are written are taken for one: that can only charge a
/// budget too much.
std::string_view canonical_text(std::string_view field, std::string& buffer);

}  // namespace dpfermi
