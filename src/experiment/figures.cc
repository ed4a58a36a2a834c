#include "experiment/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "core/text.h"
#include "dpfermi/methods/registry.h"
#include "experiment/embedded_texts.h"
#include "objective/fairness_setting.h"
#include "privacy/json_fields.h"

namespace dpfermi {
namespace {

PublishedPoint point_from_json(const Json& json) {
  const JsonFields fields(
      json, "a published point",
      {"dataset", "notion", "method", "epsilon", "lambda", "error", "violation"});
  return {
      fields.text("dataset"),        value_or_throw(parse_fairness_notion(fields.text("notion"))),
      fields.text("method"),         fields.maybe_number("epsilon"),
      fields.maybe_number("lambda"), fields.number("error"),
      fields.number("violation")};
}

bool runs_already(const Grid& grid, const std::string& method) {
  return std::ranges::any_of(
      grid.blocks, [&](const GridBlock& block) { return contains(block.methods, method); });
}

/// A baseline on one panel, over the values of its knob.
GridBlock baseline_block(const std::string& dataset, FairnessNotion notion,
                         const MethodDescriptor& baseline) {
  GridBlock block;
  block.datasets = {dataset};
  block.notions = {notion};
  block.methods = {std::string(baseline.name)};
  block.epsilons = {0.5, 1, 3};
  const std::vector<double> values =
      FairnessSetting{notion}.unconditional() ? baseline.parity_values : baseline.odds_values;
  if (baseline.takes_lambda()) block.lambdas = values;
  if (baseline.takes_target()) block.targets = values;
  return block;
}

}  // namespace

void add_baselines(Grid& grid) {
  std::vector<std::pair<std::string, FairnessNotion>> panels;
  for (const GridBlock& block : grid.blocks) {
    if (std::ranges::count(block.protocols, Protocol::kHonest) == 0) continue;
    for (const std::string& dataset : block.datasets) {
      for (const FairnessNotion notion : block.notions) {
        const std::pair panel(dataset, notion);
        if (std::ranges::count(panels, panel) == 0) panels.push_back(panel);
      }
    }
  }
  const Grid given = grid;
  for (const auto& [dataset, notion] : panels) {
    for (const Method baseline : baselines()) {
      if (!baseline->knows(notion) || runs_already(given, std::string(baseline->name))) continue;
      grid.blocks.push_back(baseline_block(dataset, notion, baseline.descriptor()));
    }
  }
}

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& figure : figure_texts()) names.emplace_back(figure.name);
  return names;
}

std::vector<std::string> paper_figures() {
  std::vector<std::string> names = figure_names();
  std::erase_if(names, [](const std::string& name) { return name == kUnseen || name == kRepair; });
  return names;
}

Result<Grid> figure_grid(const std::string& names) {
  const std::vector<std::string> wanted = names == "all" ? paper_figures() : split_list(names);
  const std::span<const EmbeddedText> figures = figure_texts();
  std::optional<Grid> grid;
  for (const std::string& name : wanted) {
    const auto found = std::ranges::find(figures, name, &EmbeddedText::name);
    if (found == figures.end()) {
      return usage_error(fmt::format("there is no figure '{}'; choose {} or all", printable(name),
                                     fmt::join(figure_names(), ", ")));
    }
    DPFERMI_ASSIGN(Grid one, parse_grid(std::string(found->text)));
    if (!grid) {
      grid = std::move(one);
      continue;
    }
    if (one.least_group != grid->least_group || one.seed != grid->seed) {
      return usage_error(fmt::format(
          "figure '{}' compares other groups, or has other splits, than '{}'; reproduce them one "
          "at a time",
          name, wanted.front()));
    }
    grid->splits = std::max(grid->splits, one.splits);
    std::ranges::move(one.blocks, std::back_inserter(grid->blocks));
  }
  if (!grid) return usage_error("name a figure, or all");
  if (wanted.size() > 1) grid->title = fmt::format("Figures {}", names);
  if (names == "all") grid->title = "The paper's figures on tables";
  return *std::move(grid);
}

void keep_protocol(Grid& grid, Protocol protocol) {
  std::erase_if(grid.blocks, [&](const GridBlock& block) {
    return std::ranges::count(block.protocols, protocol) == 0;
  });
  for (GridBlock& block : grid.blocks) block.protocols = {protocol};
}

const std::vector<PublishedPoint>& published_points() {
  static const std::vector<PublishedPoint> points = [] {
    std::vector<PublishedPoint> all;
    for (const EmbeddedText& text : published_texts()) {
      const auto read = read_json(std::string(text.text), [&](const Json& json) {
        for (const Json& point : json) all.push_back(point_from_json(point));
        return true;
      });
      assert(read.has_value());
    }
    return all;
  }();
  return points;
}

}  // namespace dpfermi
