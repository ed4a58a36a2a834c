#include "data/checksum.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <vector>

#include "core/file.h"

namespace dpfermi {

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                  &EVP_MD_CTX_free};
  bool ok = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  state_->ok =
      state_->ok && EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1;
}

Result<std::string> Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (!state_->ok || EVP_DigestFinal_ex(state_->context.get(), digest.data(), &length) != 1) {
    return failed("a SHA-256 checksum could not be computed; check the OpenSSL installation");
  }
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  DPFERMI_TRY(check_readable_file(path));
  std::ifstream in(path, std::ios::binary);
  Sha256 sum;
  std::vector<char> block(1 << 16);
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    sum.add({block.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (!in.eof())
    return failed(fmt::format("{}: its checksum could not be computed", path.string()));
  return sum.finish();
}

Result<std::string> sha256_of_bytes(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.finish();
}

}  // namespace dpfermi
