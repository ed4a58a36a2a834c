#include <gtest/gtest.h>

#include <utility>

#include "torch/models.h"

namespace dpfermi::deep {
namespace {

TEST(DeepModel, ThePaperNetworkHasItsParameters) {
  EXPECT_EQ(model_of(DeepModel::create({})).parameters(), 1612713U);
}

TEST(DeepModel, RefusesWhatItCannotClipRowByRow) {
  const ModelOptions options = small_options();
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
  const ModelOptions options = small_options();
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

TEST(DeepModel, SumsDoNotDependOnTiming) {
  ModelOptions options = small_options();
  options.timed = true;
  DeepModel model = model_of(DeepModel::create(options));
  const Faces faces = invent_faces(3, options, 1);
  expect_done(model.load(faces.pixels, faces.labels));
  expect_done(model.public_gradient(faces.rows(1)));
  EXPECT_TRUE(model.sum_start(faces.rows(0), {1, kBits}).has_value());
}

TEST(DeepModel, MembersBeyondTheImagesAreMirrored) {
  const ModelOptions options = small_options();
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
  const ModelOptions options = small_options();
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
  const ModelOptions options = small_options();
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
  const ModelOptions options = small_options();
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
