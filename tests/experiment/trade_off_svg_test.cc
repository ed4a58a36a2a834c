// Pictures for documents: one plot an epsilon, a method once in the legend, ruined curves cut off.

#include "experiment/trade_off_svg.h"

#include <gtest/gtest.h>

namespace dpfermi {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

CurveModel model(double error, double violation) {
  CurveModel one;
  one.splits = {0, 1};
  one.error = one.train_error = {error - 0.001, error + 0.001};
  one.violation = one.train_violation = {violation, violation};
  return one;
}

Panel panel_of(std::vector<Curve> curves) {
  Panel panel;
  panel.dataset = "people";
  panel.curves = std::move(curves);
  return panel;
}

TEST(TradeOffSvg, DrawsOnePlotForEachEpsilonWithWhatIsNotPrivateInEach) {
  const std::vector<CurveModel> models{model(0.16, 0.1), model(0.17, 0.05)};
  const std::string svg = trade_off_svg(
      panel_of({{"dp-fermi", 0.5, models}, {"dp-fermi", 3, models}, {"fermi", {}, models}}), {});
  EXPECT_EQ(count(svg, "<clipPath"), 2U);
  EXPECT_EQ(count(svg, ">epsilon 0.5<"), 1U);
  EXPECT_EQ(count(svg, ">epsilon 3<"), 1U);
  EXPECT_EQ(count(svg, "<title>fermi</title>"), 2U);
  EXPECT_EQ(count(svg, ">dp-fermi<"), 1U);
  EXPECT_EQ(count(svg, ">fermi, not private<"), 1U);
}

TEST(TradeOffSvg, DrawsTheFrontier) {
  const std::string svg = trade_off_svg(
      panel_of({{"dp-fermi", 1, {model(0.16, 0.1), model(0.2, 0.12), model(0.17, 0.05)}}}), {});
  EXPECT_EQ(count(svg, "<circle"), 2U);
}

TEST(TradeOffSvg, SaysHowManyPointsLieAbove) {
  std::vector<CurveModel> good;
  for (int i = 0; i < 9; ++i) good.push_back(model(0.15 + 0.001 * i, 0.1 - 0.01 * i));
  const Panel panel = panel_of({{"dp-fermi", 1, good}, {"ruined", 1, {model(0.45, 0.02)}}});
  EXPECT_EQ(count(trade_off_svg(panel, {}), "; 1 point above"), 1U);
  EXPECT_EQ(count(trade_off_svg(panel_of({{"dp-fermi", 1, good}}), {}), "points above"), 0U);
}

TEST(TradeOffSvg, DrawsTheFreeLineAndTheConstantThoughTheSweepHasNoCoin) {
  CurveModel plain = model(0.15, 0.2);
  plain.constant_error = plain.train_constant_error = {0.25, 0.25};
  const std::string svg =
      trade_off_svg(panel_of({{"erm", {}, {plain}}, {"dp-fermi", 1, {model(0.17, 0.05)}}}), {});
  EXPECT_EQ(count(svg, "<title>coin</title>"), 1U);
  EXPECT_EQ(count(svg, ">coin (free line; left: constant)<"), 1U);
  const Curve ran{"coin", {}, {model(0.15, 0.2), model(0.25, 0)}};
  const std::string once = trade_off_svg(panel_of({{"erm", {}, {plain}}, ran}), {});
  EXPECT_EQ(count(once, "<title>coin</title>"), 1U);
}

TEST(TradeOffSvg, WithoutPrivateCurvesThereIsOnePlot) {
  EXPECT_EQ(count(trade_off_svg(panel_of({{"fermi", {}, {model(0.1, 0.1)}}}), {}), "<clipPath"),
            1U);
}

}  // namespace
}  // namespace dpfermi
