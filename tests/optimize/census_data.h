#pragma once

/// The synthetic census as encoded data, for runs of whole methods.

#include <gtest/gtest.h>

#include <sstream>

#include "data/all_rows.h"
#include "data/census.h"
#include "data/table_reader.h"
#include "preprocess/pipeline.h"

namespace dpfermi::testing_support {

/// The class that is good to get.
inline constexpr std::size_t kFavourable = 1;

inline Dataset census_data(const CensusSpec& spec) {
  std::ostringstream csv;
  EXPECT_TRUE(write_census(spec, csv).has_value());
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("census", std::move(csv).str()));
  const Table table = read_table(std::move(sources), census_schema(spec)).value();
  const std::vector<std::uint32_t> rows = all_rows(table);
  const Pipeline pipeline = Pipeline::fit(table, rows).value();
  return pipeline.apply(table, rows).value().data;
}

}  // namespace dpfermi::testing_support
