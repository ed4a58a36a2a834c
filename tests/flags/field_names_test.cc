#include "flags/field_names.h"

#include <gtest/gtest.h>

namespace dpfermi::cli {
namespace {

TEST(FieldNames, AFieldIsPrintedAsItsFlag) {
  EXPECT_EQ(with_flags("`lambda` and `max_violation` exclude each other; give one of them"),
            "--lambda and --max-violation exclude each other; give one of them");
}

TEST(FieldNames, AFieldMayHaveAnotherNameThanItsFlag) {
  EXPECT_EQ(with_flags("use a smaller `theta_rate`"), "use a smaller --learning-rate");
  EXPECT_EQ(with_flags("add `checkpoint.every`"), "add --checkpoint-every");
  EXPECT_EQ(with_flags("leave out `theorem_plan`"), "leave out --plan theorem");
}

TEST(FieldNames, OtherTextIsKept) {
  for (const char* text : {"", "no field", "`", "``", "epsilon", "`epsilon", "`no_field` and `"}) {
    EXPECT_EQ(with_flags(text), text);
  }
}

TEST(FieldNames, AnUnknownWordDoesNotHideAField) {
  EXPECT_EQ(with_flags("a`b: `epsilon` must be positive"), "a`b: --epsilon must be positive");
  EXPECT_EQ(with_flags("`a` `delta`"), "`a` --delta");
}

TEST(FieldNames, AFieldWithoutAFlagHasNone) {
  EXPECT_EQ(flag_of("declared_units"), "--units");
  EXPECT_EQ(flag_of("declared_norm"), std::nullopt);
}

}  // namespace
}  // namespace dpfermi::cli
