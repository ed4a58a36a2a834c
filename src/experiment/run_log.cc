#include "experiment/run_log.h"

#include "data/checksum.h"

namespace dpfermi {
namespace {

constexpr std::size_t kDigits = 16;

}  // namespace

Result<std::string> checked_line(const std::string& text) {
  DPFERMI_ASSIGN(const std::string digest, sha256_of_bytes(text));
  return digest.substr(0, kDigits) + " " + text + "\n";
}

Result<LogContents> read_log(std::string_view bytes) {
  LogContents contents;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    std::string text(line.size() > kDigits ? line.substr(kDigits + 1) : "");
    DPFERMI_ASSIGN(const std::string whole, checked_line(text));
    if (end == std::string_view::npos || whole.substr(0, whole.size() - 1) != line) {
      contents.damaged = true;
    } else {
      contents.texts.push_back(std::move(text));
    }
  }
  return contents;
}

}  // namespace dpfermi
