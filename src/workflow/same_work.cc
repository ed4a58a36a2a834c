#include "workflow/same_work.h"

#include <fmt/format.h>

#include <span>

#include "data/checksum.h"

namespace dpfermi {
namespace {

template <class Values>
void add(Sha256& sum, const Values& values) {
  const auto bytes = std::as_bytes(std::span(values));
  sum.add(fmt::format("{}:", bytes.size()));
  sum.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Exact, not private: it stays with the processes, which have the rows themselves.
Result<std::string> digest_of(const Dataset& rows) {
  Sha256 sum;
  add(sum, rows.x.row_bytes());
  add(sum, rows.y);
  add(sum, ExactForHolder::read(rows.s));
  add(sum, rows.units);
  add(sum, rows.weights);
  add(sum, rows.scores);
  sum.add(fmt::format("{},{},{},{}", rows.classes, rows.groups, rows.unit_count, rows.persons));
  return sum.finish();
}

}  // namespace

Status check_same_work(Team& team, const Dataset& rows, std::optional<std::uint64_t> seed,
                       const std::function<Result<std::string>()>& settings) {
  if (team.size() == 1) return {};
  DPFERMI_ASSIGN(const std::string said, settings());
  const std::string noise = seed ? fmt::format("seed {}", *seed) : "secret";
  DPFERMI_ASSIGN(const std::string digest, sha256_of_bytes(noise + said));
  DPFERMI_TRY(check_alike(team, digest, "settings"));
  DPFERMI_ASSIGN(const std::string own, digest_of(rows));
  return check_alike(team, own, "rows");
}

}  // namespace dpfermi
