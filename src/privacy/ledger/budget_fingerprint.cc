#include "privacy/ledger/budget_fingerprint.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "privacy/ledger/hash.h"

namespace dpfermi {

struct Fingerprinter::Digest {
  struct FreeContext {
    void operator()(EVP_MD_CTX* unused) const { EVP_MD_CTX_free(unused); }
  };
  std::unique_ptr<EVP_MD_CTX, FreeContext> context{EVP_MD_CTX_new()};
  bool ok = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;

  void update(std::string_view bytes) {
    ok = ok && EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1;
  }
};

Fingerprinter::Fingerprinter() : digest_(std::make_unique<Digest>()) {
  add_frame('v', "dpfermi fingerprint 1");
}
Fingerprinter::Fingerprinter(Fingerprinter&&) noexcept = default;
Fingerprinter& Fingerprinter::operator=(Fingerprinter&&) noexcept = default;
Fingerprinter::~Fingerprinter() = default;

void Fingerprinter::add_frame(char kind, std::string_view bytes) {
  digest_->update(fmt::format("{}{}:", kind, bytes.size()));
  digest_->update(bytes);
}

void Fingerprinter::begin_column(std::string_view name) {
  add_frame('c', name);
}

void Fingerprinter::add_value(std::string_view value) {
  add_frame('x', value);
}

Result<std::string> Fingerprinter::finish() {
  std::string bytes(ledger::kHashDigits / 2, '\0');
  if (!digest_->ok ||
      EVP_DigestFinal_ex(digest_->context.get(), reinterpret_cast<unsigned char*>(bytes.data()),
                         nullptr) != 1) {
    return failed("the SHA-256 of OpenSSL failed; check the OpenSSL installation");
  }
  return ledger::to_hex(bytes);
}

}  // namespace dpfermi
