#include "flags/field_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dpfermi::cli {
namespace {

/// Fields that are called like their flags.
constexpr auto kAlike = std::to_array<std::string_view>({
    "adjacency",
    "batch",
    "budget",
    "categorical",
    "charge",
    "clip_norm",
    "components",
    "delta",
    "disjoint",
    "drop",
    "dry_run",
    "encoding",
    "epochs",
    "epsilon",
    "force",
    "groups_from_data",
    "held_out",
    "hidden",
    "html",
    "id",
    "images",
    "join",
    "key",
    "lambda",
    "ledger",
    "max_violation",
    "merge_small",
    "method",
    "missing",
    "numeric",
    "order",
    "out",
    "part_of_budget",
    "positive",
    "rehearsal",
    "research",
    "residual_rounds",
    "residual_share",
    "resume",
    "schema_out",
    "scores",
    "seed",
    "sensitive",
    "sensitive_bins",
    "sensitive_file",
    "sensitive_values",
    "sketch",
    "split_seed",
    "splits",
    "target",
    "test_fraction",
    "tuning_epochs",
    "tuning_rate",
    "weight",
    "without_sensitive",
    "work",
    "write_schema",
});

constexpr auto kOthers = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"boosted", "--model boosted"},
    {"checkpoint.every", "--checkpoint-every"},
    {"checkpoint.file", "--checkpoint"},
    {"checkpoint.resume", "--resume"},
    {"columns.bounds", "--bounds"},
    {"columns.values", "--categories"},
    {"costs", "--cost"},
    {"declared_units", "--units"},
    {"features.clip_norm", "--feature-norm"},
    {"features.kind", "--features"},
    {"features.model_file", "--feature-model"},
    {"format.comment", "--comment"},
    {"format.header", "--header"},
    {"format.missing", "--missing-markers"},
    {"format.names", "--names"},
    {"image", "--image-column"},
    {"mixtures", "--no-mixture"},
    {"notion", "--fairness"},
    {"pictures", "--picture-components"},
    {"repaired_model", "--model"},
    {"schedule.batch", "--network-batch"},
    {"schedule.decay", "--network-decay"},
    {"schedule.epochs", "--network-epochs"},
    {"schedule.rate", "--network-rate"},
    {"score_prefix", "--scores-prefix"},
    {"sensitive_features", "--sensitive-as-feature"},
    {"shape.model", "--model"},
    {"target.bins", "--target-bins"},
    {"target.values", "--target-values"},
    {"tau", "--sharpness"},
    {"theorem_plan", "--plan theorem"},
    {"theta_rate", "--learning-rate"},
    {"w_rate", "--dual-rate"},
    {"whole_network", "--private-part network"},
});

}  // namespace

std::optional<std::string> flag_of(std::string_view field) {
  const auto other =
      std::ranges::find(kOthers, field, [](const auto& entry) { return entry.first; });
  if (other != kOthers.end()) return std::string(other->second);
  if (std::ranges::find(kAlike, field) == kAlike.end()) return std::nullopt;
  std::string flag = "--" + std::string(field);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::string with_flags(std::string_view text) {
  std::string out;
  for (std::size_t begin = text.find('`'); begin != std::string_view::npos;
       begin = text.find('`')) {
    const std::size_t end = text.find('`', begin + 1);
    if (end == std::string_view::npos) break;
    const auto flag = flag_of(text.substr(begin + 1, end - begin - 1));
    // The closing quote of a word that is not a field may open the next one.
    out += text.substr(0, flag ? begin : end);
    out += flag.value_or("");
    text.remove_prefix(flag ? end + 1 : end);
  }
  return out += text;
}

}  // namespace dpfermi::cli
