// dpfermi methods: what can be trained, and what each method promises and needs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "dpfermi/methods/registry.h"
#include "print/text_table.h"

namespace dpfermi::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string notion_words(const MethodDescriptor& method) {
  std::vector<std::string_view> words;
  for (const FairnessNotion notion : method.known_notions()) {
    words.push_back(notion.descriptor().word);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string protects(const MethodDescriptor& method) {
  if (!method.protects.empty()) return std::string(method.protects);
  if (!method.is_private()) return "none";
  std::vector<std::string_view> names;
  for (const Adjacency adjacency : method.adjacencies) names.push_back(to_string(adjacency));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// A row of the feature table.
std::vector<std::string> cells(const MethodDescriptor& method) {
  const std::string drawn = method.randomised ? "drawn" : "fixed";
  return {std::string(method.name),
          std::string(method.origin),
          method.multi_class ? "any" : "2",
          method.most_groups == 0 ? "any" : std::to_string(method.most_groups),
          notion_words(method),
          protects(method),
          method.knob == Knob::kNone ? "none" : std::string(method.knob_meaning),
          method.minibatch ? "yes" : "no",
          method.needs_group ? drawn + ", needs s" : drawn};
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
  for (const Method method : all_methods()) add(cells(method.descriptor()));
  return text;
}

Status list_methods(const Context& context, bool as_markdown) {
  if (context.json) {
    Json json = Json::array();
    for (const Method method : all_methods()) {
      Json row;
      const std::vector<std::string> values = cells(method.descriptor());
      for (std::size_t i = 0; i < titles().size(); ++i) row[titles()[i]] = values[i];
      row["summary"] = method->summary;
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
  for (const Method method : all_methods()) {
    table.add({std::string(method->name), protects(method.descriptor()),
               notion_words(method.descriptor()), std::string(method->summary)});
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
