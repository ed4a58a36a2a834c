#pragma once

/// What `account --explain` adds: the events, how the bound came about, and what other accountants
/// say.

#include <optional>
#include <string>
#include <vector>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/paper_bound.h"
#include "privacy/accountant/rdp_accountant.h"
#include "privacy/json_fields.h"

namespace dpfermi::cli {

struct Explanation {
  std::vector<std::string> events;
  Adjacency adjacency;
  CertifiedBound bound;
  std::optional<RdpEpsilon> rdp;    ///< where delta was asked for and epsilon is finite
  std::optional<PaperClaim> paper;  ///< also only where nothing but sampled steps is released

  std::string text() const;
  Json json() const;
};

Result<Explanation> explain(const PrivacyEvent& event, const CertifiedBound& bound,
                            std::optional<double> delta);

}  // namespace dpfermi::cli
