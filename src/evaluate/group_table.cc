#include "evaluate/group_table.h"

#include <algorithm>
#include <numeric>

namespace dpfermi {

void GroupTable::add(const GroupTable& other) {
  std::transform(units_.begin(), units_.end(), other.units_.begin(), units_.begin(), std::plus<>());
  std::transform(mass_.begin(), mass_.end(), other.mass_.begin(), mass_.begin(), std::plus<>());
}

void GroupTable::leave_out(std::size_t group) {
  units_[group] = 0;
  std::fill_n(mass_.begin() + static_cast<std::ptrdiff_t>(group * classes_), classes_, 0.0);
}

double GroupTable::total_units() const {
  return std::accumulate(units_.begin(), units_.end(), 0.0);
}

std::size_t GroupTable::groups_with_units() const {
  return units_.size() - static_cast<std::size_t>(std::ranges::count(units_, 0.0));
}

double GroupTable::gap(std::size_t j) const {
  double least = 0;
  double most = 0;
  bool any = false;
  for (std::size_t group = 0; group < groups(); ++group) {
    if (units(group) == 0) continue;
    const double here = share(group, j);
    least = any ? std::min(least, here) : here;
    most = any ? std::max(most, here) : here;
    any = true;
  }
  return most - least;
}

double GroupTable::ermi() const {
  if (total_units() == 0) return 0;
  double sum = 0;
  for (std::size_t j = 0; j < classes_; ++j) {
    double class_mass = 0;
    double squares = 0;
    for (std::size_t group = 0; group < groups(); ++group) {
      if (units(group) == 0) continue;
      class_mass += mass(group, j);
      squares += mass(group, j) * share(group, j);
    }
    if (class_mass > 0) sum += squares / class_mass;
  }
  // Where nothing depends on the group, rounding may leave a little less than 1.
  return std::max(0.0, sum - 1);
}

}  // namespace dpfermi
