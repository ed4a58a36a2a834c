#include "dpfermi/evaluate/private_metrics.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>

#include "evaluate/rate_interval.h"
#include "objective/fairness_setting.h"

namespace dpfermi {
namespace {

/// Which cells (label, decision) of a group to add up.
using Chosen = std::function<bool(std::size_t, std::size_t)>;

/// One rate of every group, and whether the group is there.
struct Column {
  std::vector<NoisyFigure> rate;
  std::vector<bool> there;
};

/// A rate: among the units with `given`, those with `given` and `hit`.
struct Rate {
  Chosen given, hit;
};

using Labels = std::vector<std::size_t>;

/// The sets of labels among which rates are estimated: all labels, each label alone, and whatever
/// else is a condition of a notion.
std::vector<Labels> label_sets(const NoisyTable& table, std::size_t favourable) {
  std::vector<Labels> sets(1);
  for (std::size_t y = 0; y < table.classes; ++y) {
    sets[0].push_back(y);
    sets.push_back({y});
  }
  for (const FairnessNotion notion : fairness_notions()) {
    const FairnessSetting setting{notion, table.groups, table.classes, favourable};
    for (std::size_t c = 0; c < setting.conditions(); ++c) {
      const Labels labels = setting.labels_of(c);
      if (std::ranges::find(sets, labels) == sets.end()) sets.push_back(labels);
    }
  }
  return sets;
}

class Summary {
 public:
  Summary(const NoisyTable& table, std::size_t favourable)
      : table_(table), favourable_(favourable), label_sets_(label_sets(table, favourable)) {
    const double miss = 1 - PrivateMetrics::kConfidence;
    z_ = two_sided_quantile(miss / static_cast<double>(statements()));
    // Half of the misses for the noise of two counts each, half for sampling.
    tail_ = miss / 2 / static_cast<double>(rates());
    population_z_ = two_sided_quantile(tail_ / 2);
  }

  PrivateMetrics metrics() const {
    PrivateMetrics metrics;
    metrics.statements = statements();
    metrics.units = size_of(everyone(anything()));
    if (table_.units) metrics.units = {*table_.units, {*table_.units, *table_.units}, {}};
    const Part wrong = everyone(errors());
    metrics.error = estimate(wrong, everyone(negation(errors())), metrics.units.interval.low);
    metrics.groups.resize(table_.groups);
    for (std::size_t r = 0; r < table_.groups; ++r) {
      metrics.groups[r].units = size_of(part(r, anything()));
    }
    add_rates(metrics);
    return metrics;
  }

 private:
  static Chosen anything() {
    return [](std::size_t, std::size_t) { return true; };
  }
  static Chosen errors() {
    return [](std::size_t y, std::size_t j) { return y != j; };
  }
  static Chosen negation(Chosen chosen) {
    return [chosen = std::move(chosen)](std::size_t y, std::size_t j) { return !chosen(y, j); };
  }
  static Chosen both(Chosen a, Chosen b) {
    return [a = std::move(a), b = std::move(b)](std::size_t y, std::size_t j) {
      return a(y, j) && b(y, j);
    };
  }
  static Chosen label_in(Labels labels) {
    return [labels = std::move(labels)](std::size_t y, std::size_t) {
      return std::ranges::find(labels, y) != labels.end();
    };
  }
  static Chosen decision(std::size_t c) {
    return [c](std::size_t, std::size_t j) { return j == c; };
  }

  bool two_classes() const { return table_.classes == 2; }

  /// Of two classes one says it all.
  std::size_t decisions() const { return two_classes() ? 1 : table_.classes; }

  /// Per group: decisions in every set of labels, errors and, beyond two classes, false positives.
  std::size_t rates() const {
    return table_.groups * (label_sets_.size() * decisions() + 1 + (two_classes() ? 0 : 1)) + 1;
  }

  /// The rates, and the sizes that they are shares of.
  std::size_t statements() const {
    return rates() + table_.groups * (label_sets_.size() + (two_classes() ? 0 : 1)) + 1;
  }

  Part part(std::size_t group, const Chosen& chosen) const {
    const std::size_t l = table_.classes;
    const bool known = !table_.totals.empty();
    Part part;
    for (std::size_t y = 0; y < l; ++y) {
      for (std::size_t j = 0; j < l; ++j) {
        if (!chosen(y, j)) continue;
        const double total =
            known ? table_.totals[y * l + j] : std::numeric_limits<double>::infinity();
        part.value += table_.count(group, y, j);
        part.cells += total > 0 ? 1 : 0;
        part.most += total;
      }
    }
    return part;
  }

  Part everyone(const Chosen& chosen) const {
    const std::size_t l = table_.classes;
    Part sum;
    if (!table_.totals.empty()) {
      for (std::size_t cell = 0; cell < l * l; ++cell) {
        if (chosen(cell / l, cell % l)) sum.value += table_.totals[cell];
      }
      sum.most = sum.value;
      return sum;
    }
    for (std::size_t r = 0; r < table_.groups; ++r) {
      const Part one = part(r, chosen);
      sum.value += one.value;
      sum.cells += one.cells;
    }
    sum.most = table_.units.value_or(std::numeric_limits<double>::infinity());
    return sum;
  }

  NoisyFigure size_of(const Part& part) const {
    return {std::clamp(part.value, 0.0, part.most), count_interval(part, table_.noise, z_), {}};
  }

  NoisyFigure estimate(const Part& yes, const Part& no, double fewest) const {
    NoisyFigure estimate;
    estimate.interval = rate_interval(yes, no, table_.noise, z_, fewest);
    if (!table_.persons) {
      estimate.population = population_interval(yes, no, table_.noise, population_z_, tail_);
    }
    const double successes = std::clamp(yes.value, 0.0, yes.most);
    const double size = successes + std::clamp(no.value, 0.0, no.most);
    if (fewest > 0 && size > 0) {
      estimate.value = std::clamp(successes / size, estimate.interval.low, estimate.interval.high);
    }
    return estimate;
  }

  Column column(const Rate& rate) const {
    Column column;
    for (std::size_t r = 0; r < table_.groups; ++r) {
      const double fewest = count_interval(part(r, rate.given), table_.noise, z_).low;
      column.rate.push_back(estimate(part(r, both(rate.given, rate.hit)),
                                     part(r, both(rate.given, negation(rate.hit))), fewest));
      column.there.push_back(fewest > 0);
    }
    return column;
  }

  /// The columns of all decisions among the units with `given`.
  std::vector<Column> columns(const Chosen& given) const {
    if (two_classes()) return {column({given, decision(favourable_)})};
    std::vector<Column> all;
    for (std::size_t j = 0; j < table_.classes; ++j) all.push_back(column({given, decision(j)}));
    return all;
  }

  /// Where the columns of a label alone are.
  static std::size_t set_of(std::size_t label) { return 1 + label; }

  void add_rates(PrivateMetrics& metrics) const;
  Column false_positives(const std::vector<std::vector<Column>>& by_set) const {
    if (two_classes()) return by_set[set_of(1 - favourable_)][0];
    return column({negation(label_in({favourable_})), decision(favourable_)});
  }
  NoisyFigure violation_of(FairnessNotion notion,
                           const std::vector<std::vector<Column>>& by_set) const;
  NoisyFigure balanced_error(std::size_t group,
                             const std::vector<std::vector<Column>>& by_set) const;
  NoisyFigure precision(std::size_t group, const PrivateGroup& rates) const;

  const NoisyTable& table_;
  std::size_t favourable_;
  std::vector<Labels> label_sets_;
  double z_ = 0;
  double tail_ = 0;
  double population_z_ = 0;
};

Interval complement(Interval interval) {
  return {1 - interval.high, 1 - interval.low};
}

/// The same for the other of two classes.
NoisyFigure complement(const NoisyFigure& rate) {
  NoisyFigure other;
  if (rate.value) other.value = 1 - *rate.value;
  other.interval = complement(rate.interval);
  if (rate.population) other.population = complement(*rate.population);
  return other;
}

/// The largest difference that intervals allow, and the smallest.
Interval gap(const Column& column, const std::function<Interval(const NoisyFigure&)>& of) {
  Interval gap{0, 0};
  for (std::size_t a = 0; a < column.rate.size(); ++a) {
    for (std::size_t b = 0; b < column.rate.size(); ++b) {
      if (a == b || !column.there[a] || !column.there[b]) continue;
      const Interval high = of(column.rate[a]);
      const Interval low = of(column.rate[b]);
      gap.low = std::max(gap.low, high.low - low.high);
      gap.high = std::max(gap.high, high.high - low.low);
    }
  }
  return gap;
}

void raise(Interval& largest, Interval other) {
  largest = {std::max(largest.low, other.low), std::max(largest.high, other.high)};
}

/// The largest difference between groups in any of the columns. Where every rate lies in its
/// interval, the largest difference lies in this one.
NoisyFigure violation(std::span<const Column> columns) {
  NoisyFigure largest{0.0, {0, 0}, {}};
  const bool sampled = columns[0].rate[0].population.has_value();
  if (sampled) largest.population = Interval{0, 0};
  bool compared = false;
  for (const Column& column : columns) {
    if (std::ranges::count(column.there, true) < 2) continue;
    compared = true;
    const auto value = [](const NoisyFigure& e) { return Interval{*e.value, *e.value}; };
    largest.value = std::max(*largest.value, gap(column, value).high);
    raise(largest.interval, gap(column, [](const NoisyFigure& e) { return e.interval; }));
    if (sampled) {
      raise(*largest.population, gap(column, [](const NoisyFigure& e) { return *e.population; }));
    }
  }
  if (compared) return largest;
  return {std::nullopt, {}, sampled ? std::optional(Interval{}) : std::nullopt};
}

NoisyFigure Summary::violation_of(FairnessNotion notion,
                                  const std::vector<std::vector<Column>>& by_set) const {
  const FairnessSetting setting{notion, table_.groups, table_.classes, favourable_};
  std::vector<Column> compared;
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    const auto set = std::ranges::find(label_sets_, setting.labels_of(c)) - label_sets_.begin();
    const std::vector<Column>& decided = by_set[static_cast<std::size_t>(set)];
    for (std::size_t j = 0; j < decided.size(); ++j) {
      if (two_classes() || setting.compares(j)) compared.push_back(decided[j]);
    }
  }
  return violation(compared);
}

/// The mean of P(yhat != y | y) over labels. Requires that all are surely there to say anything:
/// which ones occur decides what the mean is over.
NoisyFigure Summary::balanced_error(std::size_t group,
                                    const std::vector<std::vector<Column>>& by_set) const {
  const bool sampled = by_set[0][0].rate[group].population.has_value();
  NoisyFigure mean{0.0, {0, 0}, sampled ? std::optional(Interval{0, 0}) : std::nullopt};
  const double share = 1 / static_cast<double>(table_.classes);
  for (std::size_t y = 0; y < table_.classes; ++y) {
    const Column& decided = by_set[set_of(y)][two_classes() ? 0 : y];
    if (!decided.there[group]) {
      return {std::nullopt, {}, sampled ? std::optional(Interval{}) : std::nullopt};
    }
    const bool mirrored = two_classes() && y != favourable_;
    const NoisyFigure wrong = mirrored ? decided.rate[group] : complement(decided.rate[group]);
    mean.value = *mean.value + share * *wrong.value;
    mean.interval.low += share * wrong.interval.low;
    mean.interval.high += share * wrong.interval.high;
    if (!sampled) continue;
    mean.population->low += share * wrong.population->low;
    mean.population->high += share * wrong.population->high;
  }
  return mean;
}

/// A / (A + B), A the units with the favourable label and B the others that are decided for it: a
/// rate times a size each.
NoisyFigure Summary::precision(std::size_t group, const PrivateGroup& rates) const {
  const Chosen positive = label_in({favourable_});
  const Interval own = count_interval(part(group, positive), table_.noise, z_);
  const Interval other = count_interval(part(group, negation(positive)), table_.noise, z_);
  const Interval& found = rates.true_positive_rate.interval;
  const Interval& mistaken = rates.false_positive_rate.interval;
  const Interval a{found.low * own.low, found.high * own.high};
  const Interval b{mistaken.low * other.low, mistaken.high * other.high};
  NoisyFigure figure;
  if (a.low > 0) figure.interval.low = a.low / (a.low + b.high);
  if (b.low > 0) figure.interval.high = a.high / (a.high + b.low);
  const Chosen favoured = decision(favourable_);
  const Part hits = part(group, both(positive, favoured));
  const Part misses = part(group, both(negation(positive), favoured));
  const double right = std::clamp(hits.value, 0.0, hits.most);
  const double all = right + std::clamp(misses.value, 0.0, misses.most);
  if (a.low + b.low > 0 && all > 0) {
    figure.value = std::clamp(right / all, figure.interval.low, figure.interval.high);
  }
  return figure;
}

void Summary::add_rates(PrivateMetrics& metrics) const {
  const Column wrong = column({anything(), errors()});
  std::vector<std::vector<Column>> by_set;
  for (const Labels& labels : label_sets_) by_set.push_back(columns(label_in(labels)));
  const std::vector<Column>& overall = by_set[0];
  const Column& found = by_set[set_of(favourable_)][two_classes() ? 0 : favourable_];
  const Column mistaken = false_positives(by_set);
  for (std::size_t r = 0; r < table_.groups; ++r) {
    PrivateGroup& group = metrics.groups[r];
    for (const Column& column : overall) group.rate.push_back(column.rate[r]);
    if (two_classes()) {
      group.rate.insert(favourable_ == 0 ? group.rate.end() : group.rate.begin(),
                        complement(group.rate[0]));
    }
    group.error = wrong.rate[r];
    group.true_positive_rate = found.rate[r];
    group.false_positive_rate = mistaken.rate[r];
    group.balanced_error = balanced_error(r, by_set);
    group.precision = precision(r, group);
  }
  for (const FairnessNotion notion : fairness_notions()) {
    metrics.violation.add(notion, violation_of(notion, by_set));
  }
}

}  // namespace

PrivateMetrics private_metrics(const NoisyTable& table, std::size_t favourable) {
  assert(favourable < table.classes);
  return Summary(table, favourable).metrics();
}

}  // namespace dpfermi
