#include "experiment/trade_off_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/text.h"
#include "dpfermi/methods/registry.h"

namespace dpfermi {
namespace {

constexpr double kLeft = 62, kTop = 58, kBottom = 318, kFacet = 196, kGap = 14;
constexpr double kLegendColumn = 200, kLegendLine = 17;

/// From data to the picture, along one axis.
struct Axis {
  double from = 0, to = 1;    ///< data
  double start = 0, end = 1;  ///< picture
  double at(double value) const { return start + (end - start) * (value - from) / (to - from); }

  /// 1, 2 or 5 times a power of ten, such that two to six of them fit.
  double step() const {
    const double rough = (to - from) / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= rough) return factor * power;
    }
    return 10 * power;
  }
};

struct Line {
  const Curve* curve;
  std::vector<TradeOffPoint> points;  ///< means over splits
  std::vector<std::size_t> frontier;  ///< of the points
};

bool is_plain(const Curve& curve) {
  return curve.descriptor() != nullptr && curve.descriptor()->plain;
}

bool is_free_line(const Curve& curve) {
  return curve.descriptor() != nullptr && curve.descriptor()->is_free_line();
}

/// Whether it has its own colour.
bool has_colour(std::optional<Method> method) {
  return method && !(*method)->colour.empty();
}

struct Style {
  std::string colour;
  double width = 1.4;
  std::string dash;
};

/// All curves of a picture, and the order of their methods, which decides about colours.
struct Lines {
  std::vector<Line> all;
  std::vector<std::string> methods;

  void add(const Curve& curve) {
    Line line{&curve, curve.means(ViolationOf::kTest), {}};
    line.frontier = pareto_frontier(line.points);
    all.push_back(std::move(line));
    if (!curve.published && std::ranges::find(methods, curve.method) == methods.end()) {
      methods.push_back(curve.method);
    }
  }

  /// Colours that colour-blind readers tell apart. What is not private is dashed.
  Style style(const Curve& curve) const {
    if (curve.published) return {"#777777", 1.2, "2 3"};
    if (is_free_line(curve)) return {"#777777", 1.2, "7 2 1 2"};
    if (const auto method = find_method(curve.method); has_colour(method)) {
      const MethodDescriptor& own = method->descriptor();
      return {std::string(own.colour), own.is_private() ? 2.4 : 1.4, own.is_private() ? "" : "5 3"};
    }
    constexpr std::array kOthers{"#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255",
                                 "#8c564b", "#44aa99", "#999933", "#aa4499", "#332288",
                                 "#bbbb00", "#117733", "#ff6f91", "#5f5f9e", "#b22222"};
    std::size_t place = 0;
    for (const std::string& method : methods) {
      if (method == curve.method) break;
      if (!has_colour(find_method(method))) ++place;
    }
    return {kOthers[place % kOthers.size()], 1.6, curve.epsilon ? "" : "5 3"};
  }
};

/// What is drawn: a method that noise has ruined must not squeeze the others into a corner, so the
/// picture reaches at most 1.6 times as far as four fifths of the frontiers' points do.
struct Bounds {
  double violation = 1e-3;
  double low = 0, high = 1;
  std::size_t above = 0;  ///< points that are not seen
};

Bounds bounds_of(const Lines& lines) {
  std::vector<double> errors;
  for (const Line& line : lines.all) {
    for (const std::size_t i : line.frontier) errors.push_back(line.points[i].error);
  }
  std::ranges::sort(errors);
  Bounds bounds;
  if (errors.empty()) return bounds;
  const double range = errors[errors.size() * 4 / 5] - errors[0];
  const double margin = std::max(0.06 * range, 1e-4);
  bounds.low = errors[0] - margin;
  bounds.high = std::min(errors.back(), errors[0] + 1.6 * range) + margin;
  for (const Line& line : lines.all) {
    for (const std::size_t i : line.frontier) {
      const bool seen = line.points[i].error <= bounds.high;
      if (seen) bounds.violation = std::max(bounds.violation, 1.05 * line.points[i].violation);
      if (!seen) ++bounds.above;
    }
  }
  return bounds;
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     words);
}

template <class Mark>
void each_tick(const Axis& axis, const Mark& mark) {
  for (double value = std::ceil(axis.from / axis.step()) * axis.step(); value <= axis.to + 1e-9;
       value += axis.step()) {
    mark(axis.at(value), shortest(std::round(value * 1e4) / 1e4));
  }
}

std::string frame(const Axis& x, const Axis& y, const std::string& title, bool first) {
  std::string svg = text_at((x.start + x.end) / 2, kTop - 8, "middle", title);
  each_tick(x, [&](double at, const std::string& words) {
    svg += fmt::format("<path d=\"M{:.1f} {} V{}\" class=\"grid\"/>\n", at, kTop, kBottom);
    svg += text_at(at, kBottom + 15, "middle", words);
  });
  each_tick(y, [&](double at, const std::string& words) {
    svg += fmt::format("<path d=\"M{} {:.1f} H{}\" class=\"grid\"/>\n", x.start, at, x.end);
    if (first) svg += text_at(x.start - 6, at + 4, "end", words);
  });
  return svg;
}

/// The frontier, with one standard error of the error at every point.
std::string draw(const Line& line, const Style& style, const Axis& x, const Axis& y) {
  std::string path, marks;
  for (const std::size_t i : line.frontier) {
    const TradeOffPoint& point = line.points[i];
    const double px = x.at(point.violation);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", px, y.at(point.error));
    const double bar = estimate(line.curve->models[i].error).error;
    if (bar > 0) {
      marks += fmt::format("<path d=\"M{:.1f} {:.1f} V{:.1f}\"/>", px, y.at(point.error - bar),
                           y.at(point.error + bar));
    }
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>", px,
                         y.at(point.error), line.frontier.size() == 1 ? 4 : 2.4,
                         line.curve->published ? "#ffffff" : style.colour);
  }
  return fmt::format(
      "<g stroke=\"{}\" fill=\"none\" stroke-width=\"{}\" stroke-dasharray=\"{}\"><title>{}"
      "</title><path d=\"{}\"/><g stroke-dasharray=\"\" stroke-width=\"1.2\">{}</g></g>\n",
      style.colour, style.width, style.dash, line.curve->name(), path, marks);
}

/// A method once, whatever its epsilons.
std::string legend(const Lines& lines, double y) {
  std::set<std::string> seen;
  std::string svg;
  std::size_t place = 0;
  for (const Line& line : lines.all) {
    const Curve& curve = *line.curve;
    const std::string name = (curve.published ? "published " : "") + curve.method +
                             (is_free_line(curve)                ? " (free line; left: constant)"
                              : curve.epsilon || is_plain(curve) ? ""
                                                                 : ", not private");
    if (!seen.insert(name).second) continue;
    const Style style = lines.style(curve);
    const double left = kLeft + static_cast<double>(place % 4) * kLegendColumn;
    const std::size_t row = place / 4;
    const double at = y + static_cast<double>(row) * kLegendLine;
    svg += fmt::format(
        "<path d=\"M{} {} h22\" stroke=\"{}\" stroke-dasharray=\"{}\" stroke-width=\"{}\"/>\n",
        left, at - 4, style.colour, style.dash, style.width);
    svg += text_at(left + 28, at, "start", name);
    ++place;
  }
  return svg;
}

std::size_t legend_lines(const Lines& lines) {
  return (lines.methods.size() + 2 + 3) / 4;
}

}  // namespace

std::string trade_off_svg(const Panel& panel, const std::vector<Curve>& published) {
  Lines lines;
  std::set<double> epsilons;
  for (const Curve& curve : panel.curves) {
    lines.add(curve);
    if (curve.epsilon) epsilons.insert(*curve.epsilon);
  }
  const std::optional<Curve> free_line = derived_free_line(panel.curves);
  if (free_line) lines.add(*free_line);
  for (const Curve& curve : published) lines.add(curve);
  std::vector<std::optional<double>> facets(epsilons.begin(), epsilons.end());
  if (facets.empty()) facets.emplace_back();

  const Bounds bounds = bounds_of(lines);
  const double right = kLeft + static_cast<double>(facets.size()) * (kFacet + kGap);
  const double width = std::max(right, kLeft + 4 * kLegendColumn);
  const double height = kBottom + 66 + static_cast<double>(legend_lines(lines)) * kLegendLine;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n"
      "<title>{2}: error against violation</title>\n"
      "<style>.grid{{stroke:#dddddd;stroke-width:1}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n"
      "<text x=\"{3}\" y=\"22\" font-size=\"14\">{2}</text>\n",
      width, height, panel.name(), kLeft);
  for (std::size_t f = 0; f < facets.size(); ++f) {
    const double left = kLeft + static_cast<double>(f) * (kFacet + kGap);
    const Axis x{0, bounds.violation, left, left + kFacet};
    const Axis y{bounds.low, bounds.high, kBottom, kTop};
    svg += frame(x, y, facets[f] ? "epsilon " + shortest(*facets[f]) : "not private", f == 0);
    svg += fmt::format(
        "<clipPath id=\"facet{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/>"
        "</clipPath><g clip-path=\"url(#facet{0})\">\n",
        f, left, kTop, kFacet, kBottom - kTop);
    for (const Line& line : lines.all) {
      const bool here = !line.curve->epsilon || line.curve->epsilon == facets[f];
      if (here) svg += draw(line, lines.style(*line.curve), x, y);
    }
    svg += "</g>\n";
  }
  svg += text_at(
      (kLeft + right) / 2, kBottom + 32, "middle",
      "violation on test rows (less is fairer); exact, not private" +
          (bounds.above == 0 ? "" : fmt::format("; {} above", counted(bounds.above, "point"))));
  svg += fmt::format(
      "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">error "
      "on test rows</text>\n",
      (kTop + kBottom) / 2);
  return svg + legend(lines, kBottom + 58) + "</svg>\n";
}

}  // namespace dpfermi
