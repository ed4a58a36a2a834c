#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli.h"
#include "describe.h"
#include "dpfermi/core/text.h"
#include "dpfermi/data/census.h"
#include "dpfermi/data/split.h"
#include "dpfermi/preprocess/pipeline.h"
#include "text_table.h"

namespace dpfermi::cli {
namespace {

/// The favourable labels of each group: what a fair classifier has to work against.
std::string unfairness_text(const Dataset& data, const GroupDomain& domain, std::size_t positive) {
  std::vector<std::size_t> rows(domain.size());
  std::vector<std::size_t> favourable(domain.size());
  const std::vector<std::uint16_t>& groups = ExactForHolder::read(data.s);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    ++rows[groups[i]];
    favourable[groups[i]] += data.y[i] == positive ? 1 : 0;
  }
  TextTable text({"group", "rows", fmt::format("favourable label ({})", ExactForHolder::kLabel)});
  for (std::size_t r = 0; r < domain.size(); ++r) {
    const double share =
        rows[r] == 0 ? 0 : static_cast<double>(favourable[r]) / static_cast<double>(rows[r]);
    text.add({domain.names()[r], with_thousands(rows[r]), fmt::format("{:.1f} %", 100 * share)});
  }
  return text.to_string();
}

Status demo(const Context& context) {
  const CensusSpec spec;
  std::ostringstream csv;
  DPFERMI_TRY(write_census(spec, csv));
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("synthetic census", std::move(csv).str()));
  DPFERMI_ASSIGN(const Table table,
                 read_table(std::move(sources), census_schema(spec), Adjacency::kSensitive));
  DPFERMI_ASSIGN(const Split split, split_rows(split_blocks(table, {}), 0.25, 1));
  DPFERMI_ASSIGN(const Pipeline pipeline, Pipeline::fit(table, split.train, Adjacency::kSensitive));
  DPFERMI_ASSIGN(const EncodedDataset train, pipeline.apply(table, split.train));
  DPFERMI_ASSIGN(const EncodedDataset test, pipeline.apply(table, split.test));
  if (context.json) {
    const nlohmann::ordered_json json = {{"rows", table.rows},
                                         {"train_rows", train.data.rows()},
                                         {"test_rows", test.data.rows()},
                                         {"input_columns", pipeline.columns()},
                                         {"groups", table.domain.names()},
                                         {"classes", table.labels.classes}};
    Context::print(json.dump(2) + "\n");
    return {};
  }
  Context::print(fmt::format(
      "A synthetic census of {} persons, made on the spot (dpfermi datasets generate).\n"
      "Protected: {} ({}). Predicted: {}.\n\n",
      with_thousands(table.rows), table.schema.sensitive[0].column,
      fmt::join(table.domain.names(), ", "), table.schema.target.column));
  Context::print(unfairness_text(train.data, table.domain, table.labels.positive));
  Context::print(fmt::format(
      "\nSplit: {} rows to train on, {} to test on; no duplicate on both sides.\n"
      "Encoded: {} input columns from {} numbers and {} categories, {:.1f} MB instead of {:.1f} MB "
      "dense.\n",
      with_thousands(train.data.rows()), with_thousands(test.data.rows()), pipeline.columns(),
      pipeline.numeric().size(), pipeline.categories().size(),
      static_cast<double>(train.data.x.bytes()) / 1e6,
      static_cast<double>(train.data.rows() * pipeline.columns() * sizeof(float)) / 1e6));
  return {};
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
  add_verb(app, context, "demo", "Walk through the tool on an embedded synthetic census",
           "  dpfermi demo\n  dpfermi demo --json", [&context] { return demo(context); });
}

}  // namespace dpfermi::cli
