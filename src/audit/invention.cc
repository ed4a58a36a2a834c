#include "audit/invention.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace dpfermi {
namespace {

constexpr std::size_t kValues = 3;  // of a synthetic category

/// Copies the group of a unit to its rows.
template <class Draw>
std::vector<std::uint16_t> by_unit(const Dataset& data, const Draw& draw) {
  std::vector<std::uint16_t> of_unit;
  for (std::size_t unit = 0; unit < data.unit_count; ++unit) of_unit.push_back(draw());
  std::vector<std::uint16_t> groups;
  groups.reserve(data.rows());
  for (const std::uint32_t unit : data.units) groups.push_back(of_unit[unit]);
  return groups;
}

}  // namespace

Dataset two_by_two(HybridMatrix x) {
  Dataset data;
  data.x = std::move(x);
  data.y.resize(data.rows());
  data.units.resize(data.rows());
  std::iota(data.units.begin(), data.units.end(), 0U);
  data.classes = 2;
  data.groups = 2;
  data.unit_count = data.rows();
  return data;
}

std::uint32_t Inventor::whole(std::size_t below) {
  return static_cast<std::uint32_t>(uniform() * static_cast<double>(below));
}

Dataset Inventor::draw(const Shape& shape, bool persons) {
  Dataset data;
  data.persons = persons;
  data.unit_count = shape.units;
  data.groups = shape.groups;
  data.classes = shape.classes;
  for (std::uint32_t unit = 0; unit < shape.units; ++unit) {
    data.units.insert(data.units.end(), 1 + whole(shape.most_rows), unit);
  }
  // Categories share the columns behind the numbers, as evenly as they divide.
  const std::size_t ones = shape.columns - shape.numbers;
  std::vector<std::size_t> starts;
  std::vector<std::size_t> sizes;
  for (std::size_t c = 0; c < shape.categories; ++c) {
    starts.push_back(shape.numbers + ones * c / shape.categories);
    sizes.push_back(ones * (c + 1) / shape.categories - ones * c / shape.categories);
  }
  data.x = HybridMatrix(data.units.size(), shape.numbers, sizes);
  for (std::size_t i = 0; i < data.units.size(); ++i) {
    const HybridMatrix::MutableRow row = data.x.row(i);
    for (float& number : row.numbers) {
      number = static_cast<float>((2 * uniform() - 1) * shape.largest);
    }
    for (std::size_t c = 0; c < row.ones.size(); ++c) {
      row.ones[c] = static_cast<std::uint16_t>(starts[c] + whole(sizes[c]));
    }
    data.y.push_back(static_cast<std::uint16_t>(whole(shape.classes)));
  }
  return data;
}

Dataset Inventor::records(const InventedSpec& spec) {
  const Shape shape{spec.units,
                    spec.most_rows,
                    spec.groups,
                    spec.classes,
                    spec.numbers,
                    spec.categories,
                    spec.numbers + kValues * spec.categories,
                    kLargestNumber};
  return draw(shape, spec.most_rows > 1);
}

Dataset Inventor::records_like(const Dataset& data, const TrainingRequest& request) {
  const std::size_t numbers = data.x.number_count();
  const double room = request.declared_norm * request.declared_norm - 1 -
                      static_cast<double>(data.x.category_count());
  const Shape shape{
      request.declared_units.value_or(static_cast<std::uint32_t>(data.unit_count)),
      data.persons ? 3U : 1U,
      data.groups,
      data.classes,
      numbers,
      data.x.category_count(),
      data.x.columns(),
      std::sqrt(std::max(room, 0.0) / static_cast<double>(std::max<std::size_t>(numbers, 1)))};
  return draw(shape, data.persons);
}

std::vector<std::uint16_t> Inventor::skewed_groups(const Dataset& data) {
  std::vector<double> ends;
  double sum = 0;
  for (std::size_t r = 0; r < std::max<std::size_t>(data.groups - 1, 2); ++r) {
    sum += 1 / static_cast<double>((1 + r) * (1 + r));
    ends.push_back(sum);
  }
  // Of more than two groups the last one has a single member.
  std::size_t left = data.groups > 2 ? data.unit_count / 2 : data.unit_count;
  return by_unit(data, [&] {
    if (left-- == 0) return static_cast<std::uint16_t>(data.groups - 1);
    const double at = uniform() * sum;
    std::uint16_t group = 0;
    while (group + 1U < ends.size() && at >= ends[group]) ++group;
    return group;
  });
}

std::vector<std::uint16_t> Inventor::coin_groups(const Dataset& data) {
  return by_unit(data, [&] { return static_cast<std::uint16_t>(whole(data.groups)); });
}

}  // namespace dpfermi
