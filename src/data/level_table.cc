#include "data/level_table.h"

namespace dpfermi {

LevelTable::Key LevelTable::key_of_long(std::string_view text) {
  const char* data = text.data();
  const std::size_t n = text.size();
  Key key{.low = 0, .high = 0, .length = static_cast<std::uint32_t>(n)};
  for (std::size_t i = 0; i + 8 <= n; i += 8) {
    key.low = mix(key.low, load<std::uint64_t>(data + i));
    key.high = mix(key.high, ~load<std::uint64_t>(data + i));
  }
  key.low = mix(key.low, load<std::uint64_t>(data + n - 8));
  return key;
}

std::uint32_t LevelTable::add(std::size_t slot, const Key& key, std::string_view text) {
  const auto level = static_cast<std::uint32_t>(levels_.size());
  slots_[slot] = {key, level};
  levels_.emplace_back(text);
  if (2 * levels_.size() > slots_.size()) {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& used : old) {
      if (used.level != kAbsent) slots_[slot_of(used.key, levels_[used.level])] = used;
    }
  }
  return level;
}

}  // namespace dpfermi
