#pragma once

/// All methods, ours and the baselines. Whatever lists, names or looks up methods reads this list.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/optimize/method.h"

namespace dpfermi {

/// Ours, then the baselines, in the order of docs/baselines.md.
const std::vector<Method>& all_methods();

/// Those that make no plan.
std::vector<Method> baselines();

/// Nothing where there is none of that name.
std::optional<Method> find_method(std::string_view name);

/// The inverse of to_string.
Result<Method> parse_method(std::string_view text);

/// "dp-fermi; sketch (one release, then no noise); ...": the default, then the short list.
std::string method_choices();

}  // namespace dpfermi
