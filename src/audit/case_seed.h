#pragma once

#include <cstdint>
#include <string_view>

#include "audit/audit_case.h"

namespace dpfermi {

/// A seed for one tier on one case, so that cases do not share their streams.
inline std::uint64_t case_seed(std::uint64_t seed, Tier tier, const AuditCase& audited) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ seed;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  };
  add(to_string(tier));
  add(to_string(audited.request.method));
  add(to_string(audited.request.adjacency));
  add(audited.name);
  return hash;
}

}  // namespace dpfermi
