#include "core/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

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

Result<std::vector<std::string>> collect(Team& team, const std::string& text) {
  if (team.size() == 1) return std::vector{text};
  std::vector<std::int64_t> sizes(team.size());
  sizes[team.rank()] = static_cast<std::int64_t>(text.size());
  DPFERMI_TRY(team.add_up(sizes));
  DPFERMI_TRY(hand_out(team, std::span(sizes)));
  // Each process writes its own part of one long text; the sum of the others' is zero there.
  const auto own = sizes.begin() + team.rank();
  std::vector<std::int64_t> letters(
      static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})));
  std::ranges::copy(text, letters.begin() + std::accumulate(sizes.begin(), own, std::int64_t{0}));
  DPFERMI_TRY(team.add_up(letters));
  std::vector<std::string> texts;
  if (!team.leads()) return texts;
  auto first = letters.begin();
  for (const std::int64_t size : sizes) {
    std::string& one = texts.emplace_back();
    std::transform(first, first + size, std::back_inserter(one),
                   [](std::int64_t letter) { return static_cast<char>(letter); });
    first += size;
  }
  return texts;
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
