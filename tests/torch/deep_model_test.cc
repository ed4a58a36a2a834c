#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <ostream>

#include "torch/reference.h"

namespace dpfermi::deep {
namespace {

constexpr double kBits = 0x1p30;

DeepModel model_of(std::variant<DeepModel, Problem> made) {
  if (const auto* problem = std::get_if<Problem>(&made)) ADD_FAILURE() << problem->message;
  return std::get<DeepModel>(std::move(made));
}

void expect_done(const Outcome& outcome) {
  EXPECT_FALSE(outcome.has_value()) << (outcome ? outcome->message : "");
}

std::vector<std::int64_t> sum_of(DeepModel& model, const Rows& rows, const Clip& clip,
                                 std::uint32_t classes) {
  std::vector<std::int64_t> sums(model.parameters());
  std::vector<float> f(rows.members.size() * classes);
  expect_done(model.sum_start(rows, clip));
  expect_done(model.sum_finish(sums, f));
  return sums;
}

torch::nn::Sequential own_network(const ModelOptions& options) {
  torch::manual_seed(options.seed);
  const std::int64_t side = options.side / 8;
  return torch::nn::Sequential(
      torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 6, 5).stride(2).padding(2)), torch::nn::Tanh(),
      torch::nn::MaxPool2d(2), torch::nn::Conv2d(torch::nn::Conv2dOptions(6, 9, 3).padding(1)),
      torch::nn::InstanceNorm2d(9), torch::nn::Tanh(), torch::nn::AvgPool2d(2),
      torch::nn::Flatten(), torch::nn::Linear(9 * side * side, 12), torch::nn::ReLU(),
      torch::nn::Linear(12, options.classes));
}

/// Residual blocks with group norm, one of them with a way of its own past the layers, one inside
/// of another. Scales and shifts are not where they start.
torch::nn::Sequential residual_network(const ModelOptions& options) {
  using torch::nn::Conv2d;
  using torch::nn::Conv2dOptions;
  using torch::nn::GroupNorm;
  using torch::nn::GroupNormOptions;
  using torch::nn::Sequential;
  using torch::nn::Tanh;
  torch::manual_seed(options.seed);
  const auto norm = [](std::int64_t channels) {
    GroupNorm layer(GroupNormOptions(2, channels));
    torch::nn::init::uniform_(layer->weight, 0.5, 1.5);
    torch::nn::init::uniform_(layer->bias, -0.5, 0.5);
    return layer;
  };
  const auto same = [](std::int64_t channels) {
    return Conv2d(Conv2dOptions(channels, channels, 3).padding(1));
  };
  const Residual inner(Sequential(same(6), norm(6)), Sequential());
  return Sequential(
      Conv2d(Conv2dOptions(3, 6, 3).stride(2).padding(1)), norm(6), Tanh(),
      Residual(Sequential(same(6), norm(6), Tanh(), inner, Tanh(), same(6)), Sequential()), Tanh(),
      Residual(Sequential(Conv2d(Conv2dOptions(6, 8, 3).stride(2).padding(1)), norm(8)),
               Sequential(Conv2d(Conv2dOptions(6, 8, 1).stride(2)))),
      Tanh(), torch::nn::AdaptiveAvgPool2d(1), torch::nn::Flatten(),
      torch::nn::Linear(8, options.classes));
}

/// The same network with tanh: nine layers whose derivative does not jump.
torch::nn::Sequential smooth_network(const ModelOptions& options) {
  const torch::nn::Sequential pattern = make_network(options);
  torch::nn::Sequential network;
  for (const auto& module : *pattern) {
    if (module.ptr()->as<torch::nn::ReLUImpl>() != nullptr) {
      network->push_back(torch::nn::Tanh());
    } else {
      network->push_back(module);
    }
  }
  return network;
}

/// A network and how close it must come to the plain loop: `row` for the usual row, `sum` for sums.
/// Where a ReLU's argument is within rounding of 0 its derivative jumps, whoever computes it; one
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
  expect_done(model_->public_gradient(faces_.rows(1)));
  std::vector<float> gradient(model_->parameters());
  expect_done(model_->copy_public_gradient(gradient));
  const torch::Tensor expected = rows(1, true).mean(0);
  expect_close("public gradient",
               relative_error(torch::tensor(gradient).to(torch::kDouble), expected),
               relative_error(rows(1, false).mean(0), expected), GetParam().sum);
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

/// What privacy rests on: exchanging one row changes the integers by the same amount whoever else
/// is there, how many there are, and in which place.
TEST_P(DeepStep, ARowDoesNotDependOnItsCompany) {
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

ModelOptions options_of(Architecture architecture, std::uint32_t side, Place place,
                        Precision precision) {
  return {architecture, side, 9, place, precision, 4, 3};
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

TEST(DeepModel, ThePaperNetworkHasItsParameters) {
  EXPECT_EQ(model_of(DeepModel::create({})).parameters(), 1612713U);
}

std::string refusal(std::variant<DeepModel, Problem> made) {
  const auto* problem = std::get_if<Problem>(&made);
  return problem == nullptr ? "" : problem->message;
}

TEST(DeepModel, RefusesWhatItCannotClipRowByRow) {
  const ModelOptions options =
      options_of(Architecture::kSmall, 16, Place::kCpu, Precision::kFloat32);
  torch::nn::Sequential mixed(torch::nn::Conv2d(3, 4, 3), torch::nn::BatchNorm2d(4));
  EXPECT_NE(refusal(from_sequential(mixed, options)).find("BatchNorm2d"), std::string::npos);
  const Residual pooled(torch::nn::Sequential(torch::nn::AdaptiveAvgPool2d(2)),
                        torch::nn::Sequential());
  EXPECT_NE(refusal(from_sequential(torch::nn::Sequential(pooled), options)).find("on chance"),
            std::string::npos);
  torch::nn::Sequential grouped(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 6, 3).groups(3)));
  EXPECT_NE(refusal(from_sequential(grouped, options)).find("one group"), std::string::npos);
}

TEST(DeepModel, RefusesWrongData) {
  const ModelOptions options =
      options_of(Architecture::kSmall, 16, Place::kCpu, Precision::kFloat32);
  DeepModel model = model_of(DeepModel::create(options));
  Faces faces = invent_faces(3, options, 1);
  EXPECT_TRUE(model.public_gradient(faces.rows(1)).has_value());  // nothing loaded
  EXPECT_TRUE(model.load({faces.pixels.data(), 100}, faces.labels).has_value());
  faces.labels[1] = 9;
  EXPECT_TRUE(model.load(faces.pixels, faces.labels).has_value());
  faces.labels[1] = 0;
  expect_done(model.load(faces.pixels, faces.labels));
  faces.members[2] = 3 * kViews;
  EXPECT_TRUE(model.public_gradient(faces.rows(1)).has_value());
  faces.members[2] = 2;
  faces.which[0] = 5;
  EXPECT_TRUE(model.sum_start(faces.rows(0), {1, kBits}).has_value());
  faces.which[0] = 0;
  EXPECT_TRUE(model.sum_start(faces.rows(0), {0, kBits}).has_value());
  for (const std::uint32_t again : {1U, 4U}) {  // row 1, and its mirror image
    faces.members[2] = again;
    const Outcome refused = model.sum_start(faces.rows(0), {1, kBits});
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->message, "a member is named twice; name every row once");
  }
}

TEST(DeepModel, SumsAreNotLeftToAStopwatch) {
  ModelOptions options = options_of(Architecture::kSmall, 16, Place::kCpu, Precision::kFloat32);
  options.timed = true;
  DeepModel model = model_of(DeepModel::create(options));
  const Faces faces = invent_faces(3, options, 1);
  expect_done(model.load(faces.pixels, faces.labels));
  expect_done(model.public_gradient(faces.rows(1)));
  EXPECT_TRUE(model.sum_start(faces.rows(0), {1, kBits}).has_value());
}

TEST(DeepModel, MembersBeyondTheImagesAreMirrored) {
  const ModelOptions options =
      options_of(Architecture::kSmall, 16, Place::kCpu, Precision::kFloat32);
  DeepModel model = model_of(DeepModel::create(options));
  const Faces faces = invent_faces(3, options, 1);
  expect_done(model.load(faces.pixels, faces.labels));
  std::vector<float> mirrored(2 * options.classes);
  const std::vector<std::uint32_t> beyond = {4, 5};
  expect_done(model.probabilities(beyond, mirrored));
  const std::vector<std::uint32_t> too_far = {3 * kViews};
  EXPECT_TRUE(model.probabilities(too_far, mirrored).has_value());

  Faces flipped = faces;
  const std::size_t side = options.side;
  for (std::size_t i = 0; i < flipped.pixels.size(); ++i) {
    const std::size_t column = i / 3 % side;
    flipped.pixels[i] = faces.pixels[i - 3 * column + 3 * (side - 1 - column)];
  }
  expect_done(model.load(flipped.pixels, flipped.labels));
  std::vector<float> plain(mirrored.size());
  const std::vector<std::uint32_t> same = {1, 2};
  expect_done(model.probabilities(same, plain));
  EXPECT_EQ(mirrored, plain);
}

TEST(DeepModel, ViewsAreMovedAndTheirEdgesRepeated) {
  const ModelOptions options =
      options_of(Architecture::kSmall, 16, Place::kCpu, Precision::kFloat32);
  DeepModel model = model_of(DeepModel::create(options));
  const Faces faces = invent_faces(1, options, 1);
  expect_done(model.load(faces.pixels, faces.labels));
  // Shift 3 is by -2, shift 2 by +1; the first counts columns, the second rows.
  const std::vector<std::uint32_t> member = {2 * (2 * kShifts + 3)};
  std::vector<float> viewed(options.classes);
  expect_done(model.probabilities(member, viewed));

  Faces moved = faces;
  const auto side = static_cast<int>(options.side);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const int from_y = std::min(y + 1, side - 1);
      const int from_x = std::max(x - 2, 0);
      for (int c = 0; c < 3; ++c) {
        moved.pixels[static_cast<std::size_t>(3 * (y * side + x) + c)] =
            faces.pixels[static_cast<std::size_t>(3 * (from_y * side + from_x) + c)];
      }
    }
  }
  expect_done(model.load(moved.pixels, moved.labels));
  std::vector<float> plain(options.classes);
  const std::vector<std::uint32_t> same = {0};
  expect_done(model.probabilities(same, plain));
  EXPECT_EQ(viewed, plain);
}

TEST(DeepModel, FeaturesAreTheMeansOfTheLastChannelsAndLogProbabilities) {
  const ModelOptions options =
      options_of(Architecture::kSmall, 16, Place::kCpu, Precision::kFloat32);
  torch::nn::Sequential network = make_network(options);
  DeepModel model = model_of(from_sequential(network, options));
  const Faces faces = invent_faces(3, options, 1);
  expect_done(model.load(faces.pixels, faces.labels));
  std::vector<float> values;
  expect_done(model.features(faces.members, values));
  const torch::NoGradGuard no_gradients;
  const torch::Tensor x =
      torch::from_blob(const_cast<std::uint8_t*>(faces.pixels.data()), {3, 16, 16, 3}, torch::kByte)
          .to(torch::kFloat)
          .div(127.5)
          .sub(1)
          .permute({0, 3, 1, 2});
  const auto features_of = [&](torch::Tensor view) {
    for (auto module = network->begin(); module + 2 != network->end(); ++module) {
      view = module->forward(view);
    }
    const torch::Tensor outputs = (network->end() - 1)->forward(view.flatten(1));
    return std::pair(view.mean({2, 3}), torch::softmax(outputs, 1));
  };
  const auto [channels, f] = features_of(x);
  const auto [mirrored_channels, mirrored_f] = features_of(x.flip(3));
  const torch::Tensor expected =
      torch::cat({(channels + mirrored_channels) / 2, ((f + mirrored_f) / 2).log()}, 1)
          .contiguous();
  ASSERT_EQ(values.size(), static_cast<std::size_t>(expected.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected.data_ptr<float>()[i], 1e-5);
  }
}

TEST(DeepModel, RefusesNetworksThatMakeSeveralRowsOfOne) {
  const ModelOptions options =
      options_of(Architecture::kSmall, 16, Place::kCpu, Precision::kFloat32);
  using torch::nn::Flatten;
  using torch::nn::FlattenOptions;
  torch::nn::Sequential folding(Flatten(FlattenOptions().start_dim(0).end_dim(1)),
                                torch::nn::AdaptiveAvgPool2d(1), Flatten(),
                                torch::nn::Linear(1, options.classes));
  EXPECT_NE(refusal(from_sequential(folding, options)).find("not supported"), std::string::npos);
  torch::nn::Sequential wide(torch::nn::Linear(16, options.classes));
  DeepModel model = model_of(from_sequential(wide, options));
  const Faces faces = invent_faces(3, options, 1);
  expect_done(model.load(faces.pixels, faces.labels));
  EXPECT_TRUE(model.sum_start(faces.rows(0), {1, kBits}).has_value());
  torch::nn::Sequential narrow(Flatten(), torch::nn::Linear(16 * 16 * 3, options.classes - 1));
  model = model_of(from_sequential(narrow, options));
  expect_done(model.load(faces.pixels, faces.labels));
  EXPECT_TRUE(model.sum_start(faces.rows(0), {1, kBits}).has_value());
}

TEST(DeepModel, SaysWhenThereIsNoGpu) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "there is one";
  ModelOptions options;
  options.place = Place::kGpu;
  EXPECT_NE(refusal(DeepModel::create(options)).find("no GPU"), std::string::npos);
}

}  // namespace
}  // namespace dpfermi::deep
