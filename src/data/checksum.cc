#include "dpfermi/data/checksum.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <vector>

#include "dpfermi/core/file.h"

namespace dpfermi {

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
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace dpfermi
