#include "evaluate/compared_violation.h"

#include <algorithm>

#include "data/dataset.h"
#include "data/unit_rows.h"
#include "evaluate/group_table.h"
#include "objective/fairness_setting.h"

namespace dpfermi {

std::optional<double> compared_violation(std::span<const std::uint16_t> decisions,
                                         const Dataset& data, const FairnessSetting& setting,
                                         const std::vector<bool>& known) {
  const std::vector<std::uint16_t>& s = ExactForHolder::read(data.s);
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  const UnitRows units(data);
  std::vector<GroupTable> tables(setting.conditions(), GroupTable(setting.groups, setting.classes));
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const std::uint32_t c = condition[data.y[i]];
    if (c == setting.conditions()) continue;
    if (!known.empty() && !known[c * setting.groups + s[i]]) continue;
    const double weight = units.weight(data.units[i]);
    tables[c].add_unit(s[i], weight);
    tables[c].add_mass(s[i], decisions[i], weight);
  }
  std::optional<double> largest;
  for (const GroupTable& table : tables) {
    if (table.groups_with_units() < 2) continue;
    for (std::size_t j = 0; j < setting.classes; ++j) {
      if (setting.compares(j)) largest = std::max(largest.value_or(0), table.gap(j));
    }
  }
  return largest;
}

}  // namespace dpfermi
