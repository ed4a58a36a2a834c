#pragma once

/// An event tree as a list of dominating pairs. Dominating pairs compose adaptively, so the order
/// and the nesting of a tree do not matter, only what is in it and how often.

#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"
#include "privacy/accountant/loss_pair.h"

namespace dpfermi::accountant {

/// A pair is ordered; both orders of the neighbours have to be accounted for.
enum class Direction { kForward, kBackward };

struct FlatEvent {
  bool exact = false;         ///< something was released without any noise
  double revealed = 0;        ///< probability that a noiseless sampled release shows the record
  bool one_direction = true;  ///< both directions have the same loss
  double mu_squared = 0;      ///< of all Gaussian releases together
  std::vector<Component> components;  ///< the rest; add/remove pairs stand as kRemove

  /// Everything as components, kRemove read as kAdd for the backward direction.
  std::vector<Component> in_direction(Direction direction) const;
};

/// Requires: nothing beyond a valid event.
/// Ensures: releases that hide everything (sigma = infinity, q = 0, count = 0) are left out; q = 1
/// becomes a plain Gaussian; equal pairs are counted together.
Result<FlatEvent> flatten(const PrivacyEvent& event);

}  // namespace dpfermi::accountant
