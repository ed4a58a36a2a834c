// Detached signatures: whatever was changed is found, and the message says what does not fit.

#include "artifact/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "artifact/fixtures.h"
#include "artifact/model_file.h"
#include "core/file.h"
#include "privacy/ledger/signing_key.h"
#include "temp_folder.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;

class Signature : public testing::Test {
 protected:
  void SetUp() override {
    key_ = ledger::make_signing_key(ledger_).value();
    ASSERT_TRUE(write_model(testing_support::income_model(), model_));
    ASSERT_EQ(sign_file(model_, ledger_).value(), key_);
  }

  std::string complaint(const std::optional<std::string>& key = {}) const {
    const auto signer = verify_signature(model_, key);
    return signer ? "accepted" : signer.error().message;
  }

  /// Replaces one character of a file.
  static void change(const std::filesystem::path& path, std::size_t at) {
    std::string text = read_text_file(path).value();
    text[at] = text[at] == '0' ? '1' : '0';
    ASSERT_TRUE(write_file_atomically(path, text));
  }

  test::TempFolder folder_;
  std::filesystem::path ledger_ = folder_.path() / "l.db";
  std::filesystem::path model_ = folder_.path() / "m.model";
  std::string key_;
};

TEST_F(Signature, IsAcceptedWithAndWithoutATrustedKey) {
  EXPECT_EQ(complaint(), "accepted");
  EXPECT_EQ(complaint(key_), "accepted");
  EXPECT_EQ(verify_signature(model_, {}).value(), key_);
}

TEST_F(Signature, FindsAChangedFile) {
  change(model_, 100);
  EXPECT_THAT(complaint(), HasSubstr("m.model: has changed since it was signed"));
}

TEST_F(Signature, FindsAChangedSignature) {
  const std::string text = read_text_file(signature_path(model_)).value();
  change(signature_path(model_), text.size() - 2);
  EXPECT_THAT(complaint(), HasSubstr("the signature does not fit the digest and the key"));
}

TEST_F(Signature, FindsAChangedKey) {
  const std::string text = read_text_file(signature_path(model_)).value();
  change(signature_path(model_), text.find("key ") + 4);
  EXPECT_THAT(complaint(), HasSubstr("the signature does not fit the digest and the key"));
  EXPECT_THAT(complaint(key_), HasSubstr("not with the trusted key " + key_));
}

TEST_F(Signature, FindsASignatureByAnotherKey) {
  const std::filesystem::path other = folder_.path() / "other.db";
  const std::string forger = ledger::make_signing_key(other).value();
  ASSERT_TRUE(sign_file(model_, other));
  EXPECT_EQ(complaint(), "accepted");
  EXPECT_THAT(complaint(key_), HasSubstr("was made with the key " + forger));
}

TEST_F(Signature, RefusesTextThatIsNotASignature) {
  for (const std::string text :
       {"", "dpfermi-signature 1\n", "x", "dpfermi-signature 2\nsha256 a"}) {
    ASSERT_TRUE(write_file_atomically(signature_path(model_), text));
    EXPECT_THAT(complaint(), HasSubstr("m.model.sig: is not a signature of dpfermi"));
  }
}

TEST_F(Signature, IsMissedWhereThereIsNone) {
  std::filesystem::remove(signature_path(model_));
  EXPECT_THAT(complaint(), HasSubstr("m.model.sig: no such file"));
}

TEST_F(Signature, KeyIsForItsOwnerAlone) {
  struct stat status = {};
  const std::filesystem::path secret = ledger::signing_key_path(ledger_);
  ASSERT_EQ(::stat(secret.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_EQ(::chmod(secret.c_str(), 0644), 0);
  EXPECT_THAT(sign_file(model_, ledger_).error().message, HasSubstr("others can read this key"));
}

TEST_F(Signature, KeyIsNeitherReplacedNorWrittenAnywhereElse) {
  const auto again = ledger::make_signing_key(ledger_);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("is there already"));
  const std::string secret =
      read_text_file(ledger::signing_key_path(ledger_)).value().substr(0, 64);
  EXPECT_EQ(read_text_file(signature_path(model_)).value().find(secret), std::string::npos);
}

/// RFC 8032, section 7.1, test 2: key, message 0x72, signature.
TEST(SignatureScheme, IsThatOfTheStandard) {
  const std::string key = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
  const std::string signature =
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
  EXPECT_TRUE(ledger::signature_fits("r", key, signature));
  EXPECT_FALSE(ledger::signature_fits("s", key, signature));
  EXPECT_FALSE(ledger::signature_fits("r", key, signature.substr(2)));
  EXPECT_FALSE(ledger::signature_fits("r", "zz", signature));
}

}  // namespace
}  // namespace dpfermi
