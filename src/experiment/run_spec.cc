#include "experiment/run_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "core/text.h"
#include "data/checksum.h"
#include "dpfermi/methods/registry.h"

namespace dpfermi {

std::string_view to_string(Protocol protocol) {
  return protocol == Protocol::kHonest ? "honest" : "as-published";
}

Result<Protocol> parse_protocol(std::string_view text) {
  for (const Protocol protocol : {Protocol::kHonest, Protocol::kAsPublished}) {
    if (text == to_string(protocol)) return protocol;
  }
  return usage_error(
      fmt::format("'{}' is not a protocol; choose honest or as-published", printable(text)));
}

Result<Method> known_method(std::string_view name) {
  if (const auto found = find_method(name)) return *found;
  std::vector<std::string> names;
  for (const Method method : all_methods()) names.emplace_back(method->name);
  const std::optional<std::string> guess = nearest_name(std::string(name), names);
  return usage_error(fmt::format(
      "unknown method '{}': {}", printable(name),
      guess ? fmt::format("did you mean '{}'?", *guess)
            : fmt::format("'dpfermi methods' lists them ({})", fmt::join(names, ", "))));
}

std::string model_name(const RunSpec& spec) {
  if (spec.boosted) return "boosted";
  return spec.hidden.empty() ? "regression" : fmt::format("hidden {}", fmt::join(spec.hidden, ","));
}

std::string run_key(const RunSpec& spec) {
  std::string key = fmt::format("{}/{}/{}/{}", spec.dataset, to_string(spec.protocol),
                                to_string(spec.notion), spec.method);
  if (spec.adjacency != Adjacency::kSensitive) key += fmt::format("/{}", to_string(spec.adjacency));
  if (!spec.hidden.empty()) key += fmt::format("/hidden={}", fmt::join(spec.hidden, ","));
  if (spec.boosted) key += "/boosted";
  if (spec.epsilon) key += fmt::format("/epsilon={}", shortest(*spec.epsilon));
  if (spec.delta) key += fmt::format("/delta={}", shortest(*spec.delta));
  if (spec.lambda) key += fmt::format("/lambda={}", shortest(*spec.lambda));
  if (spec.target) key += fmt::format("/target={}", shortest(*spec.target));
  if (spec.least_group > 0) key += fmt::format("/least-group={}", spec.least_group);
  return key + fmt::format("/split={}", spec.split);
}

Result<std::uint64_t> run_seed(std::uint64_t sweep_seed, const std::string& key) {
  constexpr std::size_t kHexDigits = 12;
  DPFERMI_ASSIGN(const std::string digest,
                 sha256_of_bytes(fmt::format("dpfermi sweep {} {}", sweep_seed, key)));
  std::uint64_t seed = 0;
  std::from_chars(digest.data(), digest.data() + kHexDigits, seed, 16);
  return seed;
}

}  // namespace dpfermi
