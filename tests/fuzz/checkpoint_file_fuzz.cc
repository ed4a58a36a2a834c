// Any bytes are a checkpoint or an error, never a crash; what is accepted reads back from its own
// bytes. The checksum keeps random changes out, so the input is also sealed as a file: up to the
// first NUL byte it is the header, the rest are numbers.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "artifact/checkpoint_file.h"
#include "data/checksum.h"

namespace {

std::string sealed(const std::string& header, const std::string& numbers) {
  const std::string body =
      "dpfermi-checkpoint 1 " + std::to_string(header.size()) + "\n" + header + "\n" + numbers;
  return body + "\nsha256 " + dpfermi::sha256_of_bytes(body).value() + "\n";
}

void check(const std::string& bytes) {
  const auto checkpoint = dpfermi::decode_checkpoint(bytes, "fuzz");
  if (!checkpoint) {
    if (checkpoint.error().message.find('\n') != std::string::npos) std::abort();
    return;
  }
  const auto again = dpfermi::encode_checkpoint(*checkpoint);
  if (!again) std::abort();
  const auto read = dpfermi::decode_checkpoint(*again, "fuzz");
  if (!read || dpfermi::encode_checkpoint(*read).value() != *again) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(text);
  const std::size_t end = text.find('\0');
  check(sealed(text.substr(0, end), end == std::string::npos ? "" : text.substr(end + 1)));
  return 0;
}
