#pragma once

/// T0 for baselines: the real code on invented neighbours, with the same random streams and the
/// releases of the first run put in place of those of the second (docs/audit.md). Whatever is left
/// to differ was read from protected data past the noise.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "audit/neighbours.h"
#include "audit/release_tape.h"
#include "audit/replay_checks.h"
#include "dpfermi/baselines/baseline.h"

namespace dpfermi::testing_support {

/// Trains a baseline on these data.
using BaselineRun = std::function<Result<BaselineResult>(const Dataset&, StepLedger&, NoiseSource)>;

/// What of a mechanism's sums a unit of the data is; the same number unless said otherwise.
using PartOf = std::function<std::uint32_t(const Dataset&, std::uint32_t unit)>;

/// Invented records and who their neighbours are.
inline AuditCase invented_neighbourhood(Adjacency adjacency, const InventedSpec& spec) {
  TrainingRequest request;
  request.adjacency = adjacency;
  return invented_case("baseline", spec, request);
}

inline Rehearsal rehearse_run(const BaselineRun& run, const Dataset& data, ReleaseTape& tape) {
  tape.probe_at_most(2);
  Rehearsal rehearsal;
  AuditLedger ledger(tape);
  NoiseSource noise(ReproducibleSeed::from_number(7).value());
  rehearsal.outcome = run(data, ledger, std::move(noise)).map([](BaselineResult result) {
    return std::move(result.training);
  });
  rehearsal.plans = ledger.plans();
  rehearsal.claims = ledger.claims();
  return rehearsal;
}

/// Lengths, noise and charges of one run.
inline void expect_bounded(const ReleaseTape& tape, const Rehearsal& run, const std::string& what) {
  for (const SeenSum& sum : tape.sums()) {
    for (const auto& [unit, own] : sum.contributions) {
      long double square = 0;
      for (const std::int64_t entry : own) square += static_cast<long double>(entry) * entry;
      EXPECT_LE(square, std::ldexp(1.0L, 2 * sum.lattice_bits)) << what << ", unit " << unit;
    }
    EXPECT_NE(sum.drawn, sum.exact) << what << ": no noise";
    EXPECT_TRUE(sum.covered && sum.on_lattice && !sum.ordered) << what;
  }
  std::uint64_t claimed = 0;
  for (const AuditLedger::Claim& claim : run.claims) claimed += claim.count;
  EXPECT_EQ(claimed, tape.sums().size() + tape.counts().size()) << what;
}

/// Replays every pair of neighbours that the audit's search proposes.
inline void expect_replays(
    const BaselineRun& run, const AuditCase& audited,
    const PartOf& part_of = [](const Dataset&, std::uint32_t unit) { return unit; }) {
  TrainingPlan plan;
  plan.adjacency = audited.request.adjacency;
  ReplayChecks checks(plan);
  for (const Neighbours& pair : neighbours_of(audited, true)) {
    for (const Outputs outputs : {Outputs::kDrawn, Outputs::kExtreme}) {
      const std::uint32_t part = part_of(pair.first, pair.unit);
      ReleaseTape first(part, outputs);
      const Rehearsal one = rehearse_run(run, pair.first, first);
      ReleaseTape second(part, first);
      const Rehearsal two = rehearse_run(run, pair.second, second);
      if (!one.outcome && first.sums().empty()) {  // public features that nobody can train on
        EXPECT_EQ(one.outcome.error().message, two.outcome.error().message) << pair.what;
        EXPECT_TRUE(features_are_public(plan.adjacency)) << one.outcome.error().message;
        continue;
      }
      expect_bounded(first, one, pair.what);
      expect_bounded(second, two, pair.what);
      checks.compare(pair.what, {{part}, false}, {&first, &one}, {&second, &two});
    }
  }
  EXPECT_GT(checks.lines()[ReplayChecks::kDistance].worst, 0) << "neighbours never differed";
  for (const ReplayChecks::Line& line : checks.lines()) {
    EXPECT_EQ(line.broken, "") << line.attempt;
  }
}

}  // namespace dpfermi::testing_support
