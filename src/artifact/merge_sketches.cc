#include "artifact/merge_sketches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "artifact/artifact_json.h"
#include "core/text.h"
#include "data/checksum.h"
#include "data/schema_json.h"
#include "dpfermi/core/version.h"

namespace dpfermi {
namespace {

Error does_not_fit(const StoredSketch& part, std::string_view why) {
  return {ErrorKind::kUsage,
          fmt::format("the sketch of {} does not fit the first one: {}; make both with the same "
                      "encoding file",
                      printable(part.data), why)};
}

/// A person may be in one part of each of two such sums, and the list of releases could not say so.
Status check_people(const StoredSketch& part, PartPeople people) {
  if (people == PartPeople::kDisjoint || declared_parts(part.sketch.statement) == 0) return {};
  return usage_error(fmt::format(
      "the sketch of {} was merged as parts that share no person; merge it with `disjoint`, or "
      "merge the sketches that it is made of",
      printable(part.data)));
}

/// Sums may be added where every holder summed up the same thing.
Status check_fits(const StoredSketch& first, const StoredSketch& part) {
  if (part.parts.empty() || !part.encoding) {
    return usage_error(fmt::format(
        "the sketch of {} has its own encoding, fitted to its rows; make every part with "
        "`encoding`, a file that 'dpfermi sketch encoding' makes",
        printable(part.data)));
  }
  const FairnessSetting& one = first.sketch.setting;
  const FairnessSetting& other = part.sketch.setting;
  if (one.notion != other.notion || one.favourable != other.favourable) {
    return tl::unexpected(does_not_fit(part, "it is for another fairness notion"));
  }
  if (first.groups != part.groups ||
      json_of(first.protected_part) != json_of(part.protected_part)) {
    return tl::unexpected(does_not_fit(part, "it has other groups"));
  }
  if (first.target != part.target || first.classes != part.classes) {
    return tl::unexpected(does_not_fit(part, "it has another target"));
  }
  if (json_of(*first.encoding) != json_of(*part.encoding) ||
      first.sketch.features != part.sketch.features) {
    return tl::unexpected(does_not_fit(part, "its rows were encoded in another way"));
  }
  if (first.sketch.statement.id_column != part.sketch.statement.id_column) {
    return tl::unexpected(does_not_fit(part, "it protects another unit"));
  }
  if (!part.sketch.statement.cost) {
    return usage_error(
        fmt::format("the sketch of {} promises nothing; leave it out", printable(part.data)));
  }
  return {};
}

Status check_different_rows(const std::vector<SketchPart>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (parts[i].fingerprint != parts[j].fingerprint) continue;
      return usage_error(fmt::format("{} and {} are sketches of the same rows; give one of them",
                                     printable(parts[j].data), printable(parts[i].data)));
    }
  }
  return {};
}

double rounded_up(double sum) {
  return std::nextafter(sum, std::numeric_limits<double>::infinity());
}

/// The releases of one more sketch. Parts that share no person are numbered across all sketches; a
/// sketch without parts is one.
void add_releases(const StoredSketch& part, PartPeople people, PrivacyStatement& whole) {
  const std::uint64_t numbered = declared_parts(whole);
  for (const StatedRelease& release : part.sketch.statement.releases) {
    StatedRelease& added = whole.releases.emplace_back(release);
    // A part that was merged before has names in its purposes already.
    if (part.parts.size() == 1) added.purpose += fmt::format(" of {}", printable(part.data));
    if (people == PartPeople::kDisjoint) {
      added.part = numbered + std::max<std::uint64_t>(release.part, 1);
    }
  }
}

/// Requires: both costs are there.
void add_statement(const StoredSketch& part, PartPeople people, PrivacyStatement& whole) {
  const PrivacyStatement& statement = part.sketch.statement;
  PrivacyCost& cost = *whole.cost;
  if (people == PartPeople::kDisjoint) {
    cost.epsilon = std::max(cost.epsilon, statement.cost->epsilon);
    cost.delta = std::max(cost.delta, statement.cost->delta);
  } else {
    cost.epsilon = rounded_up(cost.epsilon + statement.cost->epsilon);
    cost.delta = std::min(1.0, rounded_up(cost.delta + statement.cost->delta));
  }
  if (statement.noise != Reproducibility::kSecret) whole.noise = statement.noise;
  whole.domain_declared = whole.domain_declared && statement.domain_declared;
  add_releases(part, people, whole);
  for (const std::string& assumption : statement.assumptions) {
    if (!contains(whole.assumptions, assumption)) whole.assumptions.push_back(assumption);
  }
}

std::string accountant_of(PartPeople people, std::size_t parts) {
  return people == PartPeople::kDisjoint
             ? fmt::format("largest of {} parts that share no person, as declared", parts)
             : fmt::format("sum over {} parts that may share people", parts);
}

}  // namespace

Result<StoredSketch> merge_sketches(const std::vector<StoredSketch>& parts, PartPeople people) {
  if (parts.size() < 2) return usage_error("a merge takes at least two sketches; name more");
  StoredSketch whole = parts.front();
  DPFERMI_TRY(check_fits(whole, whole));
  whole.parts.clear();
  whole.sketch.statement = {};
  whole.sketch.statement.id_column = parts.front().sketch.statement.id_column;
  whole.sketch.statement.cost = PrivacyCost{0, 0};
  GroupSums& sums = whole.sketch.sums;
  std::ranges::fill(sums.sums, 0.0);
  double variance = 0;
  std::uint64_t units = 0;
  std::string fingerprints;
  for (const StoredSketch& part : parts) {
    DPFERMI_TRY(check_fits(parts.front(), part));
    DPFERMI_TRY(check_people(part, people));
    for (std::size_t i = 0; i < sums.sums.size(); ++i) sums.sums[i] += part.sketch.sums.sums[i];
    variance += part.sketch.sums.noise * part.sketch.sums.noise;
    units += part.sketch.units;
    add_statement(part, people, whole.sketch.statement);
    std::ranges::copy(part.parts, std::back_inserter(whole.parts));
  }
  DPFERMI_TRY(check_different_rows(whole.parts));
  if (units > std::numeric_limits<std::uint32_t>::max()) {
    return failed("the parts have more than 4 billion people together; merge fewer of them");
  }
  for (const SketchPart& part : whole.parts) fingerprints += part.fingerprint;
  DPFERMI_ASSIGN(whole.fingerprint, sha256_of_bytes(fingerprints));
  sums.noise = std::sqrt(variance);
  whole.sketch.units = static_cast<std::uint32_t>(units);
  whole.sketch.statement.accountant = accountant_of(people, whole.parts.size());
  whole.data = fmt::format("{} parts", whole.parts.size());
  whole.library_version = version();
  return whole;
}

}  // namespace dpfermi
