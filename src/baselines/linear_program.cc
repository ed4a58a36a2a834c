#include "baselines/linear_program.h"

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

namespace dpfermi {

Result<std::vector<double>> solve(const LinearProgram& program) {
  const auto columns = static_cast<int>(program.cost.size());
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, columns);
  std::vector<double> low;
  std::vector<double> high;
  for (const LinearProgram::Row& row : program.rows) {
    std::vector<int> indices;
    std::vector<double> values;
    for (int j = 0; j < columns; ++j) {
      if (row.coefficients[j] == 0) continue;
      indices.push_back(j);
      values.push_back(row.coefficients[j]);
    }
    matrix.appendRow(static_cast<int>(indices.size()), indices.data(), values.data());
    low.push_back(row.low);
    high.push_back(row.high);
  }
  ClpSimplex simplex;
  simplex.setLogLevel(0);
  simplex.loadProblem(matrix, program.low.data(), program.high.data(), program.cost.data(),
                      low.data(), high.data());
  simplex.primal();
  if (!simplex.isProvenOptimal()) {
    return failed("a linear program has no solution; allow a larger violation");
  }
  const double* solution = simplex.primalColumnSolution();
  return std::vector<double>(solution, solution + columns);
}

}  // namespace dpfermi
