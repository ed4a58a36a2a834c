#pragma once

#include <utility>

#include "dpfermi/privacy/event.h"

namespace dpfermi::testing_support {

inline PrivacyEvent make_event(PrivacyEvent::Node node,
                               Adjacency adjacency = Adjacency::kSensitive) {
  return PrivacyEvent::create(adjacency, std::move(node)).value();
}

}  // namespace dpfermi::testing_support
