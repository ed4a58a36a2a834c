#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "artifact/fixtures.h"
#include "artifact/model_file.h"
#include "data/checksum.h"

namespace dpfermi {
namespace {

using Json = nlohmann::ordered_json;
using testing_support::income_model;

/// Optional fields filled in: a rule by group, a network, a claim.
TrainedModel full_model() {
  TrainedModel model = income_model();
  std::vector<NumericFeature> numbers = model.pipeline.numeric();
  numbers[0].column = "component1";
  numbers[0].standardizer.bounds = {0.0, 90.0};
  model.schema.columns["component1"] = model.schema.columns.at("age");
  model.schema.columns["component1"].bounds = {0.0, 90.0};
  model.pipeline = Pipeline::create(std::move(numbers), model.pipeline.categories()).value();
  model.network =
      ImageNetwork{"vgg9", 128, "side 128", 30, {1, -2.5F, 3}, {0.5F, 4}, {20, 40}, "f.csv"};
  model.rule.group_table.assign(model.groups.size() * 2, 0.5);
  model.privacy.assumptions = {"the number of rows"};
  model.privacy.claimed_epsilon = 0.5;
  return model;
}

std::string digest(const TrainedModel& model) {
  const auto digest = model_digest(model);
  EXPECT_TRUE(digest) << digest.error().message;
  return digest.value_or("");
}

std::string numbers_after(const std::string& header, const std::string& bytes) {
  const std::size_t begin = bytes.find('\n') + 1 + header.size() + 1;
  return bytes.substr(begin, bytes.rfind("\nsha256 ") - begin);
}

/// The model in a file whose header is `header`, written without line breaks.
Result<TrainedModel> with_header(const Json& header, const std::string& numbers) {
  const std::string text = header.dump();
  const std::string body =
      "dpfermi-model 1 " + std::to_string(text.size()) + "\n" + text + "\n" + numbers;
  return decode_model(body + "\nsha256 " + sha256_of_bytes(body).value() + "\n", "m.dpf");
}

Json changed(const Json& leaf) {
  if (leaf.is_boolean()) return !leaf.get<bool>();
  if (leaf.is_string()) return leaf.get<std::string>() + "x";
  if (leaf.is_number_integer()) return leaf.get<std::int64_t>() + 1;
  return std::nextafter(leaf.get<double>(), 1e9);
}

TEST(ModelDigest, IsThatOfTheModelHoweverItsFileIsWritten) {
  for (const TrainedModel& model : {income_model(), income_model({3}), full_model()}) {
    const std::string bytes = encode_model(model).value();
    const auto read = decode_model(bytes, "m.dpf");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(digest(*read), digest(model));
    const std::string header = header_to_json(model).value();
    const nlohmann::json sorted = nlohmann::json::parse(header);  // other order, other blanks
    const auto rewritten = with_header(Json(sorted), numbers_after(header, bytes));
    ASSERT_TRUE(rewritten) << rewritten.error().message;
    EXPECT_EQ(digest(*rewritten), digest(model));
    TrainedModel newer = model;
    newer.training.library_version = "9.9.9";
    EXPECT_EQ(digest(newer), digest(model));
  }
}

TEST(ModelDigest, RefusesWhatCheckModelRefuses) {
  TrainedModel model = income_model();
  model.theta.pop_back();
  EXPECT_FALSE(model_digest(model));
}

/// Every value of the header in turn. Values that must fit others are refused when they change
/// alone; DiffersInWhatMustFitOrMayBeMissing changes those.
TEST(ModelDigest, DiffersInEveryValueOfTheHeader) {
  const TrainedModel model = full_model();
  const std::string text = header_to_json(model).value();
  const Json header = Json::parse(text);
  const std::string numbers = numbers_after(text, encode_model(model).value());
  std::set<std::string> digests = {digest(model)};
  std::vector<std::string> same;
  std::vector<std::string> refused;
  const Json leaves = header.flatten();
  for (const auto& [path, leaf] : leaves.items()) {
    if (leaf.is_null()) continue;  // an empty list
    Json other = header;
    other[Json::json_pointer(path)] = changed(leaf);
    const auto read = with_header(other, numbers);
    if (!read) {
      refused.push_back(path);
    } else if (!digests.insert(digest(*read)).second) {
      same.push_back(path);
    }
  }
  const std::vector<std::string> bound = {
      "/model/inputs",
      "/model/parameters",
      "/training/fairness",
      "/privacy/private",
      "/privacy/adjacency",
      "/privacy/unit",
      "/privacy/noise",
      "/privacy/group_domain",
      "/privacy/releases/0/event/adjacency",
      "/privacy/releases/0/event/kind",
      "/schema/adjacency",
      "/schema/columns/age/type",
      "/schema/columns/component1/type",
      "/schema/columns/job/type",
      "/schema/missing",
      "/pipeline/numeric/0/column",
      "/pipeline/numeric/0/missing_indicator",
      "/pipeline/numeric/0/provenance",
      "/pipeline/categorical/0/column",
      "/pipeline/categorical/0/provenance",
      "/network/parameters",
      "/network/components",
  };
  EXPECT_EQ(refused, bound);
  EXPECT_EQ(same, (std::vector<std::string>{"/model/kind", "/training/library_version"}));
}

Pipeline with_first_number(const Pipeline& pipeline,
                           const std::function<void(NumericFeature&)>& change) {
  std::vector<NumericFeature> numbers = pipeline.numeric();
  change(numbers[0]);
  return Pipeline::create(std::move(numbers), pipeline.categories()).value();
}

Pipeline with_first_category(const Pipeline& pipeline,
                             const std::function<void(CategoryFeature&)>& change) {
  std::vector<CategoryFeature> categories = pipeline.categories();
  change(categories[0]);
  return Pipeline::create(pipeline.numeric(), std::move(categories)).value();
}

void protect_records(TrainedModel& model) {
  model.privacy.adjacency = Adjacency::kReplaceRecord;
  model.schema.adjacency = Adjacency::kReplaceRecord;
  for (StatedRelease& release : model.privacy.releases) {
    release.event = PrivacyEvent::create(Adjacency::kReplaceRecord, release.event.node()).value();
  }
}

void read_other_column(TrainedModel& model) {
  model.schema.columns["town"] = model.schema.columns.at("job");
  model.pipeline =
      with_first_category(model.pipeline, [](CategoryFeature& f) { f.column = "town"; });
}

void count_missing_numbers(TrainedModel& model) {
  model.pipeline =
      with_first_number(model.pipeline, [](NumericFeature& f) { f.missing_indicator = true; });
  model.spec.inputs = model.pipeline.columns();
  model.theta.resize(model.spec.parameter_count());
}

/// One change that keeps the parts fitting, for each value that cannot change alone, and for each
/// that a header may leave out.
TEST(ModelDigest, DiffersInWhatMustFitOrMayBeMissing) {
  using Change = void (*)(TrainedModel&);
  const std::vector<std::pair<const char*, Change>> changes = {
      {"hidden",
       [](TrainedModel& m) {
         m.spec.hidden = {1};
         m.theta.resize(m.spec.parameter_count());
       }},
      {"mixture",
       [](TrainedModel& m) {
         m.rule.weights = {0.5, 0.5};
         m.theta.insert(m.theta.end(), m.theta.begin(), m.theta.end());
       }},
      {"no rule", [](TrainedModel& m) { m.rule = {}; }},
      {"offsets",
       [](TrainedModel& m) {
         m.rule = {};
         m.rule.group_offsets.assign(m.groups.size() * m.classes.size(), 0.25);
       }},
      {"fairness", [](TrainedModel& m) { m.training.fairness = FairnessNotion::kNone; }},
      {"no target violation", [](TrainedModel& m) { m.training.max_violation.reset(); }},
      {"no epsilon", [](TrainedModel& m) { m.training.epsilon.reset(); }},
      {"no delta", [](TrainedModel& m) { m.training.delta.reset(); }},
      {"no test rows", [](TrainedModel& m) { m.training.held_out.reset(); }},
      {"a setting more", [](TrainedModel& m) { m.training.settings["more"] = 1; }},
      {"adjacency", protect_records},
      {"unit", [](TrainedModel& m) { m.privacy.id_column.clear(); }},
      {"no guarantee", [](TrainedModel& m) { m.privacy.cost.reset(); }},
      {"a figure given shares",
       [](TrainedModel& m) {
         m.privacy.cost_given_shares = std::exchange(m.privacy.cost, std::nullopt);
       }},
      {"known seed", [](TrainedModel& m) { m.privacy.noise = Reproducibility::kReproducible; }},
      {"groups from the table", [](TrainedModel& m) { m.privacy.domain_declared = false; }},
      {"an assumption more", [](TrainedModel& m) { m.privacy.assumptions.emplace_back("x"); }},
      {"no claim", [](TrainedModel& m) { m.privacy.claimed_epsilon.reset(); }},
      {"no release", [](TrainedModel& m) { m.privacy.releases.clear(); }},
      {"kind of release",
       [](TrainedModel& m) {
         m.privacy.releases[0].event =
             PrivacyEvent::create(m.privacy.adjacency, GaussianRelease{8.1}).value();
       }},
      {"a figure less", [](TrainedModel& m) { m.released.pop_back(); }},
      {"exact figure", [](TrainedModel& m) { m.released[0].noise_stddev.reset(); }},
      {"missing values", [](TrainedModel& m) { m.schema.missing = MissingPolicy::kCategory; }},
      {"a group value more",
       [](TrainedModel& m) { m.schema.sensitive[0].values.emplace_back("x"); }},
      {"other group", [](TrainedModel& m) { m.schema.sensitive[0].other = "m"; }},
      {"recode", [](TrainedModel& m) { m.schema.columns["job"].recode.clear(); }},
      {"feature", read_other_column},
      {"indicator", count_missing_numbers},
      {"no bounds",
       [](TrainedModel& m) {
         m.pipeline = with_first_number(m.pipeline,
                                        [](NumericFeature& f) { f.standardizer.bounds.reset(); });
       }},
      {"origin of a scale",
       [](TrainedModel& m) {
         m.pipeline = with_first_number(
             m.pipeline, [](NumericFeature& f) { f.standardizer.provenance = Provenance::kGiven; });
       }},
      {"origin of a list",
       [](TrainedModel& m) {
         m.pipeline = with_first_category(
             m.pipeline, [](CategoryFeature& f) { f.categories.provenance = Provenance::kGiven; });
       }},
      {"order of categories",
       [](TrainedModel& m) {
         m.pipeline = with_first_category(m.pipeline, [](CategoryFeature& f) {
           std::swap(f.categories.values[0], f.categories.values[1]);
         });
       }},
      {"order of classes", [](TrainedModel& m) { std::swap(m.classes[0], m.classes[1]); }},
      {"a number of the network more", [](TrainedModel& m) { m.network->theta.push_back(0); }},
      {"a number from the components to the network",
       [](TrainedModel& m) {
         m.network->theta.push_back(m.network->components[0]);
         m.network->components.erase(m.network->components.begin());
         m.network->components.push_back(0);
       }},
      {"no bands", [](TrainedModel& m) { m.network->target_bins.clear(); }},
      {"no table", [](TrainedModel& m) { m.network->table.clear(); }},
      {"more components", [](TrainedModel& m) { m.network->components.resize(5000); }},
      {"pictures",
       [](TrainedModel& m) {
         m.network->components.resize(5000);
         m.network->pictures = true;
       }},
  };
  std::set<std::string> digests = {digest(full_model())};
  for (const auto& [what, change] : changes) {
    TrainedModel model = full_model();
    change(model);
    EXPECT_TRUE(digests.insert(digest(model)).second) << what;
  }
}

TEST(ModelDigest, DiffersInEveryBitOfTheParameters) {
  TrainedModel model = full_model();
  std::set<std::string> digests = {digest(model)};
  std::size_t changes = 0;
  for (std::vector<float>* numbers :
       {&model.theta, &model.network->theta, &model.network->components}) {
    for (float& number : *numbers) {
      for (unsigned bit = 0; bit < 32; ++bit) {
        const float before = number;
        number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(before) ^ (1U << bit));
        if (std::isfinite(number)) {
          ++changes;
          digests.insert(digest(model));
        }
        number = before;
      }
    }
  }
  EXPECT_EQ(digests.size(), changes + 1);
}

}  // namespace
}  // namespace dpfermi
