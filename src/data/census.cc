#include "data/census.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <ostream>
#include <random>

#include "core/text.h"

namespace dpfermi {
namespace {

/// How a column of numbers looks: centre + spread * z, rounded and cut off at both ends.
struct NumberShape {
  const char* name;
  double centre, spread, low, high;
  double signal;  ///< correlation with the advantage
};
constexpr std::array<NumberShape, 6> kNumbers = {{
    {"age", 42, 13, 17, 90, 0.3},
    {"education_years", 12, 3, 1, 20, 0.7},
    {"hours_per_week", 39, 11, 1, 99, 0.5},
    {"tenure_years", 8, 6, 0, 45, 0.5},
    {"commute_minutes", 28, 14, 0, 180, -0.2},
    {"savings", 9000, 7000, 0, 99999, 0.6},
}};

struct CategoryShape {
  const char* name;
  std::size_t levels;
  double signal;
};
constexpr std::array<CategoryShape, 8> kCategories = {{
    {"occupation", 12, 0.6},
    {"sector", 7, 0.4},
    {"household", 5, 0.3},
    {"region", 10, 0.1},
    {"diploma", 16, 0.7},
    {"contract", 6, 0.4},
    {"dwelling", 5, 0.2},
    {"birthplace", 40, 0.1},
}};

NumberShape number_shape(std::size_t j) {
  return j < kNumbers.size() ? kNumbers[j] : NumberShape{"", 100, 25, 0, 200, 0.2};
}
CategoryShape category_shape(std::size_t j) {
  return j < kCategories.size() ? kCategories[j] : CategoryShape{"", 8, 0.2};
}
std::string number_name(std::size_t j) {
  return j < kNumbers.size() ? kNumbers[j].name : fmt::format("number_{}", j + 1);
}
std::string category_name(std::size_t j) {
  return j < kCategories.size() ? kCategories[j].name : fmt::format("category_{}", j + 1);
}
std::string group_name(std::size_t r) {
  return fmt::format("g{}", r);
}

std::string class_name(std::size_t c, std::size_t classes) {
  if (classes == 2) return c == 0 ? "low" : "high";
  return fmt::format("band{}", c);
}

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// Portable draws: the standard's distributions differ between libraries.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : bits_(seed) {}
  double uniform() { return (static_cast<double>(bits_() >> 11U) + 0.5) * 0x1.0p-53; }
  double normal() {
    if (have_spare_) {
      have_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(uniform()));
    const double angle = 2 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    have_spare_ = true;
    return radius * std::cos(angle);
  }

 private:
  std::mt19937_64 bits_;
  double spare_ = 0;
  bool have_spare_ = false;
};

std::size_t band_of(double z, std::size_t bands) {
  const double position = normal_cdf(z) * static_cast<double>(bands);
  return std::min(static_cast<std::size_t>(position), bands - 1);
}

/// One person, appended as a line. `scratch` holds no state between calls.
class PersonWriter {
 public:
  explicit PersonWriter(const CensusSpec& spec) : spec_(spec), draws_(spec.seed) {
    for (std::size_t r = 0; r < spec.groups; ++r) {
      total_weight_ += 1 / (1 + 0.5 * static_cast<double>(r));
    }
  }

  void append(fmt::memory_buffer& line) {
    const std::size_t group = draw_group();
    const double disadvantage =
        spec_.unfairness * static_cast<double>(group) / static_cast<double>(spec_.groups - 1);
    const double advantage = draws_.normal() - disadvantage;
    double merit = 0;
    double signals = 0;
    const auto view = [&](double signal) {
      const double z = signal * advantage + std::sqrt(1 - signal * signal) * draws_.normal();
      merit += signal * z;
      signals += signal * signal;
      return z;
    };
    for (std::size_t j = 0; j < spec_.numeric; ++j) append_number(line, j, view);
    for (std::size_t j = 0; j < spec_.categorical; ++j) {
      const CategoryShape shape = category_shape(j);
      fmt::format_to(std::back_inserter(line), "{}_{:02},", category_name(j),
                     band_of(view(shape.signal), shape.levels));
    }
    // Among the least advantaged group of a fair world the label's bands are equally likely, but
    // for two classes: there a quarter is "high", as in real censuses.
    const double score = merit / std::sqrt(signals + signals * signals) + 0.5 * draws_.normal();
    const std::size_t band = spec_.classes == 2 ? static_cast<std::size_t>(score > 0.75)
                                                : band_of(score / std::sqrt(1.25), spec_.classes);
    fmt::format_to(std::back_inserter(line), "{},{}\n", group_name(group),
                   class_name(band, spec_.classes));
  }

 private:
  template <class View>
  void append_number(fmt::memory_buffer& line, std::size_t j, View& view) {
    const NumberShape shape = number_shape(j);
    const double value = std::round(shape.centre + shape.spread * view(shape.signal));
    fmt::format_to(std::back_inserter(line), "{},",
                   static_cast<long>(std::clamp(value, shape.low, shape.high)));
  }

  std::size_t draw_group() {
    double rest = draws_.uniform() * total_weight_;
    for (std::size_t r = 0; r + 1 < spec_.groups; ++r) {
      rest -= 1 / (1 + 0.5 * static_cast<double>(r));
      if (rest < 0) return r;
    }
    return spec_.groups - 1;
  }

  CensusSpec spec_;
  Draws draws_;
  double total_weight_ = 0;
};

}  // namespace

Status check_census(const CensusSpec& spec) {
  if (spec.rows < 1) return usage_error("a census needs at least one row");
  if (spec.groups < 2 || spec.groups > 50 || spec.classes < 2 || spec.classes > 50) {
    return usage_error("a census needs 2 to 50 groups and 2 to 50 classes");
  }
  if (spec.numeric + spec.categorical < 1 || spec.numeric + spec.categorical > 1000) {
    return usage_error("a census needs 1 to 1000 feature columns");
  }
  if (!(spec.unfairness >= 0 && spec.unfairness <= 10)) {
    return usage_error("the unfairness of a census lies between 0 and 10");
  }
  return {};
}

Status write_census(const CensusSpec& spec, std::ostream& out) {
  DPFERMI_TRY(check_census(spec));
  fmt::memory_buffer lines;
  for (std::size_t j = 0; j < spec.numeric; ++j) {
    fmt::format_to(std::back_inserter(lines), "{},", number_name(j));
  }
  for (std::size_t j = 0; j < spec.categorical; ++j) {
    fmt::format_to(std::back_inserter(lines), "{},", category_name(j));
  }
  fmt::format_to(std::back_inserter(lines), "group,income\n");
  PersonWriter person(spec);
  constexpr std::size_t kFlushBytes = 1 << 16;
  for (std::uint64_t i = 0; i < spec.rows; ++i) {
    person.append(lines);
    if (lines.size() >= kFlushBytes || i + 1 == spec.rows) {
      out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
      if (!out) return failed("the table could not be written; the disk may be full");
      lines.clear();
    }
  }
  return {};
}

Schema census_schema(const CensusSpec& spec) {
  Schema schema;
  schema.target.column = "income";
  schema.target.positive = class_name(spec.classes - 1, spec.classes);
  SensitiveSpec group{.column = "group"};
  for (std::size_t r = 0; r < spec.groups; ++r) group.values.push_back(group_name(r));
  group.other = group.values.front();
  schema.sensitive.push_back(std::move(group));
  schema.missing = MissingPolicy::kError;
  return schema;
}

}  // namespace dpfermi
