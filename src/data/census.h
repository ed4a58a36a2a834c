#pragma once

/// A synthetic census: the embedded default data set, not about real people.
///
/// Every person has a group r, drawn with probability proportional to 1/(1 + r/2), and a hidden
/// advantage a ~ N(0,1) - unfairness * r/(k-1). Features are noisy views of the advantage: numbers
/// are affine in it, categories are its quantised bands, each with its own noise. The label is a
/// band of the features' average plus luck: features drive the label, groups drive it only through
/// features. unfairness = 0 gives a fair world.

#include <cstdint>
#include <iosfwd>
#include <string>

#include "dpfermi/core/result.h"
#include "dpfermi/data/schema.h"

namespace dpfermi {

struct CensusSpec {
  std::uint64_t rows = 20'000;
  std::size_t groups = 2;       ///< k
  std::size_t classes = 2;      ///< l
  std::size_t numeric = 4;      ///< numeric columns
  std::size_t categorical = 4;  ///< categorical columns
  double unfairness = 1.0;
  std::uint64_t seed = 1;
};

/// Checks the ranges: 1 <= rows, 2 <= groups, classes <= 50, at least one column, unfairness
/// finite.
Status check_census(const CensusSpec& spec);

/// Writes the census as CSV with a header: the numeric columns, the categorical ones, "group" and
/// "income". The same spec always gives the same bytes.
Status write_census(const CensusSpec& spec, std::ostream& out);

/// The schema of that table: income is predicted, group is protected with its full domain declared.
Schema census_schema(const CensusSpec& spec);

}  // namespace dpfermi
