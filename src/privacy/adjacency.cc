#include "dpfermi/privacy/adjacency.h"

#include <fmt/format.h>

#include <array>

namespace dpfermi {

std::string_view to_string(Adjacency adjacency) {
  switch (adjacency) {
    case Adjacency::kSensitive:
      return "sensitive";
    case Adjacency::kReplaceRecord:
      return "replace-record";
    case Adjacency::kAddRemoveRecord:
      return "add-remove-record";
  }
  return "unknown";
}

Result<Adjacency> parse_adjacency(std::string_view text) {
  constexpr std::array kAll = {Adjacency::kSensitive, Adjacency::kReplaceRecord,
                               Adjacency::kAddRemoveRecord};
  for (const Adjacency candidate : kAll) {
    if (text == to_string(candidate)) return candidate;
  }
  return usage_error(fmt::format(
      "unknown adjacency '{}': use sensitive, replace-record or add-remove-record", text));
}

std::string_view describe(Adjacency adjacency) {
  switch (adjacency) {
    case Adjacency::kSensitive:
      return "neighbouring data sets differ in one unit's sensitive attribute; features and labels "
             "are public";
    case Adjacency::kReplaceRecord:
      return "neighbouring data sets differ in one whole unit, replaced by another";
    case Adjacency::kAddRemoveRecord:
      return "neighbouring data sets differ in one whole unit, present or absent";
  }
  return "unknown";
}

}  // namespace dpfermi
