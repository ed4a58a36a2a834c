#pragma once

/// One figure for every fairness notion.

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "dpfermi/objective/fairness_notion.h"

namespace dpfermi {

/// Figures by notion, in the order in which they were added.
template <class Figure>
class ByNotion {
 public:
  using Entry = std::pair<FairnessNotion, Figure>;

  /// Requires a notion that is not there yet.
  void add(FairnessNotion notion, Figure figure) {
    assert(!has(notion));
    entries_.emplace_back(notion, std::move(figure));
  }

  bool has(FairnessNotion notion) const { return find(notion) != entries_.end(); }

  /// Requires has(notion).
  const Figure& operator[](FairnessNotion notion) const {
    assert(has(notion));
    return find(notion)->second;
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  auto find(FairnessNotion notion) const {
    return std::ranges::find(entries_, notion, &Entry::first);
  }

  std::vector<Entry> entries_;
};

using PerNotion = ByNotion<double>;

}  // namespace dpfermi
