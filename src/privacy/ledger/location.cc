#include <cstdlib>

#include "dpfermi/privacy/ledger/ledger_file.h"

namespace dpfermi {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<std::filesystem::path> ledger_path(const std::optional<std::string>& given) {
  if (given) {
    if (given->empty()) return usage_error("`ledger`: the file name is empty; name a file");
    return *given;
  }
  if (const std::string path = environment("DPFERMI_LEDGER"); !path.empty()) return path;
  // The XDG rules say that relative paths there are to be ignored.
  std::filesystem::path state = environment("XDG_STATE_HOME");
  if (!state.is_absolute()) {
    const std::string home = environment("HOME");
    if (home.empty()) {
      return failed("there is no $HOME to keep the ledger in; name a file with `ledger`");
    }
    state = std::filesystem::path(home) / ".local" / "state";
  }
  return state / "dpfermi" / "ledger.db";
}

}  // namespace dpfermi
