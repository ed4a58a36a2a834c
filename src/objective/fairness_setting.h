#pragma once

/// A fairness notion on data of a given shape: which label meets which condition.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dpfermi/objective/fairness_notion.h"

namespace dpfermi {

/// What the fairness term is about.
struct FairnessSetting {
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  std::size_t groups = 2;      ///< k
  std::size_t classes = 2;     ///< l
  std::size_t favourable = 1;  ///< the label that notions may single out

  std::size_t conditions() const { return condition_count(notion, classes); }
  std::size_t width() const { return classes == 2 ? 1 : classes; }
  std::size_t w_size() const { return conditions() * groups * classes; }

  /// The condition of every label; conditions() where there is none.
  std::vector<std::uint32_t> condition_by_label() const;

  /// The labels that meet a condition, in their order.
  std::vector<std::size_t> labels_of(std::size_t condition) const;

  /// Whether all rows meet one condition, whatever their label.
  bool unconditional() const;

  /// Whether the violation compares how often groups get decision j.
  bool compares(std::size_t j) const { return notion.descriptor().compares(j, favourable); }

  /// Whether every condition of `other`, on data of the same shape, is a union of conditions of
  /// this one. Sums by condition and group then give those of `other`.
  bool refines(const FairnessSetting& other) const;
  /// Requires that it does. The conditions of this one whose union is condition c of `other`.
  std::vector<std::size_t> parts_of(const FairnessSetting& other, std::size_t c) const;

  /// Who meets a condition, for people: " among high"; nothing where everybody does.
  std::string among(std::size_t condition, std::span<const std::string> class_names) const;
};

}  // namespace dpfermi
