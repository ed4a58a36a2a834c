// Any bytes are a model or an error, never a crash; what is accepted reads back from its own bytes.
// The checksum keeps random changes out, so the input is also sealed as a file: up to the first NUL
// byte it is the header, the rest are parameters.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "artifact/model_card.h"
#include "artifact/model_file.h"
#include "data/checksum.h"

namespace {

std::string sealed(const std::string& header, const std::string& parameters) {
  const std::string body =
      "dpfermi-model 1 " + std::to_string(header.size()) + "\n" + header + "\n" + parameters;
  return body + "\nsha256 " + dpfermi::sha256_of_bytes(body).value() + "\n";
}

void check(const std::string& bytes) {
  const auto model = dpfermi::decode_model(bytes, "fuzz");
  if (!model) {
    if (model.error().message.find('\n') != std::string::npos) std::abort();
    return;
  }
  const auto again = dpfermi::encode_model(*model);
  if (!again) std::abort();
  const auto read = dpfermi::decode_model(*again, "fuzz");
  if (!read || dpfermi::encode_model(*read).value() != *again) std::abort();
  if (dpfermi::describe_card(*read).empty()) std::abort();
  static_cast<void>(dpfermi::prediction_schema(*read));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(text);
  const std::size_t end = text.find('\0');
  check(sealed(text.substr(0, end), end == std::string::npos ? "" : text.substr(end + 1)));
  return 0;
}
