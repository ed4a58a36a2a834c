#include "report/card_page.h"

#include <gmock/gmock.h>

#include "report/check_part.h"
#include "report/fixtures.h"
#include "report/page_policy.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kCard =
    "Model card: trained with <care>\n\nWhat was trained\n  model      softmax & more\n"
    "  target     income: high, low\n\nPrivacy\n  Protected: one record.\n  Released:\n    1 x "
    "counts\n";

std::string page_of(const PrivacyStatement& statement) {
  const Result<std::string> page = card_page({kCard, statement, "people.model", "0123abcd"});
  EXPECT_TRUE(page) << page.error().message;
  return *page;
}

TEST(CardPage, ShowsEveryLineOfTheCard) {
  const std::string page = page_of(statement_of(1));
  for (const char* shown :
       {"<p class=\"lead\">Model card: trained with &lt;care&gt;</p>", "<h2>What was trained</h2>",
        "<dt>model</dt><dd>softmax &amp; more</dd>", "<dt>target</dt><dd>income: high, low</dd>",
        "<h2>Privacy</h2>", "Protected: one record.\nReleased:\n  1 x counts\n", "people.model",
        "SHA-256 0123abcd"}) {
    EXPECT_THAT(page, HasSubstr(shown));
  }
}

TEST(CardPage, HoldsTheStatementAsTheFileDoes) {
  if (!has_check_module()) GTEST_SKIP() << "this build has no module";
  PrivacyStatement statement = statement_of(1.25);
  statement.assumptions = {"</script><script>alert(1)</script>"};
  const std::string page = page_of(statement);
  EXPECT_THAT(page, HasSubstr("\"epsilon\":1.25,\"delta\":1e-06"));
  EXPECT_THAT(page, HasSubstr("This checks the arithmetic, not what was run."));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
}

TEST(CheckPart, IsEmptyWhereNothingIsStated) {
  const CheckPart part = check_part({});
  EXPECT_EQ(part.section + part.elements + part.script + part.styles + part.licences, "");
}

TEST(PagePolicy, NamesWhatThePageHoldsByChecksum) {
  // SHA-256 of "a", in base64.
  const std::string a = "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='";
  EXPECT_EQ(policy_text({.scripts = {"a", ""}, .styles = {"a"}, .images = {}}).value(),
            "default-src 'none'; script-src " + a + " 'wasm-unsafe-eval'; style-src " + a +
                "; base-uri 'none'; form-action 'none'");
  EXPECT_EQ(policy_text({.scripts = {}, .styles = {}, .images = "data:"}).value(),
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
            "form-action 'none'");
}

}  // namespace
}  // namespace dpfermi
