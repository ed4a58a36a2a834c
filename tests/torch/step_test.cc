#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <optional>
#include <ostream>

#include "torch/models.h"

namespace dpfermi::deep {
namespace {

/// A network and how close it must come to the plain loop: `row` for the usual row, `sum` for sums.
/// Where a ReLU's argument is within rounding of 0 its derivative jumps on every device; one
/// such jump is worth about 1e-3 of a row's gradient, and in bfloat16 all rows have many. Hence
/// looser sums for deep networks with ReLU, and three times the error of libtorch's own derivatives
/// in the same precision is always good enough: kernels for TF32 differ by two in how they round.
struct Case {
  const char* name;
  ModelOptions options;
  torch::nn::Sequential (*network)(const ModelOptions&);
  double row;
  double sum;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class DeepStep : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (options().place == Place::kGpu && !torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
    network_ = GetParam().network(options());
    model_.emplace(model_of(from_sequential(network_, options())));
    // Products see parameters rounded to their type; so does the plain loop.
    network_->to(type());
    network_->to(torch::kDouble);
    faces_ = invent_faces(11, options(), 5);
    expect_done(model_->load(faces_.pixels, faces_.labels));
  }

  const ModelOptions& options() const { return GetParam().options; }
  torch::ScalarType type() const {
    return options().precision == Precision::kBfloat16 ? torch::kBFloat16 : torch::kFloat;
  }

  torch::Tensor row(std::size_t i, double loss_weight) {
    return row_gradient(network_, faces_, options(), i, loss_weight);
  }

  /// All rows' gradients, exactly or as libtorch finds them in the model's precision.
  torch::Tensor rows(double loss_weight, bool exact) {
    if (!exact) network_->to(options().place == Place::kGpu ? torch::kCUDA : torch::kCPU, type());
    std::vector<torch::Tensor> all;
    for (std::size_t i = 0; i < faces_.members.size(); ++i) all.push_back(row(i, loss_weight));
    network_->to(torch::kCPU, torch::kDouble);
    return torch::stack(all);
  }

  void expect_close(const char* what, double error, double peer_error, double tolerance) {
    std::cout << GetParam().name << ": " << what << " off by " << error << ", libtorch's own by "
              << peer_error << '\n';
    EXPECT_LT(error, std::max(tolerance, 3 * peer_error));
  }

  torch::nn::Sequential network_;
  std::optional<DeepModel> model_;
  Faces faces_;
};

TEST_P(DeepStep, PublicGradientIsTheMeanOfTheRows) {
  for (const double tau : {1.0, 2.5}) {
    faces_.tau = tau;
    expect_done(model_->public_gradient(faces_.rows(1)));
    std::vector<float> gradient(model_->parameters());
    expect_done(model_->copy_public_gradient(gradient));
    const torch::Tensor expected = rows(1, true).mean(0);
    expect_close(tau == 1 ? "public gradient" : "public gradient, sharpened",
                 relative_error(torch::tensor(gradient).to(torch::kDouble), expected),
                 relative_error(rows(1, false).mean(0), expected), GetParam().sum);
  }
}

/// Rows one by one, not clipped: the median of their errors, and of the errors of their norms.
TEST_P(DeepStep, RowsEqualThePlainLoop) {
  const torch::Tensor exact = rows(0, true);
  const double c = 2 * exact.norm(2, {1}).max().item<double>();
  std::vector<torch::Tensor> ours;
  for (std::size_t i = 0; i < faces_.members.size(); ++i) {
    const Rows one{{&faces_.members[i], 1}, 0, faces_.functionals, {&faces_.which[i], 1}};
    const auto sums = sum_of(*model_, one, {c, kBits}, options().classes);
    ours.push_back(torch::tensor(sums).to(torch::kDouble) * (c / kBits));
  }
  const torch::Tensor peer = rows(0, false);
  const torch::Tensor norms = exact.norm(2, {1});
  const torch::Tensor errors = (torch::stack(ours) - exact).norm(2, {1}) / norms;
  std::cout << GetParam().name << ": " << (errors < 1e-4).sum().item<int>() << " of "
            << errors.numel() << " rows within 1e-4, the worst off by "
            << errors.max().item<double>() << '\n';
  const auto error = [&](const torch::Tensor& all) {
    return ((all - exact).norm(2, {1}) / norms).median().item<double>();
  };
  const auto norm_error = [&](const torch::Tensor& all) {
    return (all.norm(2, {1}) / norms - 1).abs().median().item<double>();
  };
  expect_close("row", error(torch::stack(ours)), error(peer), GetParam().row);
  expect_close("norm", norm_error(torch::stack(ours)), norm_error(peer), GetParam().row);
}

torch::Tensor clipped_sum(const torch::Tensor& rows, double c) {
  return (rows * (c / rows.norm(2, {1}, true)).clamp_max(1)).sum(0);
}

/// Half of the rows are longer than the clipping norm.
TEST_P(DeepStep, ClippedSumEqualsThePlainLoop) {
  for (const float loss_weight : {0.0F, 1.0F}) {  // sensitive; whole records
    const torch::Tensor exact = rows(loss_weight, true);
    const double c = exact.norm(2, {1}).median().item<double>();
    const torch::Tensor expected = clipped_sum(exact, c);
    const auto sums = sum_of(*model_, faces_.rows(loss_weight), {c, kBits}, options().classes);
    expect_close(loss_weight == 0 ? "clipped sum, sensitive" : "clipped sum, records",
                 relative_error(torch::tensor(sums).to(torch::kDouble) * (c / kBits), expected),
                 relative_error(clipped_sum(rows(loss_weight, false), c), expected),
                 GetParam().sum);
  }
}

/// One row alone, clipped or not: never longer than the lattice allows, to the last unit.
TEST_P(DeepStep, NoRowIsLongerThanTheLattice) {
  for (std::size_t i = 0; i < 4; ++i) {
    const double norm = row(i, 0).norm().item<double>();
    for (const double share : {0.1, 0.999, 1.7}) {
      const Rows one{{&faces_.members[i], 1}, 0, faces_.functionals, {&faces_.which[i], 1}};
      const auto sums = sum_of(*model_, one, {norm * share, kBits}, options().classes);
      long double square = 0;
      for (const std::int64_t k : sums) square += static_cast<long double>(k) * k;
      EXPECT_LE(square, static_cast<long double>(kBits) * kBits);
      EXPECT_NEAR(static_cast<double>(std::sqrt(square)) / kBits, std::min(1.0, 1 / share), 2e-2);
    }
  }
}

/// What privacy rests on: exchanging one row changes the integers by the same amount, whichever
/// other rows are there, how many there are, and in which place.
TEST_P(DeepStep, ARowDoesNotDependOnTheOtherRows) {
  const auto difference = [&](std::vector<std::uint32_t> company, std::size_t place) {
    std::vector<std::int64_t> change(model_->parameters());
    for (const std::uint32_t row : {3U, 7U}) {
      company[place] = row;
      std::vector<std::uint32_t> which;
      for (const std::uint32_t i : company) which.push_back(faces_.which[i]);
      const auto sums =
          sum_of(*model_, {company, 0, faces_.functionals, which}, {0.5, kBits}, options().classes);
      for (std::size_t j = 0; j < sums.size(); ++j) change[j] = sums[j] - change[j];
    }
    return change;
  };
  const auto change = difference({0, 1, 2, 4, 5, 6}, 1);
  EXPECT_EQ(change, difference({8, 9, 10, 0, 2, 5}, 1));
  EXPECT_EQ(change, difference({8, 9, 10, 0, 2, 5}, 4));
  EXPECT_EQ(change, difference({8, 9, 10}, 0));
}

TEST_P(DeepStep, RowsThatAreNotFiniteAddNothing) {
  std::vector<float> theta(model_->parameters());
  expect_done(model_->copy_parameters(theta));
  theta.back() = std::numeric_limits<float>::quiet_NaN();
  expect_done(model_->set_parameters(theta));
  const auto sums = sum_of(*model_, faces_.rows(1), {1, kBits}, options().classes);
  EXPECT_EQ(sums, std::vector<std::int64_t>(sums.size(), 0));
}

TEST_P(DeepStep, DescentTakesBothHalves) {
  std::vector<float> before(model_->parameters());
  std::vector<float> after(before.size());
  std::vector<float> gradient(before.size());
  std::vector<std::int64_t> released(before.size());
  std::iota(released.begin(), released.end(), -100);
  expect_done(model_->copy_parameters(before));
  expect_done(model_->public_gradient(faces_.rows(1)));
  expect_done(model_->copy_public_gradient(gradient));
  expect_done(model_->descend(0.5, 1e-3, released));
  expect_done(model_->copy_parameters(after));
  for (std::size_t j = 0; j < before.size(); j += 7) {
    const double expected =
        before[j] - 0.5 * (gradient[j] + 1e-3 * static_cast<double>(released[j]));
    ASSERT_NEAR(after[j], expected, 1e-5 * (1 + std::abs(expected)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, DeepStep,
    testing::Values(
        Case{"CpuSmall", options_of(Architecture::kSmall, 16, Place::kCpu, Precision::kFloat32),
             make_network, 1e-4, 1e-4},
        Case{"CpuOwn", options_of(Architecture::kSmall, 32, Place::kCpu, Precision::kFloat32),
             own_network, 1e-4, 1e-4},
        Case{"CpuResidual", options_of(Architecture::kSmall, 16, Place::kCpu, Precision::kFloat32),
             residual_network, 1e-4, 1e-4},
        Case{"CpuSmooth", options_of(Architecture::kVgg9, 32, Place::kCpu, Precision::kFloat32),
             smooth_network, 1e-4, 1e-4},
        Case{"CpuVgg9", options_of(Architecture::kVgg9, 32, Place::kCpu, Precision::kFloat32),
             make_network, 1e-4, 5e-3},
        Case{"GpuSmall", options_of(Architecture::kSmall, 16, Place::kGpu, Precision::kFloat32),
             make_network, 1e-4, 1e-4},
        Case{"GpuOwn", options_of(Architecture::kSmall, 32, Place::kGpu, Precision::kFloat32),
             own_network, 1e-4, 1e-4},
        Case{"GpuResidual", options_of(Architecture::kSmall, 16, Place::kGpu, Precision::kFloat32),
             residual_network, 1e-4, 1e-4},
        Case{"GpuOwnBfloat16",
             options_of(Architecture::kSmall, 32, Place::kGpu, Precision::kBfloat16), own_network,
             1e-2, 1e-2},
        Case{"GpuSmooth", options_of(Architecture::kVgg9, 64, Place::kGpu, Precision::kFloat32),
             smooth_network, 1e-4, 1e-4},
        Case{"GpuSmoothTf32", options_of(Architecture::kVgg9, 64, Place::kGpu, Precision::kTf32),
             smooth_network, 1e-2, 1e-2},
        Case{"GpuSmoothBfloat16",
             options_of(Architecture::kVgg9, 64, Place::kGpu, Precision::kBfloat16), smooth_network,
             1e-2, 1e-2},
        Case{"GpuVgg9", options_of(Architecture::kVgg9, 64, Place::kGpu, Precision::kFloat32),
             make_network, 1e-4, 5e-3},
        Case{"GpuVgg9Tf32", options_of(Architecture::kVgg9, 64, Place::kGpu, Precision::kTf32),
             make_network, 1e-2, 1e-2},
        Case{"GpuVgg9Bfloat16",
             options_of(Architecture::kVgg9, 64, Place::kGpu, Precision::kBfloat16), make_network,
             1e-2, 1e-2}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace dpfermi::deep
