#include "dpfermi/privacy/mechanism/clipped_sum.h"

#include <algorithm>
#include <cassert>

#include "core/text.h"

namespace dpfermi {

Status LatticeSum::check(std::uint64_t units) const {
  const std::uint64_t most = std::uint64_t{1} << (62 - bits_);
  if (units > most) {
    return failed("a sum of more than " + with_thousands(most) +
                  " contributions could overflow; choose a coarser lattice");
  }
  return {};
}

Status LatticeSum::add(std::span<const std::int64_t> lattice) {
  assert(lattice.size() == sums_.size());
  DPFERMI_TRY(check(units_ + 1));
  ++units_;
  for (std::size_t i = 0; i < lattice.size(); ++i) sums_[i] += lattice[i];
  return {};
}

Status LatticeSum::add_sum(std::span<const double> integers, std::uint64_t units) {
  assert(integers.size() == sums_.size());
  DPFERMI_TRY(check(units_ + units));
  units_ += units;
  for (std::size_t i = 0; i < integers.size(); ++i) {
    sums_[i] += static_cast<std::int64_t>(integers[i]);
  }
  return {};
}

Status LatticeSum::add_integers(std::span<const std::int64_t> integers, std::uint64_t units) {
  assert(integers.size() == sums_.size());
  DPFERMI_TRY(check(units_ + units));
  units_ += units;
  const auto most = static_cast<std::int64_t>(units << bits_);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    sums_[i] += std::clamp(integers[i], -most, most);
  }
  return {};
}

Status LatticeSum::merge(const LatticeSum& other) {
  assert(other.sums_.size() == sums_.size() && other.bits_ == bits_);
  DPFERMI_TRY(check(units_ + other.units_));
  units_ += other.units_;
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
  return {};
}

}  // namespace dpfermi
