#include "dpfermi/experiment/trade_off_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dpfermi/core/text.h"

namespace dpfermi {
namespace {

constexpr double kWidth = 640, kHeight = 400;
constexpr double kLeft = 62, kRight = 430, kTop = 40, kBottom = 350;

/// From data to the picture, along one axis.
struct Axis {
  double from = 0, to = 1;    ///< data
  double start = 0, end = 1;  ///< picture
  double at(double value) const { return start + (end - start) * (value - from) / (to - from); }

  /// 1, 2 or 5 times a power of ten, such that four to eight of them fit.
  double step() const {
    const double rough = (to - from) / 6;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= rough) return factor * power;
    }
    return 10 * power;
  }
};

struct Style {
  std::string colour;
  std::string dash;
};

/// Colours that colour-blind readers tell apart; privacy shades the method that has several curves.
Style style_of(const Curve& curve) {
  if (curve.published) return {"#555555", "2 3"};
  if (curve.method == "published-code") return {"#d55e00", ""};
  if (curve.method == "fermi") return {"#000000", ""};
  if (curve.method == "erm") return {"#000000", ""};
  const double epsilon = curve.epsilon.value_or(9);
  if (curve.method == "dp-fermi-paper") return {"#cc79a7", epsilon <= 1 ? "6 3" : ""};
  constexpr std::array kBlues{"#9ecae1", "#4292c6", "#2171b5", "#08306b"};
  const std::size_t shade = epsilon < 1 ? 0 : epsilon < 3 ? 1 : epsilon < 9 ? 2 : 3;
  return {kBlues[shade], ""};
}

struct Bounds {
  double violation = 0;
  double low = 1, high = 0;

  void add(const Curve& curve) {
    for (const CurveModel& model : curve.models) {
      violation = std::max(violation, estimate(model.violation).mean);
      low = std::min(low, estimate(model.error).mean);
      high = std::max(high, estimate(model.error).mean);
    }
  }
};

std::string text_at(double x, double y, const std::string& anchor, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     words);
}

std::string ticks(const Axis& x, const Axis& y) {
  std::string svg;
  for (double value = std::ceil(x.from / x.step()) * x.step(); value <= x.to + 1e-9;
       value += x.step()) {
    svg +=
        fmt::format("<path d=\"M{0:.1f} {1} V{2}\" class=\"grid\"/>\n", x.at(value), kTop, kBottom);
    svg += text_at(x.at(value), kBottom + 16, "middle", shortest(std::round(value * 1e4) / 1e4));
  }
  for (double value = std::ceil(y.from / y.step()) * y.step(); value <= y.to + 1e-9;
       value += y.step()) {
    svg +=
        fmt::format("<path d=\"M{1} {0:.1f} H{2}\" class=\"grid\"/>\n", y.at(value), kLeft, kRight);
    svg += text_at(kLeft - 6, y.at(value) + 4, "end", shortest(std::round(value * 1e4) / 1e4));
  }
  return svg;
}

std::string draw(const Curve& curve, const Axis& x, const Axis& y) {
  const Style style = style_of(curve);
  std::vector<TradeOffPoint> points = curve.means(ViolationOf::kTest);
  std::string line, marks;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double px = x.at(points[i].violation);
    const double py = y.at(points[i].error);
    line += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : " L", px, py);
    const double bar = estimate(curve.models[i].error).error;
    if (bar > 0) {
      marks += fmt::format("<path d=\"M{:.1f} {:.1f} V{:.1f}\"/>", px, y.at(points[i].error - bar),
                           y.at(points[i].error + bar));
    }
    marks +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>", px, py,
                    curve.method == "erm" ? 5 : 2.6, curve.published ? "#ffffff" : style.colour);
  }
  return fmt::format(
      "<g stroke=\"{}\" fill=\"none\" stroke-width=\"1.6\" stroke-dasharray=\"{}\"><title>{}"
      "</title><path d=\"{}\"/><g stroke-dasharray=\"\">{}</g></g>\n",
      style.colour, style.dash, curve.name(), line, marks);
}

std::string legend_line(const Curve& curve, double y) {
  const Style style = style_of(curve);
  return fmt::format(
             "<path d=\"M{} {} h24\" stroke=\"{}\" stroke-dasharray=\"{}\" "
             "stroke-width=\"2\"/>\n",
             kRight + 16, y - 4, style.colour, style.dash) +
         text_at(kRight + 46, y, "start",
                 curve.name() + (curve.epsilon || curve.method == "erm" ? "" : ", not private"));
}

}  // namespace

std::string trade_off_svg(const Panel& panel, const std::vector<Curve>& published) {
  Bounds bounds;
  for (const Curve& curve : panel.curves) bounds.add(curve);
  for (const Curve& curve : published) bounds.add(curve);
  const double margin = std::max(0.05 * (bounds.high - bounds.low), 1e-4);
  const Axis x{0, std::max(1.05 * bounds.violation, 1e-3), kLeft, kRight};
  const Axis y{bounds.low - margin, bounds.high + margin, kBottom, kTop};
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n"
      "<title>{2}: error against violation</title>\n"
      "<style>.grid{{stroke:#dddddd;stroke-width:1}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      kWidth, kHeight, panel.name());
  svg += fmt::format("<text x=\"{}\" y=\"22\" font-size=\"14\">{}</text>\n", kLeft, panel.name());
  svg += ticks(x, y);
  svg += text_at((kLeft + kRight) / 2, kBottom + 36, "middle",
                 "violation on test rows (less is fairer)");
  svg += fmt::format(
      "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">error "
      "on test rows</text>\n",
      (kTop + kBottom) / 2);
  double line = kTop + 8;
  for (const std::vector<Curve>* curves : {&panel.curves, &published}) {
    for (const Curve& curve : *curves) {
      svg += draw(curve, x, y) + legend_line(curve, line);
      line += 18;
    }
  }
  return svg + "</svg>\n";
}

}  // namespace dpfermi
