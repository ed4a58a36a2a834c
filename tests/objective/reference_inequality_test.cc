/// What the paper says of ERMI (section 3): it is an upper bound on the demographic parity
/// violation, on Shannon's mutual information, on the Renyi correlation and on the L_q violation.
/// Each bound is stated with its proof's one line, and checked on random tables of k groups and l
/// classes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "objective/reference_problem.h"
#include "reference/objective.h"

namespace dpfermi::reference {
namespace {

/// P(j,r) as a table of soft predictions: one to eight rows a group.
struct Table {
  std::size_t k;
  std::size_t l;
  Vector joint;      // k x l
  Vector groups;     // k: p_r
  Vector predicted;  // l: P(j)
  double ermi;

  double given(std::size_t r, std::size_t j) const { return joint[r * l + j] / groups[r]; }
};

Table random_table(std::mt19937_64& random, std::size_t k, std::size_t l) {
  const Problem problem{.groups = k, .classes = l};
  Rows rows;
  Vector f;
  for (std::size_t r = 0; r < k; ++r) {
    const std::size_t members = between(random, 1, 8);
    for (std::size_t i = 0; i < members; ++i) {
      rows.y.push_back(0);
      rows.s.push_back(r);
      const Vector fi = softmax(random_vector(random, l, 1), uniform(random, 0.1, 4));
      f.insert(f.end(), fi.begin(), fi.end());
    }
  }
  const Vector marginals = group_marginals(problem, rows);
  return {k,
          l,
          joint_probabilities(problem, rows, f),
          marginals,
          mean_probabilities(problem, rows, f),
          ermi(problem, rows, f, marginals)};
}

/// Runs `check` on tables of many shapes.
template <class Check>
void on_random_tables(const Check& check) {
  std::mt19937_64 random(1);
  for (std::size_t k = 2; k <= 6; ++k) {
    for (std::size_t l = 2; l <= 6; ++l) {
      for (int trial = 0; trial < 40; ++trial) {
        SCOPED_TRACE(testing::Message() << "k = " << k << ", l = " << l << ", trial " << trial);
        check(random_table(random, k, l));
      }
    }
  }
}

constexpr double kRounding = 1e-12;

// ERMI is the chi-square divergence of the joint distribution from the product of its marginals.
TEST(ErmiBounds, AreNeverNegative) {
  on_random_tables([](const Table& t) {
    double divergence = 0;
    for (std::size_t r = 0; r < t.k; ++r) {
      for (std::size_t j = 0; j < t.l; ++j) {
        const double product = t.groups[r] * t.predicted[j];
        divergence += std::pow(t.joint[r * t.l + j] - product, 2) / product;
      }
    }
    EXPECT_GE(t.ermi, -kRounding);
    EXPECT_NEAR(t.ermi, divergence, kRounding);
  });
}

// max_{j,r} |P(j|r) - P(j)| <= sqrt(ERMI P(j)(1 - P(j))(1 - p_r)/p_r): merging all other groups and
// all other classes cannot raise a divergence, and for a 2 x 2 table it is an equality.
TEST(ErmiBounds, BoundTheDemographicParityViolation) {
  on_random_tables([](const Table& t) {
    for (std::size_t r = 0; r < t.k; ++r) {
      for (std::size_t j = 0; j < t.l; ++j) {
        const double gap = std::abs(t.given(r, j) - t.predicted[j]);
        const double bound = std::sqrt(t.ermi * t.predicted[j] * (1 - t.predicted[j]) *
                                       (1 - t.groups[r]) / t.groups[r]);
        EXPECT_LE(gap, bound + kRounding);
        EXPECT_LE(gap, std::sqrt(t.ermi / t.groups[r]) + kRounding);  // the simple form
        if (t.k == 2 && t.l == 2) {
          EXPECT_NEAR(gap, bound, 1e-9);
        }
      }
    }
  });
}

// The violation of the paper's appendix, max over classes and pairs of groups (the L-infinity
// violation): |P(j|a) - P(j|b)| <= sqrt(ERMI P(j)(1 - P(j)) (1/p_a + 1/p_b)), by Cauchy-Schwarz.
TEST(ErmiBounds, BoundTheViolationBetweenGroups) {
  on_random_tables([](const Table& t) {
    for (std::size_t a = 0; a < t.k; ++a) {
      for (std::size_t b = a + 1; b < t.k; ++b) {
        for (std::size_t j = 0; j < t.l; ++j) {
          const double gap = std::abs(t.given(a, j) - t.given(b, j));
          const double bound = std::sqrt(t.ermi * t.predicted[j] * (1 - t.predicted[j]) *
                                         (1 / t.groups[a] + 1 / t.groups[b]));
          EXPECT_LE(gap, bound + kRounding);
          if (t.k == 2 && t.l == 2) {
            EXPECT_NEAR(gap, bound, 1e-9);
          }
        }
      }
    }
  });
}

// L_q = (sum_jr |P(j,r) - P(j)p_r|^q)^(1/q) <= sqrt(ERMI) for q >= 1: Cauchy-Schwarz for q = 1, and
// norms fall as q grows.
TEST(ErmiBounds, BoundTheLqViolation) {
  on_random_tables([](const Table& t) {
    for (const double q : {1.0, 1.5, 2.0, 5.0}) {
      double sum = 0;
      for (std::size_t r = 0; r < t.k; ++r) {
        for (std::size_t j = 0; j < t.l; ++j) {
          sum += std::pow(std::abs(t.joint[r * t.l + j] - t.groups[r] * t.predicted[j]), q);
        }
      }
      EXPECT_LE(std::pow(sum, 1 / q), std::sqrt(t.ermi) + kRounding);
    }
  });
}

// Shannon's I(yhat; S) <= log(1 + ERMI) <= ERMI, by Jensen.
TEST(ErmiBounds, BoundTheMutualInformation) {
  on_random_tables([](const Table& t) {
    double information = 0;
    for (std::size_t r = 0; r < t.k; ++r) {
      for (std::size_t j = 0; j < t.l; ++j) {
        const double together = t.joint[r * t.l + j];
        if (together == 0) continue;
        information += together * std::log(together / (t.groups[r] * t.predicted[j]));
      }
    }
    EXPECT_GE(information, -kRounding);
    EXPECT_LE(information, std::log1p(t.ermi) + kRounding);
  });
}

/// The second singular value, squared, of P(j,r)/sqrt(P(j)p_r); the first is 1. By power iteration
/// on the matrix without its first component.
double squared_renyi_correlation(const Table& t) {
  Vector rest(t.k * t.l);
  for (std::size_t r = 0; r < t.k; ++r) {
    for (std::size_t j = 0; j < t.l; ++j) {
      const double root = std::sqrt(t.groups[r] * t.predicted[j]);
      rest[r * t.l + j] = t.joint[r * t.l + j] / root - root;
    }
  }
  Vector v(t.l);
  for (std::size_t j = 0; j < t.l; ++j) v[j] = std::cos(static_cast<double>(1 + 3 * j));
  double value = 0;
  for (int round = 0; round < 500; ++round) {
    double length = 0;
    for (const double entry : v) length += entry * entry;
    if (length == 0) return 0;
    Vector next(t.l, 0.0);
    value = 0;
    for (std::size_t r = 0; r < t.k; ++r) {
      double u = 0;
      for (std::size_t j = 0; j < t.l; ++j) u += rest[r * t.l + j] * v[j] / std::sqrt(length);
      value += u * u;
      for (std::size_t j = 0; j < t.l; ++j) next[j] += rest[r * t.l + j] * u;
    }
    v = next;
  }
  return value;
}

// ERMI is the sum of all squared singular values but the first, the Renyi correlation the largest
// of them: rho^2 <= ERMI <= (min(k, l) - 1) rho^2, with equality where one of k, l is 2.
TEST(ErmiBounds, BoundTheRenyiCorrelation) {
  on_random_tables([](const Table& t) {
    const double squared = squared_renyi_correlation(t);
    EXPECT_LE(squared, t.ermi + kRounding);
    const auto rank = static_cast<double>(std::min(t.k, t.l) - 1);
    EXPECT_GE(rank * squared, t.ermi - 1e-4);  // power iteration comes from below
    if (rank == 1) {
      EXPECT_NEAR(squared, t.ermi, 1e-9);
    }
  });
}

// Equalized odds: the violation under each label y, by ERMI_y and so by sum_y P(y) ERMI_y / P(y).
TEST(ErmiBounds, BoundTheEqualizedOddsViolation) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Instance instance = random_instance(random, FairnessNotion::kEqualizedOdds);
    const Problem& problem = instance.problem;
    SCOPED_TRACE(testing::Message() << problem);
    const Rows& rows = instance.data.rows;
    const Vector& p = instance.state.marginals;
    const Vector f =
        probabilities(problem, all_logits(instance.model, instance.state.theta, instance.data.x));
    const Vector joint = joint_probabilities(problem, rows, f);
    const Vector shares = condition_shares(problem, rows);
    const double total = std::max(0.0, ermi(problem, rows, f, p));  // rounding
    const std::size_t k = problem.groups;
    const std::size_t l = problem.classes;
    for (std::size_t t = 0; t < joint.size(); ++t) {
      const std::size_t other = t / (k * l) * k * l + t % l;  // same label and class, group 0
      if (p[t / l] == 0 || p[other / l] == 0) continue;
      const double gap = std::abs(joint[t] / p[t / l] - joint[other] / p[other / l]);
      const double bound =
          std::sqrt(total / shares[t / (k * l)] / 4 * (1 / p[t / l] + 1 / p[other / l]));
      EXPECT_LE(gap, bound + kRounding);
    }
  }
}

}  // namespace
}  // namespace dpfermi::reference
