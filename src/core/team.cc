#include "core/team.h"

#include <fmt/format.h>

#include "dpfermi/core/workers.h"

namespace dpfermi {

Team& Team::alone() {
  static Team team;
  return team;
}

Team& team_of(const Workers* workers) {
  const bool shared = workers != nullptr && workers->team() != nullptr;
  return shared ? *workers->team() : Team::alone();
}

Result<std::string> hand_out(Team& team, std::string text) {
  std::uint64_t size = text.size();
  DPFERMI_TRY(hand_out(team, std::span(&size, 1)));
  text.resize(size);
  DPFERMI_TRY(hand_out(team, std::span(text)));
  return text;
}

Status check_alike(Team& team, const std::string& text, std::string_view what) {
  DPFERMI_ASSIGN(const std::string leaders, hand_out(team, text));
  if (text != leaders) {
    return failed(fmt::format(
        "process {} has other {} than process 0; start all of them with the same program, command "
        "line and files",
        team.rank(), what));
  }
  // Nobody goes on before the last one has compared.
  return team.meet();
}

}  // namespace dpfermi
