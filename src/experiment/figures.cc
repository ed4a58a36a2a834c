#include "dpfermi/experiment/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "dpfermi/core/text.h"
#include "experiment/embedded_texts.h"
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

/// The baselines with one knob, on one panel.
GridBlock baseline_block(const Grid& grid, const std::string& dataset, FairnessNotion notion,
                         Knob knob) {
  GridBlock block;
  block.datasets = {dataset};
  block.notions = {notion};
  block.methods.clear();
  block.epsilons = {1, 3};
  if (knob == Knob::kWeight) block.lambdas = {0.25, 1, 4};
  if (knob == Knob::kTolerance) block.targets = {0.01, 0.03, 0.1};
  for (const Baseline& baseline : baselines()) {
    const bool applies = baseline.knob == knob && std::ranges::count(baseline.notions, notion) > 0;
    if (applies && !runs_already(grid, baseline.name)) block.methods.push_back(baseline.name);
  }
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
    for (const Knob knob : {Knob::kNone, Knob::kWeight, Knob::kTolerance}) {
      GridBlock block = baseline_block(given, dataset, notion, knob);
      if (!block.methods.empty()) grid.blocks.push_back(std::move(block));
    }
  }
}

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& figure : figure_texts()) names.emplace_back(figure.name);
  return names;
}

Result<Grid> figure_grid(const std::string& name) {
  Grid grid;
  for (const EmbeddedText& figure : figure_texts()) {
    if (name != "all" && name != figure.name) continue;
    DPFERMI_ASSIGN(Grid one, parse_grid(std::string(figure.text)));
    grid.title = name == "all" ? "The paper's figures on tables" : one.title;
    std::ranges::move(one.blocks, std::back_inserter(grid.blocks));
  }
  if (!grid.blocks.empty()) return grid;
  return usage_error(fmt::format("there is no figure '{}'; choose {} or all", printable(name),
                                 fmt::join(figure_names(), ", ")));
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
