#pragma once

/// The synthetic census as the table of an experiment.

#include <gtest/gtest.h>

#include <sstream>

#include "data/census.h"
#include "data/table_reader.h"
#include "experiment/split_data.h"

namespace dpfermi::testing_support {

inline SourceTable census_source(std::uint64_t rows) {
  const CensusSpec spec{.rows = rows};
  std::ostringstream csv;
  EXPECT_TRUE(write_census(spec, csv).has_value());
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("census", std::move(csv).str()));
  Table table = read_table(std::move(sources), census_schema(spec)).value();
  std::vector<std::uint32_t> blocks = split_blocks(table, {});
  return {std::move(table), std::move(blocks)};
}

}  // namespace dpfermi::testing_support
