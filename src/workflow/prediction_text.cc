#include "workflow/prediction_text.h"

#include <fmt/format.h>

#include <iterator>
#include <ostream>
#include <utility>
#include <vector>

#include "core/text.h"

namespace dpfermi {
namespace {

/// A field as RFC 4180 has it.
std::string csv_field(const std::string& text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string::npos && trim(text) == text;
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void write_csv(const TrainedModel& model, const PredictedRows& predicted, std::ostream& out) {
  const std::size_t l = model.classes.size();
  const Table& table = predicted.table;
  const Predictions& made = predicted.predictions;
  const bool ids = !table.units.empty();
  std::vector<std::string> labels;
  out << (ids ? csv_field(table.schema.id) + "," : "") << "label";
  for (const std::string& name : model.classes) {
    labels.push_back(csv_field(name));
    out << ',' << csv_field("probability_" + name);
  }
  out << '\n';
  std::string line;
  for (std::size_t at = 0; at < made.probabilities.size(); at += l) {
    const auto row = std::span(made.probabilities).subspan(at, l);
    line = ids ? csv_field(table.unit_names[table.units[at / l]]) + "," : "";
    line += labels[made.decisions[at / l]];
    for (const float value : row) fmt::format_to(std::back_inserter(line), ",{}", value);
    out << line << '\n';
  }
}

Json json_of(const TrainedModel& model, const PredictedRows& predicted) {
  const std::size_t l = model.classes.size();
  const Table& table = predicted.table;
  Json rows = Json::array();
  for (std::size_t row = 0; row < predicted.predictions.decisions.size(); ++row) {
    Json entry;
    if (!table.units.empty()) entry["id"] = table.unit_names[table.units[row]];
    entry["label"] = model.classes[predicted.predictions.decisions[row]];
    for (std::size_t j = 0; j < l; ++j) {
      entry["probabilities"][model.classes[j]] = predicted.predictions.probabilities[row * l + j];
    }
    rows.push_back(std::move(entry));
  }
  return {{"rows", std::move(rows)}};
}

Json label_counts(const TrainedModel& model, std::span<const std::uint16_t> decisions) {
  std::vector<std::uint64_t> counts(model.classes.size());
  for (const std::uint16_t decision : decisions) ++counts[decision];
  Json json = {{"rows", decisions.size()}, {"labels", nullptr}};
  for (std::size_t j = 0; j < counts.size(); ++j) json["labels"][model.classes[j]] = counts[j];
  return json;
}

}  // namespace dpfermi
