#include "sample/keyed_order.h"

#include <algorithm>
#include <cmath>

namespace dpfermi {
namespace {

constexpr std::uint32_t kLanes = 64;

}  // namespace

KeyedOrder::KeyedOrder(std::uint32_t units, KeyStream& stream)
    : units_(units),
      rows_(static_cast<std::uint32_t>(std::ceil(std::sqrt(units)))),
      columns_((units - 1) / rows_ + 1) {
  for (Turn& turn : turns_) {
    const std::uint64_t factors = stream.next();
    turn.add = static_cast<std::uint32_t>(stream.next());
    turn.factor = static_cast<std::uint32_t>(factors) | 1;
    turn.second_factor = static_cast<std::uint32_t>(factors >> 32) | 1;
  }
}

template <std::size_t Count>
void KeyedOrder::scramble(Cells<Count>& cells) const {
  // The turn by value: what is written must not seem to change it.
  const auto move = [](Turn turn, const auto& by, std::uint32_t side, auto& place) {
    for (std::size_t i = 0; i < Count; ++i) {
      std::uint32_t hash = (by[i] + turn.add) * turn.factor;
      hash = (hash ^ hash >> 15) * turn.second_factor;
      // Sides have 16 bits: as many of the hash keep the product inside a lane.
      const std::uint32_t step = (hash >> 16) * side >> 16;
      // Below the side, the difference wraps to a larger number.
      place[i] = std::min(place[i] + step, place[i] + step - side);
    }
  };
  for (std::size_t turn = 0; turn < turns_.size(); turn += 2) {
    move(turns_[turn], cells.y, rows_, cells.x);
    move(turns_[turn + 1], cells.x, columns_, cells.y);
  }
}

std::uint32_t KeyedOrder::walk(std::uint32_t unit) const {
  do {
    Cells<1> cell{{unit / columns_}, {unit % columns_}};
    scramble(cell);
    unit = cell.x[0] * columns_ + cell.y[0];
  } while (unit >= units_);
  return unit;
}

void KeyedOrder::take(std::uint32_t first, std::span<std::uint32_t> units) const {
  std::uint32_t x = first / columns_;
  std::uint32_t y = first % columns_;
  while (!units.empty()) {
    Cells<kLanes> cells;
    for (std::uint32_t i = 0; i < kLanes;) {
      const std::uint32_t run = std::min(kLanes - i, columns_ - y);
      for (std::uint32_t j = 0; j < run; ++j) {
        cells.x[i + j] = x;
        cells.y[i + j] = y + j;
      }
      i += run;
      y += run;
      if (y == columns_) {
        y = 0;
        ++x;
      }
    }
    scramble(cells);
    const std::size_t count = std::min<std::size_t>(kLanes, units.size());
    for (std::size_t i = 0; i < count; ++i) units[i] = cells.x[i] * columns_ + cells.y[i];
    for (std::uint32_t& unit : units.first(count)) {
      if (unit >= units_) unit = walk(unit);
    }
    units = units.subspan(count);
  }
}

}  // namespace dpfermi
