#pragma once

/// What a model computes, in the terms that every format of export shares: how a table's columns
/// become numbers, linear maps of those numbers, and for repaired models the proxy and the costs.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/trained_model.h"
#include "dpfermi/core/result.h"
#include "model/tree_ensemble.h"

namespace dpfermi {

/// [x, 1] W, W being (inputs + 1) x width, row after row; the last row is the constant.
struct LinearMap {
  std::size_t inputs = 0;
  std::size_t width = 0;
  std::vector<double> weights;

  double at(std::size_t input, std::size_t output) const { return weights[input * width + output]; }
  double constant(std::size_t output) const { return at(inputs, output); }
};

/// What an encoded input is.
struct InputName {
  std::string column;
  std::optional<std::string> value;  ///< of a category; nothing: a number, or its absence
  bool absence = false;              ///< of a number that is missing
};

/// z = (clamp(v) - centre) / scale, rounded to a 32-bit float as `predict` rounds it; 0 for a
/// missing v. Its input is the position in the form; that of its absence may have another one.
struct NumberInput {
  std::string column;
  Standardizer standardizer;
  std::optional<std::size_t> absence;  ///< the input that is 1 where v is missing
};

/// A text stands for one of `count` inputs, which is then 1, or for none of them.
struct CategoryInput {
  struct Meaning {
    std::string text;
    std::size_t code;  ///< in 0 ... count
  };
  std::string column;
  std::vector<std::string> values;  ///< names of the inputs
  std::size_t first = 0;            ///< input of the first of them
  std::vector<Meaning> meanings;    ///< texts that stand for an input; all others: none
  std::size_t missing = 0;          ///< code of no value

  std::size_t none() const { return values.size(); }
};

struct ExportForm {
  std::vector<NumberInput> numbers;
  std::vector<CategoryInput> categories;
  std::vector<double> missing_numbers;  ///< numbers that stand for no value
  std::size_t inputs = 0;               ///< d

  /// Layers of every member, tanh between them; the last has one output for every class, also
  /// where the model file has a single one for two classes. Empty: trees, or scores that come
  /// with the rows.
  std::vector<std::vector<LinearMap>> members;
  std::optional<Forest> trees;      ///< instead of members; their columns are inputs
  std::vector<double> weights;      ///< of the members of a mixture; empty: one member
  std::vector<std::string> scores;  ///< columns of another model's scores, if any
  std::vector<std::string> classes;
  std::optional<RepairRule> repair;
  std::vector<LinearMap> proxies;  ///< by condition, one output per group; constants times kappa

  bool mixture() const { return !weights.empty(); }
  /// The constant (classes x groups x classes) costs of the only member.
  double cost(std::size_t label, std::size_t group, std::size_t decision) const;
};

/// What goes with every export of a repaired model.
inline constexpr std::string_view kProxyWarning =
    "This model was repaired: the file holds a proxy of the protected attribute, with which "
    "anyone who has the file can guess a person's group from their features about as well as any "
    "good model of the population can. The proxy is not an output; do not make it one, and give "
    "the file only to those who may hold the sketch it came from.";

/// The form of any model that check_model accepts, whether it can be exported or not.
ExportForm scoring_form(const TrainedModel& model);

/// The same. Refuses models whose decisions no format of export can express, with the reason: those
/// that read the protected attribute and those of images.
Result<ExportForm> export_form(const TrainedModel& model);

/// Refuses mixtures: the draw is a 64-bit hash of the encoded row. `format` is for the message.
Status check_no_mixture(const ExportForm& form, std::string_view format);

/// What every encoded input is, in their order.
std::vector<InputName> input_names(const ExportForm& form);

/// Every column that is read, in the order of the form.
std::vector<std::string> columns_of(const ExportForm& form);

}  // namespace dpfermi
