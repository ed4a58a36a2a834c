#pragma once

/// Columns of one name: the second one called "sex" is read as "sex.2".

#include <string>
#include <string_view>
#include <vector>

namespace dpfermi {

/// The second of several equal names gets ".2" after it, and so on.
std::vector<std::string> told_apart(const std::vector<std::string>& names);

/// "sex" of "sex.2"; a name without a number at its end is returned as it is.
std::string_view without_repeat(std::string_view name);

}  // namespace dpfermi
