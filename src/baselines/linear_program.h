#pragma once

/// Small linear programs, solved by CLP (docs/decisions/0007-linear-programs.md).

#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// min cost . x  subject to  low <= x <= high  and  row.low <= row.coefficients . x <= row.high.
/// Bounds may be infinite. All vectors but `rows` have one entry a variable.
struct LinearProgram {
  struct Row {
    std::vector<double> coefficients;
    double low;
    double high;
  };
  std::vector<double> cost, low, high;
  std::vector<Row> rows;
};

/// A point where the minimum is reached. Fails where there is none.
Result<std::vector<double>> solve(const LinearProgram& program);

}  // namespace dpfermi
