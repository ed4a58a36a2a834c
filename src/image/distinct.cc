#include "dpfermi/image/distinct.h"

#include <algorithm>
#include <unordered_map>

#include "dpfermi/data/checksum.h"

namespace dpfermi {

Result<std::vector<std::uint32_t>> identical_files(const ImageSource& source,
                                                   std::span<const std::string> names) {
  std::vector<std::uint32_t> originals;
  std::unordered_map<std::string, std::uint32_t> known;
  for (const std::string& name : names) {
    DPFERMI_ASSIGN(const std::string bytes, source.read(name));
    DPFERMI_ASSIGN(const std::string checksum, sha256_of_bytes(bytes));
    const auto next = static_cast<std::uint32_t>(known.size());
    originals.push_back(known.try_emplace(checksum, next).first->second);
  }
  return originals;
}

std::vector<std::uint32_t> distinct_images(std::span<const std::uint32_t> originals,
                                           std::span<const std::uint16_t> y) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  const std::size_t count = originals.empty() ? 0 : 1 + std::size_t{std::ranges::max(originals)};
  std::vector<std::uint32_t> first(count, kNone);
  std::vector<bool> agrees(count, true);
  for (std::uint32_t row = 0; row < originals.size(); ++row) {
    std::uint32_t& found = first[originals[row]];
    if (found == kNone) found = row;
    if (y[found] != y[row]) agrees[originals[row]] = false;
  }
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < originals.size(); ++row) {
    if (agrees[originals[row]] && first[originals[row]] == row) rows.push_back(row);
  }
  return rows;
}

}  // namespace dpfermi
