#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "artifact/model_card.h"
#include "core/text.h"
#include "export/formats.h"

namespace dpfermi {
namespace {

std::string doubled(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) out.append(c == quote ? 2 : 1, c);
  return out + quote;
}

std::string sql_name(std::string_view name) {
  return doubled(name, '"');
}

std::string sql_text(std::string_view text) {
  return doubled(text, '\'');
}

/// A literal that both systems take for a double: DuckDB reads one without exponent as a decimal.
std::string sql_number(double value) {
  std::string text = shortest(value);
  if (text.find('e') == std::string::npos) text += "e0";
  return value < 0 ? fmt::format("({})", text) : text;
}

std::string indexed(std::string_view letter, std::size_t i) {
  return fmt::format("{}{}", letter, i + 1);
}

class SqlWriter {
 public:
  explicit SqlWriter(const ExportForm& form) : form_(&form) {}

  /// Everything after FROM, and the columns that it adds to those of the table.
  std::string query(const std::string& table) {
    std::string steps = fmt::format("FROM {} AS t\n", table);
    steps += step("a", raw_values());
    if (!form_->numbers.empty()) {
      steps += step("b", scaled_values());
      steps += step("z", rounded_values());
    }
    steps += form_->members.empty() ? step("p", given_scores()) : own_scores();
    const bool repaired = form_->repair.has_value();
    if (repaired) {
      steps += step("f", {clip_factor() + " AS f"});
      steps += proxies();
      steps += step("k", costs());
    }
    steps += step("d", {decision(repaired) + " AS d"});
    return fmt::format("SELECT t.*,\n  {}\n{}", fmt::join(results(repaired), ",\n  "), steps);
  }

 private:
  /// OFFSET 0 keeps PostgreSQL from writing a step's expressions out wherever they are used.
  static std::string step(std::string_view name, const std::vector<std::string>& columns) {
    return fmt::format("CROSS JOIN LATERAL (SELECT\n  {}\n  OFFSET 0) AS {}\n",
                       fmt::join(columns, ",\n  "), name);
  }

  std::vector<std::string> raw_values() const {
    std::vector<std::string> columns;
    for (std::size_t f = 0; f < form_->numbers.size(); ++f) {
      std::string value = fmt::format("CAST(t.{} AS float8)", sql_name(form_->numbers[f].column));
      value = fmt::format("NULLIF({}, CAST('NaN' AS float8))", value);
      for (const double marker : form_->missing_numbers) {
        value = fmt::format("NULLIF({}, {})", value, sql_number(marker));
      }
      columns.push_back(fmt::format("{} AS {}", value, indexed("x", f)));
    }
    for (std::size_t f = 0; f < form_->categories.size(); ++f) {
      columns.push_back(fmt::format("{} AS {}", code(form_->categories[f]), indexed("c", f)));
    }
    return columns;
  }

  static std::string code(const CategoryInput& input) {
    if (input.meanings.empty()) return fmt::format("{}", input.none());
    // CASE names the column once, however many values it has: PostgreSQL keeps at most 1,664
    // mentions of columns as the key of a cache (Memoize).
    const std::string value = fmt::format("CAST(t.{} AS text)", sql_name(input.column));
    std::string text = fmt::format("CASE {}", value);
    for (const CategoryInput::Meaning& meaning : input.meanings) {
      text += fmt::format(" WHEN {} THEN {}", sql_text(meaning.text), meaning.code);
    }
    text += fmt::format(" ELSE {} END", input.none());
    if (input.missing == input.none()) return text;
    return fmt::format("CASE WHEN {} IS NULL THEN {} ELSE {} END", value, input.missing, text);
  }

  std::vector<std::string> scaled_values() const {
    std::vector<std::string> columns;
    for (std::size_t f = 0; f < form_->numbers.size(); ++f) {
      const Standardizer& z = form_->numbers[f].standardizer;
      std::string value = indexed("a.x", f);
      if (z.bounds) {
        value = fmt::format("LEAST(GREATEST({}, {}), {})", value, sql_number(z.bounds->first),
                            sql_number(z.bounds->second));
      }
      columns.push_back(fmt::format("CASE WHEN {} IS NOT NULL THEN ({} - {}) / {} END AS {}",
                                    indexed("a.x", f), value, sql_number(z.centre),
                                    sql_number(z.scale), indexed("s", f)));
    }
    return columns;
  }

  /// PostgreSQL refuses to round what a 32-bit float can only call 0.
  std::vector<std::string> rounded_values() const {
    std::vector<std::string> columns;
    for (std::size_t f = 0; f < form_->numbers.size(); ++f) {
      columns.push_back(fmt::format(
          "CASE WHEN abs({0}) > 7.1e-46 THEN CAST(CAST({0} AS float4) AS float8) ELSE 0e0 END "
          "AS {1}",
          indexed("b.s", f), indexed("z", f)));
    }
    return columns;
  }

  /// A sum over the inputs; `weight` of an input, and what is done with numbers.
  template <class Weight>
  std::string sum(const Weight& weight, bool squares = false) const {
    std::vector<std::string> terms;
    for (std::size_t f = 0; f < form_->numbers.size(); ++f) {
      const std::string z = indexed("z.z", f);
      if (weight(f) != 0) {
        terms.push_back(
            fmt::format("{} * {}{}", sql_number(weight(f)), z, squares ? " * " + z : ""));
      }
      const auto absence = form_->numbers[f].absence;
      if (absence && weight(*absence) != 0) {
        terms.push_back(fmt::format("CASE WHEN {} IS NULL THEN {} ELSE 0e0 END", indexed("a.x", f),
                                    sql_number(weight(*absence))));
      }
    }
    for (std::size_t f = 0; f < form_->categories.size(); ++f) {
      const CategoryInput& input = form_->categories[f];
      std::vector<std::string> weights;
      bool any = false;
      for (std::size_t i = 0; i < input.values.size(); ++i) {
        const double w = weight(input.first + i);
        any = any || w != 0;
        weights.push_back(sql_number(w));
      }
      if (!any) continue;
      weights.emplace_back("0e0");  // the code of no value
      // An element of an array, because a CASE would compare the code with hundreds of others.
      terms.push_back(fmt::format("(CAST(ARRAY[{}] AS float8[]))[{} + 1]", fmt::join(weights, ", "),
                                  indexed("a.c", f)));
    }
    return terms.empty() ? "0e0" : fmt::format("{}", fmt::join(terms, " + "));
  }

  std::string own_scores() const {
    const LinearMap& map = form_->members.front().front();
    const auto name = [](std::size_t j) { return indexed("p", j); };
    std::vector<std::string> sums;
    std::vector<std::string> shares;
    add_sums(map, name, sums);
    add_shares(map, "v", "", name, shares);
    return step("v", sums) + step("p", shares);
  }

  static std::string proxy(std::size_t condition, std::size_t group) {
    return fmt::format("q{}_{}", condition + 1, group + 1);
  }

  /// A sum over the inputs for every output of a map, without its constant.
  template <class Name>
  void add_sums(const LinearMap& map, const Name& name, std::vector<std::string>& columns) const {
    for (std::size_t j = 0; j < map.width; ++j) {
      const std::string inputs = sum([&](std::size_t i) { return map.at(i, j); });
      columns.push_back(fmt::format("{} AS {}", inputs, name(j)));
    }
  }

  /// 1 / sum_i exp(v_i - v_own) for every output, v = factor (sum over the inputs) + constant; the
  /// sums are columns of `step`. Exponents are cut where PostgreSQL would report an overflow or
  /// underflow.
  template <class Name>
  static void add_shares(const LinearMap& map, std::string_view step, std::string_view factor,
                         const Name& name, std::vector<std::string>& columns) {
    for (std::size_t own = 0; own < map.width; ++own) {
      std::string total = "1e0";
      for (std::size_t other = 0; other < map.width; ++other) {
        if (other == own) continue;
        total += fmt::format(" + exp(LEAST(GREATEST({0} + {1}({2}.{3} - {2}.{4}), -300e0), 300e0))",
                             sql_number(map.constant(other) - map.constant(own)), factor, step,
                             name(other), name(own));
      }
      columns.push_back(fmt::format("1e0 / ({}) AS {}", total, name(own)));
    }
  }

  std::vector<std::string> given_scores() const {
    std::vector<std::string> given;
    for (const std::string& column : form_->scores) {
      if (!column.empty()) given.push_back(fmt::format("CAST(t.{} AS float8)", sql_name(column)));
    }
    std::vector<std::string> columns;
    std::size_t next = 0;
    for (std::size_t j = 0; j < form_->scores.size(); ++j) {
      const std::string score = form_->scores[j].empty() ? fmt::format("GREATEST(0e0, 1e0 - ({}))",
                                                                       fmt::join(given, " + "))
                                                         : given[next++];
      columns.push_back(fmt::format("{} AS {}", score, indexed("p", j)));
    }
    return columns;
  }

  std::string clip_factor() const {
    const std::string square = sum([](std::size_t) { return 1.0; }, true);
    const std::string clip = sql_number(form_->repair->clip_norm);
    return fmt::format("CASE WHEN {0} > {1} * {1} THEN {1} / sqrt({0}) ELSE 1e0 END", square, clip);
  }

  std::string proxies() const {
    std::vector<std::string> sums;
    std::vector<std::string> shares;
    for (std::size_t c = 0; c < form_->proxies.size(); ++c) {
      const auto name = [&](std::size_t r) { return proxy(c, r); };
      add_sums(form_->proxies[c], name, sums);
      add_shares(form_->proxies[c], "g", "f.f * ", name, shares);
    }
    return step("g", sums) + step("q", shares);
  }

  std::vector<std::string> costs() const {
    const RepairRule& rule = *form_->repair;
    std::vector<std::string> columns;
    for (std::size_t j = 0; j < form_->classes.size(); ++j) {
      std::vector<std::string> terms;
      for (std::size_t y = 0; y < form_->classes.size(); ++y) {
        const std::uint32_t condition = rule.condition_by_label[y];
        std::vector<std::string> by_group;
        for (std::size_t r = 0; r < rule.groups; ++r) {
          const std::string guess = condition < form_->proxies.size()
                                        ? "q." + proxy(condition, r)
                                        : sql_number(1 / static_cast<double>(rule.groups));
          by_group.push_back(fmt::format("{} * {}", guess, sql_number(form_->cost(y, r, j))));
        }
        terms.push_back(fmt::format("{} * ({})", indexed("p.p", y), fmt::join(by_group, " + ")));
      }
      columns.push_back(fmt::format("{} AS {}", fmt::join(terms, " + "), indexed("k", j)));
    }
    return columns;
  }

  /// The class of the largest score or the smallest cost, the first of several, from 0.
  std::string decision(bool repaired) const {
    const std::size_t l = form_->classes.size();
    std::string text = "CASE";
    for (std::size_t j = 0; j + 1 < l; ++j) {
      std::vector<std::string> better;
      for (std::size_t other = j + 1; other < l; ++other) {
        better.push_back(repaired
                             ? fmt::format("{} <= {}", indexed("k.k", j), indexed("k.k", other))
                             : fmt::format("{} >= {}", indexed("p.p", j), indexed("p.p", other)));
      }
      text += fmt::format(" WHEN {} THEN {}", fmt::join(better, " AND "), j);
    }
    return fmt::format("{} ELSE {} END", text, l - 1);
  }

  std::vector<std::string> results(bool repaired) const {
    std::string label = "CASE d.d";
    std::vector<std::string> columns;
    for (std::size_t j = 0; j < form_->classes.size(); ++j) {
      label += fmt::format(" WHEN {} THEN {}", j, sql_text(form_->classes[j]));
    }
    columns.push_back(label + " END AS \"label\"");
    for (std::size_t j = 0; j < form_->classes.size(); ++j) {
      const std::string value =
          repaired ? fmt::format("CASE d.d WHEN {} THEN 1e0 ELSE 0e0 END", j) : indexed("p.p", j);
      columns.push_back(
          fmt::format("{} AS {}", value, sql_name("probability_" + form_->classes[j])));
    }
    return columns;
  }

  const ExportForm* form_;
};

/// Lines of text as a comment; whatever they hold stays inside it.
std::string sql_comment(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    out += fmt::format("-- {}\n", printable(line, SIZE_MAX));
  }
  return out;
}

}  // namespace

Result<std::string> export_sql(const TrainedModel& model, const std::string& table) {
  DPFERMI_ASSIGN(const ExportForm form, export_form(model));
  DPFERMI_TRY(check_no_mixture(form, "SQL"));
  if (!model.spec.hidden.empty() && !form.members.empty()) {
    return failed(
        "a network of tanh layers is not an expression of reasonable length in SQL; export it as "
        "onnx");
  }
  if (form.trees) {
    return failed("boosted trees are no expression of reasonable length in SQL; export as onnx");
  }
  if (table.empty() || table.find('\0') != std::string::npos) {
    return usage_error("name the table that the query reads");
  }
  std::string text = sql_comment(describe_card(model));
  if (form.repair) text += "-- WARNING: " + std::string(kProxyWarning) + "\n";
  text += "-- For PostgreSQL (12 or later, standard_conforming_strings on) and DuckDB.\n";
  return text + SqlWriter(form).query(sql_name(table)) + ";\n";
}

}  // namespace dpfermi
