#include "data/repeated_names.h"

#include <fmt/format.h>

#include <map>

namespace dpfermi {

std::vector<std::string> told_apart(const std::vector<std::string>& names) {
  std::vector<std::string> told;
  std::map<std::string_view, int> seen;
  for (const std::string& name : names) {
    const int times = ++seen[name];
    told.push_back(times == 1 ? name : fmt::format("{}.{}", name, times));
  }
  return told;
}

std::string_view without_repeat(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return name;
  const bool number =
      name.substr(dot + 1).find_first_not_of("0123456789") == std::string_view::npos;
  return number ? name.substr(0, dot) : name;
}

}  // namespace dpfermi
