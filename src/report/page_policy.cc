#include "report/page_policy.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace dpfermi {
namespace {

/// 'sha256-...' of an inline element, as a policy names it.
Result<std::string> checksum_source(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return failed("cannot compute a SHA-256; check the installation of OpenSSL");
  }
  std::array<unsigned char, 64> code{};
  const int length = EVP_EncodeBlock(code.data(), digest.data(), static_cast<int>(size));
  return fmt::format(" 'sha256-{}'", std::string(code.begin(), code.begin() + length));
}

Result<std::string> checksum_sources(const std::vector<std::string>& texts) {
  std::string sources;
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    DPFERMI_ASSIGN(const std::string source, checksum_source(text));
    sources += source;
  }
  return sources;
}

}  // namespace

Result<std::string> policy_text(const PagePolicy& policy) {
  std::string text = "default-src 'none'";
  DPFERMI_ASSIGN(const std::string scripts, checksum_sources(policy.scripts));
  if (!scripts.empty()) text += fmt::format("; script-src{} 'wasm-unsafe-eval'", scripts);
  DPFERMI_ASSIGN(const std::string styles, checksum_sources(policy.styles));
  text += fmt::format("; style-src{}", styles.empty() ? " 'unsafe-inline'" : styles);
  if (!policy.images.empty()) text += "; img-src " + policy.images;
  return text + "; base-uri 'none'; form-action 'none'";
}

}  // namespace dpfermi
