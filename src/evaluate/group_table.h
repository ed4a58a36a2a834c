#pragma once

/// How rows spread over groups and classes: all that a fairness figure needs to know.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dpfermi {

/// Rows that meet one condition, by group, and how much of each class they hold.
class GroupTable {
 public:
  GroupTable(std::size_t groups, std::size_t classes)
      : classes_(classes), rows_(groups), mass_(groups * classes) {}

  std::size_t groups() const { return rows_.size(); }
  std::size_t classes() const { return classes_; }
  std::uint64_t rows(std::size_t group) const { return rows_[group]; }
  double mass(std::size_t group, std::size_t j) const { return mass_[group * classes_ + j]; }

  /// P(j | group). Requires rows(group) > 0.
  double share(std::size_t group, std::size_t j) const {
    return mass(group, j) / static_cast<double>(rows(group));
  }

  void add_rows(std::size_t group, std::uint64_t count) { rows_[group] += count; }
  void add_mass(std::size_t group, std::size_t j, double amount) {
    mass_[group * classes_ + j] += amount;
  }
  void add(const GroupTable& other);

  std::uint64_t total_rows() const;

  /// The largest difference of P(j | .) between two groups with rows; 0 with fewer than two.
  double gap(std::size_t j) const;

  /// sum_{j,r} P(j,r)^2 / (P(j) p_r) - 1; 0 without rows.
  double ermi() const;

 private:
  std::size_t classes_;
  std::vector<std::uint64_t> rows_;
  std::vector<double> mass_;
};

}  // namespace dpfermi
