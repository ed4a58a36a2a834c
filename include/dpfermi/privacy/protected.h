#pragma once

/// Protected<T> holds data that must not leave without noise. It can be stored, moved and passed
/// around freely, but read only by a holder of a ProtectedReadKey, and only the classes
/// befriended below can make one:
///   - the Privatizer, the CountsPrivatizer, the LaplacePrivatizer and the ResponseRandomizer,
///     which add noise and hold a ledger's permit;
///   - ExactRead (privacy/statement.h), which a ledger has been charged for: for methods without
///     noise;
///   - ExactForHolder, for figures shown to the data's holder and marked "exact, not private".
/// tests/compile_fail proves that other code does not compile.
///
/// An auditor who rehearses a run makes up its protected values, by coin flips for instance. Such a
/// value is marked as synthetic for good; a release that is watched from inside (ReleaseTap) takes
/// no other.

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
  friend class LaplacePrivatizer;
  friend class ResponseRandomizer;
  friend class ExactRead;
  friend class ExactForHolder;
  ProtectedReadKey() = default;
};

/// Which parts of the data set are synthetic.
enum class Invented {
  kNothing,  ///< all of it is real
  kGroups,   ///< the sensitive attribute was made up; features and labels may be real
  kRecords,  ///< whole records were made up
};

template <class T>
class Protected {
 public:
  Protected() = default;
  explicit Protected(T value) : value_(std::move(value)) {}

  /// A value that an auditor made up, for a rehearsal.
  static Protected rehearsal(T value, Invented invented) {
    Protected made_up(std::move(value));
    made_up.invented_ = invented;
    return made_up;
  }
  Invented invented() const { return invented_; }

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
    return rehearsal(std::move(chosen), invented_);
  }

  /// For a protected vector of indices: every entry i that `names` knows becomes names[i], still
  /// protected. `names` must be public or released: what a unit adds to a sum then still depends on
  /// that unit alone.
  template <class Index>
  Protected relabelled(const std::vector<Index>& names) const {
    T changed = value_;
    for (auto& entry : changed) {
      if (entry < names.size()) entry = names[entry];
    }
    return rehearsal(std::move(changed), invented_);
  }

 private:
  T value_{};
  Invented invented_ = Invented::kNothing;
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
