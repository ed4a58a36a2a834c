#include "privacy/provenance.h"

namespace dpfermi {

std::string_view to_string(Provenance provenance) {
  switch (provenance) {
    case Provenance::kPublic:
      return "public";
    case Provenance::kGiven:
      return "given";
    case Provenance::kReleased:
      return "released";
  }
  return "unknown";
}

}  // namespace dpfermi
