// P(yhat | S, y) = P(yhat | y) for every label y; the paper weighs labels by P(y).

#include "dpfermi/objective/fairness_notion.h"

namespace dpfermi::notions {

extern const NotionDescriptor equalized_odds = {
    .name = "equalized-odds",
    .brief = "eo",
    .word = "odds",
    .condition_count = [](std::size_t classes) { return classes; },
    .condition_of = [](std::size_t y, std::size_t) { return std::optional<std::size_t>(y); },
    .compares = [](std::size_t, std::size_t) { return true; },
    .weighted_by_share = true,
};

}  // namespace dpfermi::notions
