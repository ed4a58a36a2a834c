#pragma once

/// Files that are a header, numbers and a checksum. The checksum keeps random changes out, so an
/// input is tried as it is and sealed as a file: up to the first NUL byte it is the header, the
/// rest are the numbers.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "data/checksum.h"

namespace dpfermi::fuzz {

inline std::string sealed(const std::string& kind, const std::string& text) {
  const std::size_t end = text.find('\0');
  const std::string header = text.substr(0, end);
  const std::string numbers = end == std::string::npos ? "" : text.substr(end + 1);
  const std::string body =
      "dpfermi-" + kind + " 1 " + std::to_string(header.size()) + "\n" + header + "\n" + numbers;
  return body + "\nsha256 " + sha256_of_bytes(body).value() + "\n";
}

/// Any bytes are a value or an error of one line; what is accepted reads back from its own bytes
/// and is given to `use`.
template <class Decode, class Encode, class Use>
void check_bytes(const std::string& bytes, const Decode& decode, const Encode& encode,
                 const Use& use) {
  const auto value = decode(bytes, "fuzz");
  if (!value) {
    if (value.error().message.find('\n') != std::string::npos) std::abort();
    return;
  }
  const auto again = encode(*value);
  if (!again) std::abort();
  const auto read = decode(*again, "fuzz");
  if (!read || encode(*read).value() != *again) std::abort();
  use(*read);
}

template <class Decode, class Encode, class Use>
void check_input(const std::string& kind, const std::uint8_t* data, std::size_t size,
                 const Decode& decode, const Encode& encode, const Use& use) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_bytes(text, decode, encode, use);
  check_bytes(sealed(kind, text), decode, encode, use);
}

}  // namespace dpfermi::fuzz
