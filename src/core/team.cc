#include "core/team.h"

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

}  // namespace dpfermi
