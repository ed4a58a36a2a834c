#include "dpfermi/objective/fairness_notion.h"

#include <fmt/format.h>

#include <array>

namespace dpfermi {
namespace {

struct Name {
  FairnessNotion notion;
  std::string_view full;
  std::string_view brief;
};

constexpr std::array kNames = {
    Name{FairnessNotion::kNone, "none", "none"},
    Name{FairnessNotion::kDemographicParity, "demographic-parity", "dp"},
    Name{FairnessNotion::kEqualizedOdds, "equalized-odds", "eo"},
    Name{FairnessNotion::kEqualOpportunity, "equal-opportunity", "eopp"},
};

}  // namespace

std::string_view to_string(FairnessNotion notion) {
  for (const Name& name : kNames) {
    if (name.notion == notion) return name.full;
  }
  return "unknown";
}

Result<FairnessNotion> parse_fairness_notion(std::string_view text) {
  for (const Name& name : kNames) {
    if (text == name.full || text == name.brief) return name.notion;
  }
  return usage_error(
      fmt::format("unknown fairness notion '{}': use demographic-parity (dp), "
                  "equalized-odds (eo), equal-opportunity (eopp) or none",
                  text));
}

std::size_t condition_count(FairnessNotion notion, std::size_t classes) {
  switch (notion) {
    case FairnessNotion::kNone:
      return 0;
    case FairnessNotion::kEqualizedOdds:
      return classes;
    case FairnessNotion::kDemographicParity:
    case FairnessNotion::kEqualOpportunity:
      break;
  }
  return 1;
}

std::optional<std::size_t> condition_of(FairnessNotion notion, std::size_t y,
                                        std::size_t favourable) {
  switch (notion) {
    case FairnessNotion::kNone:
      break;
    case FairnessNotion::kDemographicParity:
      return 0;
    case FairnessNotion::kEqualizedOdds:
      return y;
    case FairnessNotion::kEqualOpportunity:
      if (y == favourable) return 0;
      break;
  }
  return std::nullopt;
}

double condition_weight(FairnessNotion notion, double share) {
  return notion == FairnessNotion::kEqualizedOdds ? share : 1;
}

}  // namespace dpfermi
