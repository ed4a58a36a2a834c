#include "data/repeated_names.h"

#include <gmock/gmock.h>

namespace dpfermi {
namespace {

TEST(RepeatedNames, AreToldApartByNumbers) {
  EXPECT_THAT(told_apart({"sex", "age", "sex", "sex"}),
              testing::ElementsAre("sex", "age", "sex.2", "sex.3"));
}

TEST(RepeatedNames, TellWhatTheyRepeat) {
  EXPECT_EQ(without_repeat("sex.12"), "sex");
  for (const char* name : {"sex", "sex.", "sex.2b", "sex.-1", "sex.1e3"}) {
    EXPECT_EQ(without_repeat(name), name);
  }
}

}  // namespace
}  // namespace dpfermi
