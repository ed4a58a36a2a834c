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

}  // namespace

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
