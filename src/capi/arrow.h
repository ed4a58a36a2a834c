#pragma once

/// Tables that come through the Arrow C data interface, copied: numbers become doubles, truth
/// values, texts and dictionaries of texts become codes. Which columns are protected is not known
/// here, so nothing is reported about values: a text that a C string cannot hold counts as missing.

#include <cstdint>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/dpfermi_c.h"

namespace dpfermi::capi {

struct ArrowColumn {
  std::string name;
  bool numeric = false;
  std::vector<double> numbers;      ///< of a numeric column; NaN: missing
  std::vector<std::int32_t> codes;  ///< of any other; -1: missing
  std::vector<std::string> levels;
};

struct ArrowTable {
  std::size_t rows = 0;
  std::vector<ArrowColumn> columns;
};

/// All batches of the stream, one after the other. Refuses columns that are neither numbers, truth
/// values nor texts, by their names and types.
Result<ArrowTable> read_arrow(ArrowArrayStream& stream);

}  // namespace dpfermi::capi
