#pragma once

/// `sf-pate-t` and `sf-pate-s`: private aggregation of teachers, fair on either side (Tran, Zhu,
/// Fioretto and Van Hentenryck 2021). The training rows are dealt to K teachers; each is trained on
/// its own rows, without noise, and votes on a fixed set of queries. GNMax answers a query with
/// argmax_j (votes_j + N(0, sigma^2)); a student learns from the answers, which is free.
///
///   sf-pate-t  teachers are fair classifiers (loss + lambda psi, s read exactly) and vote on the
///              label; the student is a plain classifier of the queries.
///   sf-pate-s  teachers vote on the *group*; the student is a fair classifier.
///
/// Protects s (adjacency `sensitive`): one record's s changes one teacher, and so one vote a query.
/// All queries together are one Gaussian release whose units are teachers: votes, centred, of
/// length sqrt(Q (1 - 1/classes)). Prediction needs x alone. Regression only.
///
/// The public repository holds no code. What we chose:
///   - queries are training rows, whose x is public here; no other public data are needed.
///   - Q and K follow from the budget: kRowsPerTeacher rows a teacher, and as many queries as keep
///     sigma at kVoteNoise K. The data-dependent analysis of PATE, whose epsilon is a secret
///     itself, is not used.
///   - teachers and students are regressions with a little weight decay, fitted to the end.
///   - the student of sf-pate-s turns the answers into a model of s given x, and trains on all rows
///     with its probabilities: Q rows alone would make a poor classifier of a public label.

#include "baselines/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor sf_pate_t;
extern const MethodDescriptor sf_pate_s;
}  // namespace methods

enum class PateForm { kFairTeachers, kFairStudent };

struct SfPateOptions : BaselineOptions {
  PateForm form = PateForm::kFairTeachers;
  std::size_t teachers = 0;  ///< K; 0: by the rule
  std::size_t queries = 0;   ///< Q; 0: by the rule
};

Result<BaselineResult> sf_pate(const Dataset& data, const SfPateOptions& options,
                               StepLedger& ledger, NoiseSource noise,
                               const TrainingHooks& hooks = {});

}  // namespace dpfermi
