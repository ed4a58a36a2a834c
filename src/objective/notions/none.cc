// The absence of a notion: no row meets a condition, so there is no fairness term.

#include "dpfermi/objective/fairness_notion.h"

namespace dpfermi::notions {

extern const NotionDescriptor none = {
    .name = "none",
    .brief = "none",
    .word = "none",
    .condition_count = [](std::size_t) -> std::size_t { return 0; },
    .condition_of = [](std::size_t, std::size_t) { return std::optional<std::size_t>(); },
    .compares = [](std::size_t, std::size_t) { return false; },
};

}  // namespace dpfermi::notions
