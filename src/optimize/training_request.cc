#include "dpfermi/optimize/training_request.h"

#include <array>
#include <string>
#include <utility>

namespace dpfermi {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 5> kMethods{
    {{Method::kDpFermi, "dp-fermi"},
     {Method::kDpFermiPaper, "dp-fermi-paper"},
     {Method::kFermi, "fermi"},
     {Method::kErm, "erm"},
     {Method::kSketch, "sketch"}}};

}  // namespace

std::string_view to_string(Method method) {
  for (const auto& [known, name] : kMethods) {
    if (known == method) return name;
  }
  return "unknown";
}

Result<Method> parse_method(std::string_view text) {
  for (const auto& [method, name] : kMethods) {
    if (name == text) return method;
  }
  return usage_error("'" + std::string(text) +
                     "' is no method; choose sketch, dp-fermi, dp-fermi-paper, fermi or erm");
}

}  // namespace dpfermi
