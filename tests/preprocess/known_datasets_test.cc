// The known data sets, where their files are available ($DPFERMI_DATA, or shared/data
// beside the source tree); skipped otherwise.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <ostream>
#include <set>

#include "data/checksum.h"
#include "data/registry.h"
#include "data/zip_archive.h"
#include "preprocess/pipeline.h"

namespace dpfermi {
namespace {

struct Expected {
  const char* dataset;
  const char* variant;
  std::size_t rows;
  std::size_t columns;
  std::size_t units;
  std::size_t classes;
  std::size_t groups;
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.dataset << ":" << expected.variant;
}

std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> all = data_folders("");
  all.emplace_back(std::filesystem::path(DPFERMI_SOURCE_DIR) / "../shared/data");
  return all;
}

class KnownDataset : public testing::TestWithParam<Expected> {};

TEST_P(KnownDataset, HasItsKnownShape) {
  const Expected& expected = GetParam();
  const DatasetDescriptor dataset = find_dataset(expected.dataset).value();
  const auto folder = locate_dataset(dataset, folders());
  if (!folder) GTEST_SKIP() << folder.error().message;
  const DatasetVariant variant = dataset.variant(expected.variant).value();
  const auto table = read_table(table_request(variant, *folder));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows, expected.rows);
  EXPECT_EQ(table->unit_count, expected.units);
  EXPECT_EQ(table->labels.classes.size(), expected.classes);
  EXPECT_EQ(table->domain.size(), expected.groups);
  EXPECT_TRUE(table->domain.declared());
  std::vector<std::uint32_t> rows(table->rows);
  std::iota(rows.begin(), rows.end(), 0U);
  const auto pipeline = Pipeline::fit(*table, rows);
  ASSERT_TRUE(pipeline) << pipeline.error().message;
  EXPECT_EQ(pipeline->columns(), expected.columns);
  EXPECT_TRUE(pipeline->apply(*table, rows)->unseen.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Registry, KnownDataset,
    testing::Values(Expected{"adult", "honest", 45'222, 102, 45'222, 2, 2},
                    Expected{"adult", "as-published", 60'324, 102, 60'324, 2, 2},
                    Expected{"retired-adult", "honest", 45'849, 101, 45'849, 2, 2},
                    Expected{"credit-card", "honest", 30'000, 85, 30'000, 2, 2},
                    Expected{"parkinsons", "as-published", 5'875, 19, 5'875, 2, 2},
                    Expected{"parkinsons", "honest", 5'875, 18, 42, 2, 2},
                    Expected{"utkface", "honest", 23'705, 0, 23'315, 9, 5},
                    Expected{"compas", "honest", 7'214, 13, 7'214, 2, 2},
                    Expected{"acs-income", "honest", 39'133, 794, 39'133, 2, 2},
                    Expected{"diabetes-130", "honest", 101'766, 155, 71'518, 3, 6}),
    [](const auto& given) {
      std::string name = std::string(given.param.dataset) + "_" + given.param.variant;
      std::erase(name, '-');
      return name;
    });

TEST(KnownDataset, ChecksumsAreThoseOfTheRegistry) {
  int checked = 0;
  for (const DatasetDescriptor& dataset : built_in_datasets()) {
    const auto folder = locate_dataset(dataset, folders());
    if (!folder) continue;
    for (const DatasetFile& file : dataset.files) {
      const bool unpacked = std::filesystem::exists(*folder / file.name);
      const auto zipped = *folder / std::filesystem::path(file.archive).filename();
      EXPECT_EQ(unpacked
                    ? sha256_of_file(*folder / file.name).value()
                    : sha256_of_bytes(ZipArchive::open(zipped)->read(file.member).value()).value(),
                file.sha256)
          << file.name;
      ++checked;
    }
  }
  if (checked == 0) GTEST_SKIP() << "no data set available";
}

TEST(KnownDataset, AgeBandNamesTheNineClassesOfUtkface) {
  const DatasetDescriptor dataset = find_dataset("utkface").value();
  EXPECT_EQ(dataset.target_name, "age-band");
  for (const DatasetVariant& variant : dataset.variants) {
    EXPECT_EQ(variant.schema.target.column, "age");
    EXPECT_EQ(variant.schema.target.bins.size(), 8U);
  }
}

TEST(KnownDataset, UtkfaceLabelsNameImagesOfTheArchive) {
  const DatasetDescriptor dataset = find_dataset("utkface").value();
  const auto folder = locate_dataset(dataset, folders());
  if (!folder) GTEST_SKIP() << folder.error().message;
  const DatasetVariant variant = dataset.variant("").value();
  const Table table = read_table(table_request(variant, *folder)).value();
  const ZipArchive archive = ZipArchive::open(*folder / variant.images).value();
  EXPECT_EQ(archive.names().size(), 23'708U);
  for (const std::string& image : table.images) ASSERT_TRUE(archive.contains(image)) << image;
  const std::string jpeg = archive.read(table.images.front()).value();
  EXPECT_TRUE(jpeg.starts_with("\xFF\xD8\xFF"));
}

TEST(KnownDataset, HonestParkinsonsSplitsKeepPersonsWhole) {
  const DatasetDescriptor dataset = find_dataset("parkinsons").value();
  const auto folder = locate_dataset(dataset, folders());
  if (!folder) GTEST_SKIP() << folder.error().message;
  const DatasetVariant variant = dataset.variant("").value();
  const Table table = read_table(table_request(variant, *folder)).value();
  EXPECT_EQ(table.labels.threshold, 27.576);
  const Split split = split_rows(split_blocks(table, variant.split), 0.25, 1).value();
  std::set<std::uint32_t> train;
  for (const std::uint32_t row : split.train) train.insert(table.units[row]);
  for (const std::uint32_t row : split.test) EXPECT_FALSE(train.contains(table.units[row]));
}

}  // namespace
}  // namespace dpfermi
