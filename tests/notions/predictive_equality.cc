// Predictive equality: equal false positive rates. Among rows whose label is not the favourable
// one, the favourable decision is independent of the group.

#include "dpfermi/objective/fairness_notion.h"

namespace dpfermi::notions {

extern const NotionDescriptor predictive_equality = {
    .name = "predictive-equality",
    .brief = "pe",
    .word = "equality",
    .condition_count = [](std::size_t) -> std::size_t { return 1; },
    .condition_of = [](std::size_t y, std::size_t favourable) -> std::optional<std::size_t> {
      if (y != favourable) return 0;
      return std::nullopt;
    },
    .compares = [](std::size_t j, std::size_t favourable) { return j == favourable; },
};

}  // namespace dpfermi::notions
