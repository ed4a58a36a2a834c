#include "dpfermi/optimize/method.h"

#include <algorithm>

namespace dpfermi {

std::vector<FairnessNotion> MethodDescriptor::known_notions() const {
  return notions.size() == 0 ? fairness_notions() : std::vector<FairnessNotion>(notions);
}

bool MethodDescriptor::knows(FairnessNotion notion) const {
  return notions.size() == 0 || std::ranges::count(notions, notion) > 0;
}

bool MethodDescriptor::protects_under(Adjacency adjacency) const {
  return std::ranges::count(adjacencies, adjacency) > 0;
}

std::string_view to_string(Method method) {
  return method->name;
}

}  // namespace dpfermi
