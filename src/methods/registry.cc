#include "dpfermi/methods/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"
#include "methods/register_method.h"

namespace dpfermi {
namespace methods {

#define DPFERMI_METHOD(name) extern const MethodDescriptor name;
#include "methods/method_list.inc"
#undef DPFERMI_METHOD

}  // namespace methods

namespace {

std::vector<Method>& registry() {
#define DPFERMI_METHOD(name) Method(methods::name),
  static std::vector<Method> all = {
#include "methods/method_list.inc"
  };
#undef DPFERMI_METHOD
  return all;
}

/// The short list.
std::vector<Method> choices() {
  std::vector<Method> some;
  std::ranges::copy_if(all_methods(), std::back_inserter(some),
                       [](Method method) { return method->place > 0; });
  std::ranges::stable_sort(some, {}, [](Method method) { return method->place; });
  return some;
}

}  // namespace

const std::vector<Method>& all_methods() {
  return registry();
}

std::vector<Method> baselines() {
  std::vector<Method> some;
  std::ranges::copy_if(all_methods(), std::back_inserter(some),
                       [](Method method) { return method->is_baseline(); });
  return some;
}

Status register_method(Method method) {
  if (find_method(method->name)) {
    return usage_error(
        fmt::format("there is a method '{}' already; choose another name", method->name));
  }
  const bool planned = method->plan != nullptr && method->train_plan != nullptr;
  const bool alone =
      method->is_private() ? method->train != nullptr : method->train_exactly != nullptr;
  if (!planned && !alone) {
    return usage_error(
        fmt::format("method '{}' cannot be trained; give it plan and train_plan, or {}",
                    method->name, method->is_private() ? "train" : "train_exactly"));
  }
  registry().push_back(method);
  return {};
}

std::optional<Method> find_method(std::string_view name) {
  const auto found = std::ranges::find(all_methods(), name, [](Method each) { return each->name; });
  return found == all_methods().end() ? std::nullopt : std::optional(*found);
}

Result<Method> parse_method(std::string_view text) {
  if (const auto found = find_method(text)) return *found;
  std::vector<std::string> names;
  std::vector<std::string> others;
  for (const Method method : choices()) names.emplace_back(method->name);
  for (const Method method : all_methods()) {
    if (!contains(names, method->name)) others.emplace_back(method->name);
  }
  for (const auto* known : {&names, &others}) {
    const auto guess = nearest_name(text, *known);
    if (guess) {
      return usage_error(
          fmt::format("'{}' is not a method; did you mean '{}'?", printable(text), *guess));
    }
  }
  return usage_error(fmt::format("'{}' is not a method; choose {}, or another system: {}", text,
                                 fmt::join(names, ", "), listed(others, " or ")));
}

std::string method_choices() {
  std::vector<Method> some = choices();
  std::stable_partition(some.begin(), some.end(),
                        [](Method each) { return each == Method::kAuto; });
  std::vector<std::string> texts;
  for (const Method method : some) {
    texts.push_back(method->remark.empty() ? std::string(method->name)
                                           : fmt::format("{} ({})", method->name, method->remark));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace dpfermi
