#pragma once

/// Tiers of the audit on baselines, registered or shortened.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "audit/baseline_tiers.h"
#include "baselines/baseline.h"
#include "dpfermi/methods/registry.h"

namespace dpfermi::testing_support {

using TrainBaseline = decltype(MethodDescriptor::train);

/// The registered one, trained by another function: with fewer steps, or with a defect.
inline MethodDescriptor with_training(MethodDescriptor baseline, TrainBaseline train) {
  baseline.train = train;
  return baseline;
}

inline void expect_green(const Result<std::vector<Finding>>& findings) {
  ASSERT_TRUE(findings.has_value()) << findings.error().message;
  for (const Finding& finding : *findings) {
    EXPECT_EQ(finding.verdict, Verdict::kGreen)
        << finding.method << ", " << finding.subject << ": " << finding.attempt << ", "
        << finding.observed << " for " << finding.claimed << "; " << finding.note;
  }
}

/// What the first red finding was about; empty where all are green.
inline std::string first_red(const Result<std::vector<Finding>>& findings) {
  EXPECT_TRUE(findings.has_value()) << (findings ? "" : findings.error().message);
  if (!findings) return "";
  const auto red = std::ranges::find(*findings, Verdict::kRed, &Finding::verdict);
  return red == findings->end() ? "" : red->attempt;
}

}  // namespace dpfermi::testing_support
