#include "dpfermi/core/result.h"

#include <gtest/gtest.h>

namespace dpfermi {
namespace {

std::string field_of(const std::string& message) {
  return Error{ErrorKind::kUsage, message}.field();
}

TEST(Error, NamesTheFieldAtFault) {
  EXPECT_EQ(field_of("`epsilon` must lie between 1e-6 and 1000, not 0; use `method` fermi"),
            "epsilon");
  EXPECT_EQ(field_of("leave out `checkpoint.file`"), "checkpoint.file");
}

TEST(Error, NamesNoFieldWhereTheMessageNamesNone) {
  EXPECT_EQ(field_of(""), "");
  EXPECT_EQ(field_of("people.csv: no such file"), "");
  EXPECT_EQ(field_of("one ` alone"), "");
}

}  // namespace
}  // namespace dpfermi
