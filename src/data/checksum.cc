#include "data/checksum.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <span>
#include <vector>

#include "core/file.h"

namespace dpfermi {
namespace {

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  DPFERMI_TRY(check_readable_file(path));
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  std::ifstream in(path, std::ios::binary);
  bool ok = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> block(1 << 16);
  while (ok && in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    ok = EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(in.gcount())) == 1;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  ok = ok && in.eof() && EVP_DigestFinal_ex(context.get(), digest.data(), &length) == 1;
  if (!ok) return failed(fmt::format("{}: its checksum could not be computed", path.string()));
  return hexadecimal(std::span(digest).first(length));
}

Result<std::string> sha256_of_bytes(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    return failed("a SHA-256 checksum could not be computed; check the OpenSSL installation");
  }
  return hexadecimal(std::span(digest).first(length));
}

}  // namespace dpfermi
