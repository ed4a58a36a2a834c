#pragma once

/// An order of 0, ..., units - 1 that is computed, not stored. A position is a cell (x, y) of a
/// grid of `rows` x `columns` cells; in turns, x moves by a keyed hash of y and y by one of x,
/// modulo the sides (a Feistel network). Each turn can be undone, so cells go to cells one to one.
/// The grid has fewer than `rows` cells too many: a unit that does not exist is sent through again
/// until it leaves them (cycle walking), which keeps the map one to one on the units.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "random/key_stream.h"

namespace dpfermi {

class KeyedOrder {
 public:
  /// Keys from the stream; requires units > 0.
  KeyedOrder(std::uint32_t units, KeyStream& stream);

  /// The units at the positions first, first + 1, ...
  void take(std::uint32_t first, std::span<std::uint32_t> units) const;

 private:
  struct Turn {
    std::uint32_t add;
    std::uint32_t factor;
    std::uint32_t second_factor;
  };

  /// Cells side by side, so that the compiler can use wide registers.
  template <std::size_t Count>
  struct Cells {
    std::array<std::uint32_t, Count> x;
    std::array<std::uint32_t, Count> y;
  };

  template <std::size_t Count>
  void scramble(Cells<Count>& cells) const;
  /// From a unit that does not exist to one that does.
  std::uint32_t walk(std::uint32_t unit) const;

  std::uint32_t units_;
  std::uint32_t rows_;
  std::uint32_t columns_;
  std::array<Turn, 12> turns_{};
};

}  // namespace dpfermi
