#include "audit/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <random>
#include <span>

#include "data/chosen_rows.h"

namespace dpfermi {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Numbers that break arithmetic: none, long enough to be clipped, overflowing when squared,
/// vanishing when multiplied. A short search tries the first three, and none on units drawn.
constexpr std::array<float, 8> kExtremes{
    std::numeric_limits<float>::quiet_NaN(),  30,        kInfinity, -8, 3e38F, -1e30F,
    std::numeric_limits<float>::denorm_min(), -kInfinity};

std::span<const float> extremes(bool few, bool drawn) {
  if (!few) return kExtremes;
  return std::span(kExtremes).first(drawn ? 0 : 3);
}

std::vector<std::uint32_t> rows_of(const Dataset& data, std::uint32_t unit) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    if (data.units[row] == unit) rows.push_back(row);
  }
  return rows;
}

/// Rows of `data` in this order, numbered anew by unit.
Dataset choose_rows(const Dataset& data, const std::vector<std::uint16_t>& s,
                    const std::vector<std::uint32_t>& rows) {
  Dataset chosen = data;
  chosen.x = chosen_rows(data.x, rows);
  chosen.y.clear();
  chosen.units.clear();
  std::vector<std::uint16_t> groups;
  std::vector<std::uint32_t> number(data.unit_count, std::numeric_limits<std::uint32_t>::max());
  std::uint32_t units = 0;
  for (const std::uint32_t row : rows) {
    chosen.y.push_back(data.y[row]);
    groups.push_back(s[row]);
    std::uint32_t& own = number[data.units[row]];
    if (own == std::numeric_limits<std::uint32_t>::max()) own = units++;
    chosen.units.push_back(own);
  }
  chosen.unit_count = units;
  chosen.s = Protected<std::vector<std::uint16_t>>::rehearsal(std::move(groups), data.s.invented());
  return chosen;
}

/// A unit of the rarest group that has members.
std::uint32_t rarest_unit(const AuditCase& audited) {
  std::vector<std::size_t> sizes(audited.data.groups);
  for (const std::uint16_t group : audited.s) ++sizes[group];
  std::size_t rarest = 0;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (sizes[r] > 0 && (sizes[rarest] == 0 || sizes[r] < sizes[rarest])) rarest = r;
  }
  const auto row = std::ranges::find(audited.s, rarest) - audited.s.begin();
  return audited.data.units[static_cast<std::size_t>(row)];
}

/// A unit under attack; `drawn` ones are tried with ordinary numbers in a short search.
struct Target {
  std::uint32_t unit;
  bool drawn;
};

std::vector<Target> targets_of(const AuditCase& audited, bool few, std::uint64_t seed) {
  const auto units = static_cast<std::uint32_t>(audited.data.unit_count);
  std::vector<Target> targets;
  const auto add = [&](std::uint32_t unit, bool drawn) {
    if (std::ranges::find(targets, unit, &Target::unit) != targets.end()) return;
    targets.push_back({unit, drawn});
  };
  add(0, false);
  add(units - 1, false);
  add(rarest_unit(audited), false);
  std::mt19937_64 engine(seed);
  for (int drawn = 0; drawn < (few ? 1 : 3); ++drawn) {
    add(static_cast<std::uint32_t>(engine() % units), true);
  }
  return targets;
}

/// All rows of a unit with every number set to `value`.
Dataset with_numbers(Dataset data, std::uint32_t unit, float value) {
  for (const std::uint32_t row : rows_of(data, unit)) {
    std::ranges::fill(data.x.row(row).numbers, value);
  }
  return data;
}

/// The record of `unit` replaced: other numbers, another label, another group, no category.
Dataset with_record(const AuditCase& audited, std::uint32_t unit, std::uint16_t group, float value,
                    std::uint16_t label) {
  Dataset data = with_groups(with_numbers(audited.data, unit, value),
                             move_unit(audited.data, audited.s, unit, group));
  for (const std::uint32_t row : rows_of(data, unit)) {
    data.y[row] = label;
    for (std::uint16_t& one : data.x.row(row).ones) {
      one = static_cast<std::uint16_t>(data.x.columns());
    }
  }
  return data;
}

void add_flips(const AuditCase& audited, const Dataset& base, std::uint32_t unit,
               const std::string& features, std::vector<Neighbours>& pairs) {
  const std::uint16_t own = audited.s[rows_of(audited.data, unit).front()];
  for (std::uint16_t group = 0; group < audited.data.groups; ++group) {
    if (group == own) continue;
    pairs.push_back({fmt::format("unit {}, group {} -> {}{}", unit, own, group, features),
                     with_groups(base, audited.s),
                     with_groups(base, move_unit(base, audited.s, unit, group)), unit,
                     features.empty()});
  }
}

void add_replacements(const AuditCase& audited, std::uint32_t unit, std::span<const float> values,
                      std::vector<Neighbours>& pairs) {
  const auto last_group = static_cast<std::uint16_t>(audited.data.groups - 1);
  const auto last_label = static_cast<std::uint16_t>(audited.data.classes - 1);
  const auto replace = [&](float value, std::uint16_t group, std::uint16_t label) {
    pairs.push_back(
        {fmt::format("unit {} -> numbers {}, group {}, label {}", unit, value, group, label),
         audited.data, with_record(audited, unit, group, value, label), unit});
  };
  replace(3, last_group, 0);
  replace(-3, 0, last_label);
  for (const float value : values) replace(value, last_group, last_label);
  if (values.size() < kExtremes.size()) return;
  // Both sides extreme.
  pairs.push_back({fmt::format("unit {}, numbers 1e30 -> -1e30", unit),
                   with_record(audited, unit, 0, 1e30F, last_label),
                   with_record(audited, unit, last_group, -1e30F, 0), unit});
}

/// The unit is moved to the end, so that the coins of all others stay the same without it.
void add_removal(const AuditCase& audited, const Dataset& base, std::uint32_t unit,
                 const std::string& features, std::vector<Neighbours>& pairs) {
  std::vector<std::uint32_t> others;
  for (std::uint32_t row = 0; row < base.rows(); ++row) {
    if (base.units[row] != unit) others.push_back(row);
  }
  std::vector<std::uint32_t> all = others;
  const std::vector<std::uint32_t> own = rows_of(base, unit);
  all.insert(all.end(), own.begin(), own.end());
  pairs.push_back({fmt::format("unit {} removed{}", unit, features),
                   choose_rows(base, audited.s, all), choose_rows(base, audited.s, others),
                   static_cast<std::uint32_t>(base.unit_count - 1)});
}

}  // namespace

std::vector<Neighbours> neighbours_of(const AuditCase& audited, bool few, std::uint64_t seed) {
  std::vector<Neighbours> pairs;
  for (const auto& [unit, drawn] : targets_of(audited, few, seed)) {
    const std::span<const float> values = extremes(few, drawn);
    switch (audited.request.adjacency) {
      case Adjacency::kSensitive:
        add_flips(audited, audited.data, unit, "", pairs);
        if (audited.data.s.invented() != Invented::kRecords) break;
        for (const float value : values) {
          add_flips(audited, with_numbers(audited.data, unit, value), unit,
                    fmt::format(", numbers {}", value), pairs);
        }
        break;
      case Adjacency::kReplaceRecord:
        add_replacements(audited, unit, values, pairs);
        break;
      case Adjacency::kAddRemoveRecord:
        add_removal(audited, audited.data, unit, "", pairs);
        for (const float value : values) {
          add_removal(audited, with_numbers(audited.data, unit, value), unit,
                      fmt::format(", numbers {}", value), pairs);
        }
        break;
    }
  }
  return pairs;
}

std::vector<Exchange> exchanges_of(const AuditCase& audited) {
  constexpr std::size_t kEnough = 3;
  std::vector<Exchange> exchanges;
  const Dataset& data = audited.data;
  // Units of one row, the same label: then no share of any condition changes.
  std::vector<std::uint32_t> sizes(data.unit_count);
  for (const std::uint32_t unit : data.units) ++sizes[unit];
  const auto first = static_cast<std::size_t>(
      std::ranges::find_if(data.units, [&](std::uint32_t unit) { return sizes[unit] == 1; }) -
      data.units.begin());
  for (std::size_t row = first; row < data.rows() && exchanges.size() < kEnough; ++row) {
    const std::uint32_t unit = data.units[first];
    const std::uint32_t other = data.units[row];
    const bool alike = sizes[other] == 1 && data.y[row] == data.y[first];
    if (!alike || audited.s[row] == audited.s[first]) continue;
    std::vector<std::uint16_t> s = audited.s;
    std::swap(s[row], s[first]);
    exchanges.push_back({{fmt::format("units {} and {} exchange groups", unit, other), data,
                          with_groups(data, std::move(s)), unit},
                         other});
  }
  return exchanges;
}

}  // namespace dpfermi
