// P(yhat | S, y) = P(yhat | y) for the favourable label y; the violation compares how often groups
// get the favourable decision.

#include "dpfermi/objective/fairness_notion.h"

namespace dpfermi::notions {

extern const NotionDescriptor equal_opportunity = {
    .name = "equal-opportunity",
    .brief = "eopp",
    .word = "opportunity",
    .condition_count = [](std::size_t) -> std::size_t { return 1; },
    .condition_of = [](std::size_t y, std::size_t favourable) -> std::optional<std::size_t> {
      if (y == favourable) return 0;
      return std::nullopt;
    },
    .compares = [](std::size_t j, std::size_t favourable) { return j == favourable; },
};

}  // namespace dpfermi::notions
