#include "artifact/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "artifact/fixtures.h"
#include "data/checksum.h"
#include "temp_folder.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::income_model;

std::string complaint(const std::string& bytes) {
  const auto model = decode_model(bytes, "m.dpf");
  return model ? "accepted" : model.error().message;
}

/// A file with the right checksum, whatever is in it.
std::string sealed(const std::string& body) {
  return body + "\nsha256 " + sha256_of_bytes(body).value() + "\n";
}

std::string body_of(const std::string& bytes) {
  return bytes.substr(0, bytes.rfind("\nsha256 "));
}

std::string file_of(const std::string& header, const std::string& parameters) {
  return sealed("dpfermi-model 1 " + std::to_string(header.size()) + "\n" + header + "\n" +
                parameters);
}

std::string header_of(const std::string& bytes) {
  const std::size_t begin = bytes.find('\n') + 1;
  const std::size_t length = std::stoul(bytes.substr(16, begin - 17));
  return bytes.substr(begin, length);
}

std::string parameters_of(const std::string& bytes) {
  return body_of(bytes).substr(bytes.find('\n') + 1 + header_of(bytes).size() + 1);
}

/// With one component of one channel.
TrainedModel image_model() {
  TrainedModel model = income_model({});
  std::vector<NumericFeature> numbers = model.pipeline.numeric();
  numbers[0].column = "component1";
  model.schema.columns["component1"] = model.schema.columns.at("age");
  model.pipeline = Pipeline::create(std::move(numbers), model.pipeline.categories()).value();
  model.network = ImageNetwork{"vgg9",        128,       "vgg9 side 128", 30,
                               {1, -2.5F, 3}, {0.5F, 4}, {20, 40},        "features.csv"};
  return model;
}

/// `text` with the first `what` after `from` replaced.
std::string replaced(std::string text, const std::string& from, const std::string& what,
                     const std::string& instead) {
  const std::size_t at = text.find(what, text.find(from));
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), instead);
}

TEST(ModelFile, CountsThatWrapAroundAreRefused) {
  const TrainedModel model = image_model();
  const std::string bytes = encode_model(model).value();
  const std::string numbers = parameters_of(bytes);
  const std::string own = "\"parameters\": " + std::to_string(model.theta.size());
  std::string header = header_of(bytes);
  ASSERT_EQ(complaint(file_of(header, numbers)), "accepted");
  // 2^64 - 8 and 8 more in the network than both had together: the sum is the same.
  header = replaced(header, "\"model\"", own, "\"parameters\": 18446744073709551608");
  header = replaced(header, "\"network\"", "\"parameters\": 3",
                    "\"parameters\": " + std::to_string(3 + model.theta.size() + 8));
  EXPECT_THAT(complaint(file_of(header, numbers)), HasSubstr("'parameters' is too large"));
}

TEST(ModelFile, KeepsTheNetworkOfAModelOfImages) {
  TrainedModel model = image_model();
  const std::string bytes = encode_model(model).value();
  const auto read = decode_model(bytes, "m.dpf");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->network);
  EXPECT_EQ(read->network->architecture, "vgg9");
  EXPECT_EQ(read->network->side, 128U);
  EXPECT_EQ(read->network->settings, "vgg9 side 128");
  EXPECT_EQ(read->network->epochs, 30U);
  EXPECT_EQ(read->network->theta, model.network->theta);
  EXPECT_EQ(read->network->components, model.network->components);
  EXPECT_EQ(read->network->target_bins, model.network->target_bins);
  EXPECT_EQ(read->network->table, model.network->table);
  EXPECT_EQ(read->theta, model.theta);
  const std::string numbers = parameters_of(bytes);
  EXPECT_THAT(complaint(file_of(header_of(bytes), numbers.substr(4))),
              HasSubstr("its header says"));
  model.network->theta[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(encode_model(model));
}

TEST(ModelFile, ReadsBackExactly) {
  for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{}, {3}, {4, 2}}) {
    TrainedModel model = income_model(hidden);
    model.theta[0] = std::numeric_limits<float>::denorm_min();
    model.theta[1] = -0.0F;
    const std::string bytes = encode_model(model).value();
    const auto read = decode_model(bytes, "m.dpf");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(encode_model(*read).value(), bytes);
    EXPECT_EQ(read->theta, model.theta);
    EXPECT_TRUE(std::signbit(read->theta[1]));
    EXPECT_EQ(read->spec, model.spec);
    EXPECT_EQ(read->classes, model.classes);
    EXPECT_EQ(read->favourable, model.favourable);
    EXPECT_EQ(read->groups, model.groups);
    EXPECT_EQ(to_json(read->schema), to_json(model.schema));
    EXPECT_EQ(to_json(read->pipeline), to_json(model.pipeline));
    EXPECT_EQ(to_json(read->privacy), to_json(model.privacy));
    EXPECT_EQ(read->training.settings, model.training.settings);
    EXPECT_EQ(read->training.held_out->seed, 7U);
    EXPECT_EQ(read->training.max_violation, 0.05);
    EXPECT_EQ(read->released[0].noise_stddev, 0.01);
    EXPECT_EQ(read->released[1].noise_stddev, std::nullopt);
  }
}

TEST(ModelFile, ParametersAreLittleEndianFloats) {
  TrainedModel model = income_model();
  model.theta[0] = 1;
  const std::string parameters = parameters_of(encode_model(model).value());
  EXPECT_EQ(parameters.size(), 4 * model.theta.size());
  EXPECT_EQ(parameters.substr(0, 4), std::string("\0\0\x80\x3F", 4));
}

TEST(ModelFile, HeaderIsForPeople) {
  const std::string bytes = encode_model(income_model()).value();
  EXPECT_THAT(bytes, StartsWith("dpfermi-model 1 "));
  EXPECT_THAT(header_of(bytes), HasSubstr("\n    \"method\": \"dp-fermi\","));
}

TEST(ModelFile, AnySingleByteFlippedIsRefused) {
  const std::string good = encode_model(income_model()).value();
  std::string bad = good;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      bad[at] = static_cast<char>(static_cast<unsigned char>(good[at]) ^ (1U << bit));
      ASSERT_FALSE(decode_model(bad, "m.dpf")) << "byte " << at << ", bit " << bit;
    }
    bad[at] = good[at];
  }
}

TEST(ModelFile, AnyCutIsRefused) {
  const std::string good = encode_model(income_model()).value();
  for (std::size_t length = 0; length < good.size(); ++length) {
    ASSERT_FALSE(decode_model(good.substr(0, length), "m.dpf")) << length;
  }
  EXPECT_THAT(complaint(good + "x"), HasSubstr("checksum"));
}

TEST(ModelFile, SaysWhatIsWrongAndWhatToDo) {
  const std::string good = encode_model(income_model()).value();
  EXPECT_EQ(complaint("age,sex\n"),
            "m.dpf: is not a model file; give one that dpfermi train --out wrote");
  EXPECT_EQ(complaint(sealed("dpfermi-model 2 whatever\n")),
            "m.dpf: is a model file of version 2, this program reads version 1; use a newer "
            "dpfermi");
  EXPECT_EQ(complaint(good.substr(0, good.size() / 2)), "m.dpf: is cut short; copy the file again");
  EXPECT_THAT(complaint(sealed("dpfermi-model 1 99999999999\n{}\n")), HasSubstr("at most"));
  for (const char* line : {"dpfermi-model 1", "dpfermi-model 01 2", "dpfermi-model 0 2",
                           "dpfermi-model 1 2 ", "dpfermi-model one 2", "dpfermi-model 1 -2"}) {
    EXPECT_EQ(complaint(sealed(std::string(line) + "\n{}\n")),
              "m.dpf: its first line is damaged; copy the file again")
        << line;
  }
}

TEST(ModelFile, RefusesPartsThatDoNotFit) {
  const std::string good = encode_model(income_model()).value();
  const std::string header = header_of(good);
  const std::string parameters = parameters_of(good);
  ASSERT_EQ(complaint(file_of(header, parameters)), "accepted");
  EXPECT_THAT(complaint(file_of(header, parameters + "abcd")), HasSubstr("bytes of parameters"));
  EXPECT_THAT(complaint(file_of(header, parameters + "a")), HasSubstr("bytes of parameters"));
  EXPECT_THAT(complaint(file_of(header, std::string("\0\0\xC0\x7F", 4) + parameters.substr(4))),
              HasSubstr("not a finite number"));
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = header;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), instead);
    return complaint(file_of(text, parameters));
  };
  EXPECT_THAT(with("\"inputs\": 3", "\"inputs\": 4"), HasSubstr("preprocessing gives 3"));
  EXPECT_THAT(with("\"hidden\": []", "\"hidden\": [7]"), HasSubstr("its shape needs"));
  EXPECT_THAT(with("\"hidden\": []", "\"hidden\": [18446744073709551615]"),
              HasSubstr("impossible"));
  EXPECT_THAT(with("\"hidden\": []", "\"hidden\": [0]"), HasSubstr("impossible"));
  EXPECT_THAT(with("\"hidden\": []", "\"hidden\": [1.5]"), HasSubstr("whole numbers"));
  EXPECT_THAT(with("\"favourable\": 0", "\"favourable\": 2"), HasSubstr("names for them"));
  EXPECT_THAT(with("\"method\"", "\"methdo\""), HasSubstr("did you mean 'method'?"));
  EXPECT_THAT(with("\"equalized-odds\"", "\"luck\""), HasSubstr("unknown fairness notion"));
  EXPECT_THAT(with("\"equalized-odds\"", "\"a\\nb\""), HasSubstr("'a\\x0Ab'"));
  EXPECT_THAT(with("\"type\": \"numeric\"", "\"type\": \"categorical\""),
              HasSubstr("does not say that 'age' is numeric"));
  EXPECT_THAT(with("\"schema\": {\n    \"adjacency\": \"sensitive\"",
                   "\"schema\": {\n    \"adjacency\": \"replace-record\""),
              HasSubstr("statement is about adjacency sensitive"));
  EXPECT_THAT(with("\"clip\": 0.1", "\"clip\": \"tight\""), HasSubstr("not a number"));
  EXPECT_THAT(complaint(file_of(std::string(100'000, '['), "")), HasSubstr("nested"));
  EXPECT_THAT(complaint(file_of("{", "")), HasSubstr("not valid JSON"));
  EXPECT_THAT(complaint(file_of("{}", "")), HasSubstr("needs the key 'model'"));
}

TEST(ModelFile, WillNotWriteWhatCannotBeRead) {
  const test::TempFolder folder;
  const auto path = folder / "a.dpf";
  TrainedModel model = income_model();
  model.theta[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(write_model(model, path).error().message, HasSubstr("not a finite number"));
  model = income_model();
  model.theta.pop_back();
  EXPECT_FALSE(write_model(model, path));
  model = income_model();
  model.training.lambda = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(write_model(model, path));
  model = income_model();
  model.schema.columns.at("job").recode = {{"\xFF", "x"}};
  EXPECT_THAT(write_model(model, path).error().message, HasSubstr("not UTF-8"));
  EXPECT_FALSE(std::filesystem::exists(path));
  model = income_model();
  model.training.data = "caf\xE9.csv\n";  // file names may be anything
  ASSERT_TRUE(write_model(model, path));
  EXPECT_EQ(read_model(path)->training.data, "caf\\xE9.csv\\x0A");
  std::filesystem::remove(path);
  EXPECT_THAT(read_model(path).error().message, HasSubstr("no such file"));
  EXPECT_THAT(read_model("/dev/zero").error().message, HasSubstr("is not a model file"));
}

}  // namespace
}  // namespace dpfermi
