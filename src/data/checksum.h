#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// A SHA-256 of bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);

  /// 64 lower-case hexadecimal digits; an error where OpenSSL failed. The end of the sum.
  Result<std::string> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The SHA-256 of a file, as 64 lower-case hexadecimal digits.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

/// The same of bytes in memory.
Result<std::string> sha256_of_bytes(std::string_view bytes);

}  // namespace dpfermi
