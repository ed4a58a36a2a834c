#pragma once

/// Protected<T> holds data that must not leave without noise. It can be stored, moved and passed
/// around freely, but read only by somebody who holds a ProtectedReadKey, and only the classes
/// befriended below can make one:
///   - the Privatizer and the CountsPrivatizer, which add noise and hold a ledger's permit;
///   - ExactForHolder, for figures shown to the data's holder and marked "exact, not private".
/// tests/compile_fail proves that other code does not compile.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

class ProtectedReadKey {
 private:
  friend class Privatizer;
  friend class CountsPrivatizer;
  friend class ExactForHolder;
  ProtectedReadKey() = default;
};

template <class T>
class Protected {
 public:
  Protected() = default;
  explicit Protected(T value) : value_(std::move(value)) {}

  const T& read(ProtectedReadKey) const { return value_; }

  /// For a protected vector: its entries at `rows`, still protected. Refused when a row does not
  /// exist or is named twice: a unit that is there k times would be protected k times less.
  Result<Protected> select(std::span<const std::uint32_t> rows) const {
    std::vector<bool> taken(value_.size());
    T chosen;
    chosen.reserve(rows.size());
    for (const std::uint32_t row : rows) {
      if (row >= taken.size()) {
        return usage_error("row " + std::to_string(row) + " does not exist; choose others");
      }
      if (taken[row]) {
        return usage_error("row " + std::to_string(row) + " is chosen twice; name each row once");
      }
      taken[row] = true;
      chosen.push_back(value_[row]);
    }
    return Protected(std::move(chosen));
  }

 private:
  T value_{};
};

/// Permission to read protected data exactly. Whatever is computed through it is for the holder of
/// the data alone: it is labelled "exact, not private" wherever it is printed and never stored in a
/// model file or card.
class ExactForHolder {
 public:
  static constexpr const char* kLabel = "exact, not private";

  template <class T>
  static const T& read(const Protected<T>& data) {
    return data.read(ProtectedReadKey());
  }
};

}  // namespace dpfermi
