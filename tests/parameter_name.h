#pragma once

/// Names for the parameters of tests. ctest shows them after the name of the test; without one it
/// shows the bytes of the parameter.

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <type_traits>

namespace dpfermi::testing_support {

/// `text` with "_" for every character that Google Test does not allow in a name.
inline std::string parameter_name(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// For INSTANTIATE_TEST_SUITE_P: the parameter itself, by its to_string() or as a text.
inline constexpr auto by_word = [](const auto& info) {
  if constexpr (std::is_convertible_v<decltype(info.param), std::string_view>) {
    return parameter_name(info.param);
  } else {
    return parameter_name(to_string(info.param));
  }
};

}  // namespace dpfermi::testing_support
