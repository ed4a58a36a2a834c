#pragma once

/// How units spread over groups and classes: all that a fairness figure needs to know. A row weighs
/// 1, or 1/m where it is one of m rows of a person.

#include <cstddef>
#include <vector>

namespace dpfermi {

/// Units that meet one condition, by group, and how much of each class they hold.
class GroupTable {
 public:
  GroupTable(std::size_t groups, std::size_t classes)
      : classes_(classes), units_(groups), mass_(groups * classes) {}

  std::size_t groups() const { return units_.size(); }
  std::size_t classes() const { return classes_; }
  double units(std::size_t group) const { return units_[group]; }
  double mass(std::size_t group, std::size_t j) const { return mass_[group * classes_ + j]; }

  /// P(j | group). Requires units(group) > 0.
  double share(std::size_t group, std::size_t j) const { return mass(group, j) / units(group); }

  void add_unit(std::size_t group, double weight) { units_[group] += weight; }
  void add_mass(std::size_t group, std::size_t j, double amount) {
    mass_[group * classes_ + j] += amount;
  }
  void add(const GroupTable& other);
  /// As if the group had no units.
  void leave_out(std::size_t group);

  double total_units() const;
  std::size_t groups_with_units() const;

  /// The largest difference of P(j | .) between two groups with units; 0 with fewer than two.
  double gap(std::size_t j) const;

  /// sum_{j,r} P(j,r)^2 / (P(j) p_r) - 1; 0 without units.
  double ermi() const;

 private:
  std::size_t classes_;
  std::vector<double> units_;
  std::vector<double> mass_;
};

}  // namespace dpfermi
