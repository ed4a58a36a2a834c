// P(yhat | S) = P(yhat).

#include "dpfermi/objective/fairness_notion.h"

namespace dpfermi::notions {

extern const NotionDescriptor demographic_parity = {
    .name = "demographic-parity",
    .brief = "dp",
    .word = "parity",
    .condition_count = [](std::size_t) -> std::size_t { return 1; },
    .condition_of = [](std::size_t, std::size_t) { return std::optional<std::size_t>(0); },
    .compares = [](std::size_t, std::size_t) { return true; },
};

}  // namespace dpfermi::notions
