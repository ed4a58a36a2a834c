// Known data sets with other columns protected, where their files are available ($DPFERMI_DATA, or
// shared/data beside the source tree).

#include <gtest/gtest.h>

#include "data/table_choice.h"

namespace dpfermi {
namespace {

struct ProtectedColumns {
  const char* name;
  std::vector<std::string> columns;
  std::size_t groups;
};

TEST(RegisteredChoice, ProtectsOtherColumnsWithTheDomainsOfTheDescriptor) {
  const std::vector<ProtectedColumns> choices = {
      {"compas@race", {"race"}, 6},       {"compas@race+sex", {"race", "sex"}, 12},
      {"acs-income@RAC1P", {"RAC1P"}, 9}, {"diabetes-130@gender", {"gender"}, 2},
      {"adult@race", {"race"}, 5},        {"adult@race+sex", {"race", "sex"}, 10},
      {"adult@age", {"age"}, 4}};
  std::vector<std::filesystem::path> folders = data_folders("");
  folders.emplace_back(std::filesystem::path(DPFERMI_SOURCE_DIR) / "../shared/data");
  int read = 0;
  for (const auto& [name, columns, groups] : choices) {
    const std::string dataset = std::string(name).substr(0, std::string(name).find('@'));
    const auto folder = locate_dataset(find_dataset(dataset).value(), folders);
    if (!folder) continue;
    const auto choice = registered_choice(name, "", folder->parent_path().string());
    ASSERT_TRUE(choice) << choice.error().message;
    const auto table = read_table(choice->request);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_TRUE(table->domain.declared()) << name;
    EXPECT_EQ(table->domain.size(), groups) << name;
    std::vector<std::string> chosen;
    for (const SensitiveSpec& spec : table->schema.sensitive) chosen.push_back(spec.column);
    EXPECT_EQ(chosen, columns) << name;
    ++read;
  }
  if (read == 0) GTEST_SKIP() << "no data set available";
}

}  // namespace
}  // namespace dpfermi
