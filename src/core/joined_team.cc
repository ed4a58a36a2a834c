#include "core/joined_team.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace dpfermi {

Status JoinedTeam::add_up(std::span<std::int64_t> values) {
  DPFERMI_TRY(agree(Exchange::kAddUp, values.size()));
  lines_->add_up(values);
  if (!leads()) std::ranges::fill(values, 0);
  return {};
}

Status JoinedTeam::hand_out(std::span<std::byte> bytes) {
  DPFERMI_TRY(agree(Exchange::kHandOut, bytes.size()));
  lines_->broadcast(0, bytes);
  return {};
}

void JoinedTeam::gather(std::span<double> values, std::size_t piece) {
  if (!agree(Exchange::kGather, values.size())) return;
  std::vector<std::size_t> starts;
  const std::size_t pieces = values.size() / std::max<std::size_t>(piece, 1);
  for (unsigned r = 0; r < size(); ++r) starts.push_back(share_of(r, pieces).first * piece);
  starts.push_back(pieces * piece);
  lines_->gather(values, starts);
}

Status JoinedTeam::meet() {
  return agree(Exchange::kMeet, 0);
}

Status JoinedTeam::status() const {
  return ended_ ? Status(tl::unexpected(*ended_)) : Status();
}

Status JoinedTeam::leave(const Status& own) {
  return agree(Exchange::kLeave, 0, own);
}

Status JoinedTeam::agree(Exchange exchange, std::size_t count, const Status& own) {
  DPFERMI_TRY(status());
  // The smallest value is the largest of the negative ones.
  const auto what = static_cast<std::int64_t>(exchange);
  const auto entries = static_cast<std::int64_t>(count);
  const std::int64_t failed_rank = own ? 0 : static_cast<std::int64_t>(size() - rank());
  std::array<std::int64_t, 5> all{failed_rank, what, -what, entries, -entries};
  lines_->largest(all);
  if (all[0] > 0) {
    ended_ = error_of(size() - static_cast<unsigned>(all[0]), own);
  } else if (all[1] != -all[2] || all[3] != -all[4]) {
    ended_ = Error{ErrorKind::kFailed,
                   "the processes of the run do not do the same; start all of them with the same "
                   "program, command line and files"};
  }
  return status();
}

Error JoinedTeam::error_of(unsigned rank, const Status& own) {
  const bool mine = rank == this->rank();
  std::string text = mine ? own.error().message : "";
  std::array<std::int64_t, 2> about{mine ? static_cast<std::int64_t>(own.error().kind) : 0,
                                    static_cast<std::int64_t>(text.size())};
  lines_->broadcast(rank, std::as_writable_bytes(std::span(about)));
  text.resize(static_cast<std::size_t>(about[1]));
  lines_->broadcast(rank, std::as_writable_bytes(std::span(text)));
  return {static_cast<ErrorKind>(about[0]), text};
}

}  // namespace dpfermi
