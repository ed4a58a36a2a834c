#include "experiment/trade_off.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "dpfermi/methods/registry.h"
#include "objective/fairness_setting.h"
#include "objective/free_line.h"

namespace dpfermi {
namespace {

/// The element of `items` that `same` accepts, appended as `fresh` where there is none.
template <class T, class Same>
T& find_or_add(std::vector<T>& items, const Same& same, T fresh) {
  const auto found = std::ranges::find_if(items, same);
  if (found != items.end()) return *found;
  return items.emplace_back(std::move(fresh));
}

std::string method_name(const RunSpec& spec) {
  std::string name = spec.method;
  if (!spec.hidden.empty() || spec.boosted) name += fmt::format(" ({})", model_name(spec));
  if (spec.adjacency != Adjacency::kSensitive)
    name += fmt::format(" ({})", to_string(spec.adjacency));
  if (spec.delta) name += fmt::format(" (delta {})", shortest(*spec.delta));
  return name;
}

Panel& panel_of(std::vector<Panel>& panels, const RunSpec& spec) {
  return find_or_add(
      panels,
      [&](const Panel& panel) {
        return panel.dataset == spec.dataset && panel.protocol == spec.protocol &&
               panel.notion == spec.notion && panel.least_group == spec.least_group;
      },
      Panel{spec.dataset, spec.protocol, spec.notion, spec.least_group, {}});
}

CurveModel& model_of(std::vector<Curve>& curves, const std::string& method,
                     std::optional<double> epsilon, std::optional<double> lambda,
                     std::optional<double> target) {
  Curve& curve = find_or_add(
      curves,
      [&](const Curve& known) { return known.method == method && known.epsilon == epsilon; },
      Curve{.method = method, .epsilon = epsilon, .models = {}});
  CurveModel fresh;
  fresh.lambda = lambda;
  fresh.target = target;
  return find_or_add(
      curve.models,
      [&](const CurveModel& model) { return model.lambda == lambda && model.target == target; },
      std::move(fresh));
}

/// The error of the best constant. Figures hold the share of one class: two classes are needed.
double constant_error(const Metrics& metrics) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (!metrics.performance || !metrics.fairness) return kUnknown;
  const bool two = std::ranges::all_of(metrics.fairness->groups, [](const GroupMetrics& group) {
    return group.rate.empty() || group.rate.size() == 2;
  });
  double units = 0;
  double favourable = 0;
  for (const CalibrationBin& bin : metrics.performance->calibration) {
    units += bin.units;
    favourable += bin.units * bin.share;
  }
  return two && units > 0 ? std::min(favourable, units - favourable) / units : kUnknown;
}

/// Without `coin`.
std::map<std::uint32_t, FreeLine> lines_from_constants(const std::vector<Curve>& curves,
                                                       ViolationOf rows) {
  std::map<std::uint32_t, FreeLine> lines;
  for (const Curve& curve : curves) {
    for (const CurveModel& model : curve.models) {
      for (std::size_t i = 0; i < model.constant_errors(rows).size(); ++i) {
        const TradeOffPoint constant{0, model.constant_errors(rows)[i]};
        if (!std::isnan(constant.error)) lines[model.splits[i]] = {constant, constant};
      }
    }
  }
  for (const Curve& curve : curves) {
    if (curve.descriptor() == nullptr || find_method(curve.method) != Method::kErm) continue;
    const CurveModel& plain = curve.models.front();
    for (std::size_t i = 0; i < plain.splits.size(); ++i) {
      const auto line = lines.find(plain.splits[i]);
      if (line != lines.end())
        line->second.plain = {plain.violations(rows)[i], plain.errors(rows)[i]};
    }
  }
  return lines;
}

void add_run(CurveModel& model, const RunRecord& run) {
  model.splits.push_back(run.spec.split);
  model.error.push_back(run.test.error);
  model.violation.push_back(violation_of(run.test, run.spec.notion));
  model.constant_error.push_back(constant_error(run.test));
  model.train_error.push_back(run.train.error);
  model.train_violation.push_back(violation_of(run.train, run.spec.notion));
  model.train_constant_error.push_back(constant_error(run.train));
  model.seconds.push_back(run.train_seconds);
}

/// A published mean, which stands for test and training rows alike.
CurveModel published_model(const PublishedPoint& point) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  return {.lambda = point.lambda,
          .splits = {0},
          .error = {point.error},
          .violation = {point.violation},
          .train_error = {point.error},
          .train_violation = {point.violation},
          .constant_error = {kUnknown},
          .train_constant_error = {kUnknown}};
}

/// One end of a free line in a split, on test and on training rows.
void add_end(CurveModel& end, std::uint32_t split, const TradeOffPoint& test,
             const TradeOffPoint& train) {
  end.splits.push_back(split);
  end.error.push_back(test.error);
  end.violation.push_back(test.violation);
  end.train_error.push_back(train.error);
  end.train_violation.push_back(train.violation);
}

void count_target(const RunRecord& run, TargetCounts& counts) {
  if (!run.released || !run.spec.target) return;
  const std::optional<bool> met = run.released->met;
  ++(!met ? counts.untold : *met ? counts.met : counts.missed);
  const double room = FairnessSetting{run.spec.notion}.unconditional() ? 0.01 : 0.02;
  if (met && violation_of(run.train, run.spec.notion) > *run.spec.target + room) ++counts.strayed;
  if (!run.released->interval || !run.compared_violation) return;
  const ViolationInterval& interval = *run.released->interval;
  const double violation = *run.compared_violation;
  ++counts.intervals;
  if (interval.low <= violation && violation <= interval.high) ++counts.covered;
}

}  // namespace

TargetCounts& TargetCounts::operator+=(const TargetCounts& other) {
  met += other.met;
  missed += other.missed;
  untold += other.untold;
  strayed += other.strayed;
  intervals += other.intervals;
  covered += other.covered;
  return *this;
}

std::vector<TradeOffPoint> Curve::means(ViolationOf rows) const {
  std::vector<TradeOffPoint> points;
  for (const CurveModel& model : models) {
    points.push_back({estimate(model.violations(rows)).mean, estimate(model.error).mean});
  }
  return points;
}

std::string Curve::name() const {
  return fmt::format("{}{}{}", published ? "published " : "", method,
                     epsilon ? fmt::format(", epsilon {}", shortest(*epsilon)) : "");
}

const MethodDescriptor* Curve::descriptor() const {
  if (published) return nullptr;
  const auto found = find_method(method.substr(0, method.find(" (")));
  return found ? &found->descriptor() : nullptr;
}

bool Curve::is_papers() const {
  return published && method == PublishedPoint::kPapers;
}

std::string Panel::name() const {
  const std::string compared =
      least_group > 0 ? fmt::format(", groups of at least {}", with_thousands(least_group)) : "";
  return fmt::format("{}, {}, {}{}", dataset, to_string(protocol), to_string(notion), compared);
}

const Curve* Panel::find(const std::string& method, std::optional<double> epsilon) const {
  const auto found = std::ranges::find_if(curves, [&](const Curve& curve) {
    return curve.method == method && curve.epsilon == epsilon;
  });
  return found == curves.end() ? nullptr : &*found;
}

double FreeLine::error_at(double violation) const {
  return line_error(plain.error, plain.violation, constant.error, violation);
}

std::map<std::uint32_t, FreeLine> free_lines(const std::vector<Curve>& curves, ViolationOf rows) {
  std::map<std::uint32_t, FreeLine> lines;
  const auto coin = std::ranges::find_if(curves, [](const Curve& curve) {
    return !curve.derived && curve.descriptor() != nullptr && curve.descriptor()->is_free_line();
  });
  if (coin == curves.end()) return lines_from_constants(curves, rows);
  const auto plain = std::ranges::find(coin->models, std::optional(0.0), &CurveModel::lambda);
  const auto constant = std::ranges::find(coin->models, std::optional(1.0), &CurveModel::lambda);
  if (plain == coin->models.end() || constant == coin->models.end()) return lines;
  const auto point = [&](const CurveModel& model, std::size_t i) {
    return TradeOffPoint{model.violations(rows)[i], model.errors(rows)[i]};
  };
  for (std::size_t i = 0; i < plain->splits.size(); ++i) {
    const auto same = std::ranges::find(constant->splits, plain->splits[i]);
    if (same == constant->splits.end()) continue;
    const auto j = static_cast<std::size_t>(same - constant->splits.begin());
    lines[plain->splits[i]] = {point(*plain, i), point(*constant, j)};
  }
  return lines;
}

std::optional<Curve> derived_free_line(const std::vector<Curve>& curves) {
  const auto is_line = [](const Curve& curve) {
    return curve.descriptor() != nullptr && curve.descriptor()->is_free_line();
  };
  if (std::ranges::any_of(curves, is_line)) return std::nullopt;
  const auto on_test = free_lines(curves, ViolationOf::kTest);
  const auto on_train = free_lines(curves, ViolationOf::kTrain);
  Curve line{.method = "coin", .epsilon = {}, .models = {}, .derived = true};
  CurveModel plain{.lambda = 0}, constant{.lambda = 1};
  for (const auto& [split, ends] : on_test) {
    const auto train = on_train.find(split);
    if (train == on_train.end()) continue;
    add_end(constant, split, ends.constant, train->second.constant);
    if (ends.plain != ends.constant) add_end(plain, split, ends.plain, train->second.plain);
  }
  for (CurveModel* end : {&plain, &constant}) {
    if (!end->splits.empty()) line.models.push_back(std::move(*end));
  }
  return line.models.empty() ? std::nullopt : std::optional(std::move(line));
}

std::optional<AboveLine> above_line(const CurveModel& model,
                                    const std::map<std::uint32_t, FreeLine>& lines,
                                    ViolationOf rows) {
  std::vector<double> excess, over_constant;
  for (std::size_t i = 0; i < model.splits.size(); ++i) {
    const auto line = lines.find(model.splits[i]);
    if (line == lines.end()) continue;
    const double error = model.errors(rows)[i];
    excess.push_back(error - line->second.error_at(model.violations(rows)[i]));
    over_constant.push_back(error - line->second.constant.error);
  }
  if (excess.empty()) return std::nullopt;
  return AboveLine{estimate(excess), estimate(over_constant)};
}

std::vector<Panel> make_panels(const std::vector<RunRecord>& runs) {
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunRecord& run = runs[i];
    const RunSpec& spec = run.spec;
    CurveModel& model = model_of(panel_of(panels, spec).curves, method_name(spec), spec.epsilon,
                                 spec.lambda, spec.target);
    add_run(model, run);
    model.runs.push_back(i);
    count_target(run, model.targets);
  }
  return panels;
}

std::vector<Curve> published_curves(const std::string& dataset, FairnessNotion notion) {
  std::vector<Curve> curves;
  for (const PublishedPoint& point : published_points()) {
    if (point.dataset != dataset || point.notion != notion) continue;
    // The in-processing baseline has points without a lambda: each is a separate model.
    Curve& curve = find_or_add(
        curves,
        [&](const Curve& known) {
          return known.method == point.method && known.epsilon == point.epsilon;
        },
        Curve{.method = point.method, .epsilon = point.epsilon, .models = {}, .published = true});
    curve.models.push_back(published_model(point));
  }
  return curves;
}

}  // namespace dpfermi
