#pragma once

/// Distinct strings, numbered in order of first appearance. Most cells of a table pass through
/// here: strings of up to 16 bytes are compared as two words, without looking at the text, and the
/// look-up is inline.

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace dpfermi {

class LevelTable {
 public:
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

  /// The number of `text`, or kAbsent.
  std::uint32_t find(std::string_view text) const {
    return slots_[slot_of(key_of(text), text)].level;
  }

  /// The number of `text`, added if it is new.
  std::uint32_t insert(std::string_view text) {
    const Key key = key_of(text);
    const std::size_t slot = slot_of(key, text);
    return slots_[slot].level != kAbsent ? slots_[slot].level : add(slot, key, text);
  }

  std::size_t size() const { return levels_.size(); }
  const std::vector<std::string>& levels() const { return levels_; }

 private:
  static constexpr std::size_t kShort = 16;

  /// The text itself if it is short, otherwise two hashes of it.
  struct Key {
    std::uint64_t low = 0, high = 0;
    std::uint32_t length = 0;
  };
  struct Slot {
    Key key;
    std::uint32_t level = kAbsent;
  };

  template <class Word>
  static std::uint64_t load(const char* from) {
    Word word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
  }

  /// Folds the 128-bit product: every bit of either word reaches every bit of the result. The
  /// strings come from the user's own file, so the hash has to be quick rather than keyed.
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a ^ 0x9E3779B97F4A7C15U) * (b ^ 0xD1B54A32D192ED03U);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }

  /// Overlapping loads cover every byte of a short text; with its length they determine it.
  static Key key_of(std::string_view text) {
    const char* data = text.data();
    const std::size_t n = text.size();
    const auto length = static_cast<std::uint32_t>(n);
    if (n > kShort) return key_of_long(text);
    if (n >= 8) return {load<std::uint64_t>(data), load<std::uint64_t>(data + n - 8), length};
    if (n >= 4) {
      return {load<std::uint32_t>(data), load<std::uint32_t>(data + n - 4), length};
    }
    if (n == 0) return {};
    return {load<std::uint8_t>(data) | load<std::uint8_t>(data + n / 2) << 8U,
            load<std::uint8_t>(data + n - 1), length};
  }

  /// Where `text` is, or where it would go.
  std::size_t slot_of(const Key& key, std::string_view text) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = mix(key.low + key.length, key.high) & mask;
    while (slots_[slot].level != kAbsent && !holds(slots_[slot], key, text)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  bool holds(const Slot& slot, const Key& key, std::string_view text) const {
    return slot.key.low == key.low && slot.key.high == key.high && slot.key.length == key.length &&
           (key.length <= kShort || levels_[slot.level] == text);
  }

  static Key key_of_long(std::string_view text);
  std::uint32_t add(std::size_t slot, const Key& key, std::string_view text);

  std::vector<std::string> levels_;
  std::vector<Slot> slots_ = std::vector<Slot>(64);
};

}  // namespace dpfermi
