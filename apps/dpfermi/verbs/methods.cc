// dpfermi methods: what can be trained, and what each method promises and needs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "dpfermi/experiment/run_spec.h"
#include "print/text_table.h"

namespace dpfermi::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A row of the feature table.
struct Features {
  std::string name, origin, classes, groups, notions, adjacency, knob, batches, prediction;
};

template <class Value>
std::vector<std::string> texts(const std::vector<Value>& values) {
  std::vector<std::string> all;
  for (const Value value : values) all.emplace_back(to_string(value));
  return all;
}

/// "parity, odds, opportunity".
std::string notion_words(const std::vector<FairnessNotion>& notions) {
  std::vector<std::string> words;
  for (const FairnessNotion notion : notions) {
    words.emplace_back(notion.descriptor().word);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Features features_of(const Baseline& baseline) {
  const std::string drawn = baseline.randomised ? "drawn" : "fixed";
  return {baseline.name,
          baseline.origin,
          baseline.multi_class ? "any" : "2",
          baseline.most_groups == 0 ? "any" : std::to_string(baseline.most_groups),
          notion_words(baseline.notions),
          baseline.is_private() ? fmt::format("{}", fmt::join(texts(baseline.adjacencies), ", "))
                                : "none",
          baseline.knob == Knob::kNone ? "none" : baseline.knob_meaning,
          baseline.minibatch ? "yes" : "no",
          baseline.needs_group ? drawn + ", needs s" : drawn};
}

/// Our own, in the same words.
std::vector<Features> own_features() {
  const std::string all = notion_words(fairness_notions());
  const std::string any_adjacency = "sensitive, replace-record, add-remove-record";
  return {
      {"dp-fermi", "this tool", "any", "any", all, any_adjacency, "lambda, or a violation", "yes",
       "fixed"},
      {"sketch", "this tool", "any", "any", all, "sensitive", "lambda, or a violation", "no",
       "fixed"},
      {"fermi", "Lowy et al. 2022", "any", "any", all, "none", "lambda, or a violation", "yes",
       "fixed"},
      {"erm", "no fairness", "any", "any", all, "sensitive (s is not read)", "none", "yes",
       "fixed"},
      {"dp-fermi-paper", "Lowy, Gupta and Razaviyayn 2023", "any", "any", all,
       "sensitive; what is claimed does not hold", "lambda", "yes", "fixed"},
  };
}

std::vector<Features> all_features() {
  std::vector<Features> all = own_features();
  for (const Baseline& baseline : baselines()) all.push_back(features_of(baseline));
  return all;
}

std::vector<std::string> cells(const Features& f) {
  return {f.name,      f.origin, f.classes, f.groups,    f.notions,
          f.adjacency, f.knob,   f.batches, f.prediction};
}

const std::vector<std::string>& titles() {
  static const std::vector<std::string> all = {"method", "from",      "classes",
                                               "groups", "notions",   "protects",
                                               "knob",   "minibatch", "decisions"};
  return all;
}

std::string markdown() {
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    text += fmt::format("| {} |\n", fmt::join(row, " | "));
  };
  add(titles());
  text += "|" + [] {
    std::string line;
    for (std::size_t i = 0; i < titles().size(); ++i) line += "---|";
    return line;
  }() + "\n";
  for (const Features& features : all_features()) add(cells(features));
  return text;
}

Status list_methods(const Context& context, bool as_markdown) {
  if (context.json) {
    Json json = Json::array();
    for (const Features& features : all_features()) {
      Json row;
      for (std::size_t i = 0; i < titles().size(); ++i) row[titles()[i]] = cells(features)[i];
      row["summary"] = find_experiment_method(features.name)->summary;
      json.push_back(std::move(row));
    }
    Context::print(json.dump(2) + "\n");
    return {};
  }
  if (as_markdown) {
    Context::print(markdown());
    return {};
  }
  TextTable table({"method", "protects", "notions", "what it is"});
  for (const Features& features : all_features()) {
    table.add({features.name, features.adjacency, features.notions,
               find_experiment_method(features.name)->summary});
  }
  Context::print(table.to_string());
  return {};
}

}  // namespace

void add_methods(CLI::App& app, Context& context) {
  const auto as_markdown = std::make_shared<bool>(false);
  CLI::App* verb =
      add_verb(app, context, "methods", "List the methods, and what each promises",
               "  dpfermi methods\n  dpfermi methods --markdown",
               [&context, as_markdown] { return list_methods(context, *as_markdown); });
  verb->add_flag("--markdown", *as_markdown, "The whole feature table, as Markdown");
}

}  // namespace dpfermi::cli
