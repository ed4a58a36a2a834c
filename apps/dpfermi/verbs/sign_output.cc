#include "verbs/sign_output.h"

#include <fmt/format.h>

#include "artifact/signature.h"
#include "privacy/ledger/signing_key.h"

namespace dpfermi::cli {

void sign_output(const Context& context, const std::string& file, const ChargeRecord& charge) {
  if (file.empty() || charge.ledger.empty() || !ledger::has_signing_key(charge.ledger)) return;
  const auto key = sign_file(file, charge.ledger);
  context.note(key ? fmt::format("signed {}.sig", file)
                   : fmt::format("not signed: {}", key.error().message));
}

}  // namespace dpfermi::cli
