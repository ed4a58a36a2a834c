// No result depends on how many workers share the rows, nor on anything else that threads decide.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <atomic>
#include <ostream>

#include "torch/models.h"

namespace {

/// What the loaded OpenBLAS seems to be: 0 is the build without locks (1: with POSIX threads).
std::atomic<int> openblas_kind = 1;

}  // namespace

extern "C" int openblas_get_parallel() {
  return openblas_kind;
}

namespace dpfermi::deep {
namespace {

/// Everything that a model computes from rows.
struct Results {
  std::vector<std::int64_t> sums;
  std::vector<float> gradient, f_secret, f_public, f, features;
  bool operator==(const Results&) const = default;
};

Results results_of(DeepModel& model, const Faces& faces, std::uint32_t classes) {
  Results results;
  results.sums.resize(model.parameters());
  results.gradient.resize(model.parameters());
  for (auto* f : {&results.f_secret, &results.f_public, &results.f}) {
    f->resize(faces.members.size() * classes);
  }
  expect_done(model.sum_start(faces.rows(0), {0.5, kBits}));
  expect_done(model.sum_finish(results.sums, results.f_secret));
  expect_done(model.public_gradient(faces.rows(1), results.f_public));
  expect_done(model.copy_public_gradient(results.gradient));
  expect_done(model.probabilities(faces.members, results.f));
  expect_done(model.features(faces.members, results.features));
  return results;
}

struct Network {
  const char* name;
  Architecture architecture;
  std::uint32_t side;
  torch::nn::Sequential (*make)(const ModelOptions&);
};

std::ostream& operator<<(std::ostream& out, const Network& network) {
  return out << network.name;
}

class WorkersTest : public testing::TestWithParam<Network> {
 protected:
  DeepModel model(std::uint32_t workers) const {
    ModelOptions own = options();
    own.workers = workers;
    DeepModel made = model_of(from_sequential(GetParam().make(own), own));
    expect_done(made.load(faces_.pixels, faces_.labels));
    return made;
  }
  ModelOptions options() const {
    return options_of(GetParam().architecture, GetParam().side, Place::kCpu, Precision::kFloat32);
  }
  Results results(DeepModel& made) const { return results_of(made, faces_, options().classes); }

  /// Several blocks of the public gradient, the last one not full.
  Faces faces_ = invent_faces(53, options(), 5);
};

TEST_P(WorkersTest, AnyNumberOfThemGivesTheSameBits) {
  DeepModel alone = model(1);
  const Results expected = results(alone);
  for (const std::uint32_t workers : {2U, 5U}) {
    DeepModel several = model(workers);
    EXPECT_EQ(results(several), expected) << workers << " workers";
  }
}

/// Rows meet others in every round: what they share (layers, a BLAS without locks) would show.
TEST_P(WorkersTest, EveryRoundGivesTheSameBits) {
  DeepModel several = model(4);
  const Results expected = results(several);
  for (int round = 0; round < 4; ++round) {
    ASSERT_EQ(results(several), expected) << "round " << round;
  }
  std::ranges::rotate(faces_.members, faces_.members.begin() + 5);
  std::ranges::rotate(faces_.which, faces_.which.begin() + 5);
  EXPECT_EQ(sum_of(several, faces_.rows(0), {0.5, kBits}, options().classes), expected.sums);
}

TEST_P(WorkersTest, ThreadsOfTheCallerDoNotMatter) {
  DeepModel two = model(2);
  const Results expected = results(two);
  at::set_num_threads(4);
  EXPECT_EQ(results(two), expected);
  EXPECT_EQ(at::get_num_threads(), 1);
}

INSTANTIATE_TEST_SUITE_P(Networks, WorkersTest,
                         testing::Values(Network{"Small", Architecture::kSmall, 16, make_network},
                                         Network{"Own", Architecture::kSmall, 32, own_network},
                                         Network{"Residual", Architecture::kSmall, 16,
                                                 residual_network},
                                         Network{"Vgg9", Architecture::kVgg9, 32, make_network}),
                         [](const auto& instance) { return std::string(instance.param.name); });

/// A network that is found out by its output alone: all workers fail, and none waits for another.
TEST(Workers, SayWhatWentWrongInOneOfThem) {
  ModelOptions options = small_options();
  options.workers = 4;
  torch::nn::Sequential narrow(torch::nn::Flatten(),
                               torch::nn::Linear(16 * 16 * 3, options.classes - 1));
  DeepModel model = model_of(from_sequential(narrow, options));
  const Faces faces = invent_faces(70, options, 1);
  expect_done(model.load(faces.pixels, faces.labels));
  std::vector<float> f(faces.members.size() * options.classes);
  for (const Outcome& outcome :
       {model.public_gradient(faces.rows(1)), model.sum_start(faces.rows(0), {1, kBits}),
        model.probabilities(faces.members, f)}) {
    ASSERT_TRUE(outcome.has_value());
    EXPECT_NE(outcome->message.find("output is not one line of 9"), std::string::npos);
  }
}

/// Several threads in an OpenBLAS without locks get wrong products, silently.
TEST(Workers, AreRefusedWhereOpenBlasHasNoLocks) {
  ModelOptions options = small_options();
  openblas_kind = 0;
  EXPECT_NE(refusal(DeepModel::create(options)).find("libopenblas0-pthread"), std::string::npos);
  for (const std::uint32_t workers : {0U, 1U}) {
    options.workers = workers;
    EXPECT_EQ(refusal(DeepModel::create(options)), "");
  }
  openblas_kind = 1;
  options.workers = 3;
  EXPECT_EQ(refusal(DeepModel::create(options)), "");
  options.workers = 1025;
  EXPECT_NE(refusal(DeepModel::create(options)).find("1024"), std::string::npos);
}

}  // namespace
}  // namespace dpfermi::deep
