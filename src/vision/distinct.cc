#include "vision/distinct.h"

#include <algorithm>
#include <unordered_map>

#include "data/checksum.h"

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
  const std::vector<std::uint32_t> first = first_images(originals);
  // Originals are numbered from 0, as their first rows appear.
  std::vector<bool> agrees(first.size(), true);
  for (std::uint32_t row = 0; row < originals.size(); ++row) {
    if (y[first[originals[row]]] != y[row]) agrees[originals[row]] = false;
  }
  std::vector<std::uint32_t> rows;
  for (std::size_t original = 0; original < first.size(); ++original) {
    if (agrees[original]) rows.push_back(first[original]);
  }
  return rows;
}

std::vector<std::uint32_t> first_images(std::span<const std::uint32_t> originals) {
  std::vector<std::uint32_t> first;
  for (std::uint32_t row = 0; row < originals.size(); ++row) {
    if (originals[row] == first.size()) first.push_back(row);
  }
  return first;
}

}  // namespace dpfermi
