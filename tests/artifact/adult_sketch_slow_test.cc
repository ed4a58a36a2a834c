// Adult, where its files are available ($DPFERMI_DATA, or shared/data beside the source tree): a
// sketch is a file of 64 kB at most.

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "artifact/sketch_file.h"
#include "data/registry.h"
#include "data/table_reader.h"
#include "preprocess/pipeline.h"
#include "sketch/synthetic.h"

namespace dpfermi {
namespace {

using testing_support::sketch_of;

TEST(AdultSketch, IsASmallFile) {
  const DatasetDescriptor dataset = find_dataset("adult").value();
  std::vector<std::filesystem::path> folders = data_folders("");
  folders.emplace_back(std::filesystem::path(DPFERMI_SOURCE_DIR) / "../shared/data");
  const auto folder = locate_dataset(dataset, folders);
  if (!folder) GTEST_SKIP() << folder.error().message;
  const Table table = read_table(table_request(dataset.variant("").value(), *folder)).value();
  std::vector<std::uint32_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  const Pipeline pipeline = Pipeline::fit(table, rows).value();
  const EncodedDataset all = pipeline.apply(table, rows).value();
  const SketchFeatures features = SketchFeatures::create(all.data, {}).value();
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds}) {
    StoredSketch stored;
    stored.sketch = sketch_of(all.data, features, notion, 0.5, 1);
    stored.columns = pipeline.column_names();
    stored.target = table.schema.target.column;
    stored.classes = table.labels.classes;
    stored.groups = table.domain.names();
    stored.fingerprint = public_fingerprint(all.data, stored.columns).value();
    const std::size_t bytes = encode_sketch(stored).value().size();
    RecordProperty(std::string(to_string(notion)), std::to_string(bytes));
    EXPECT_LE(bytes, 64U * 1024) << to_string(notion);
  }
}

}  // namespace
}  // namespace dpfermi
