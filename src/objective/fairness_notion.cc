#include "dpfermi/objective/fairness_notion.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/text.h"

namespace dpfermi {
namespace notions {

#define DPFERMI_NOTION(name) extern const NotionDescriptor name;
#include "objective/notion_list.inc"
#undef DPFERMI_NOTION

}  // namespace notions

namespace {

std::vector<FairnessNotion>& registry() {
#define DPFERMI_NOTION(name) FairnessNotion(notions::name),
  static std::vector<FairnessNotion> all = {
#include "objective/notion_list.inc"
  };
#undef DPFERMI_NOTION
  return all;
}

bool is_called(FairnessNotion notion, std::string_view text) {
  return text == notion.descriptor().name || text == notion.descriptor().brief;
}

std::string name_with(FairnessNotion notion, char separator) {
  std::string name(to_string(notion));
  std::ranges::replace(name, '-', separator);
  return name;
}

}  // namespace

const std::vector<FairnessNotion>& fairness_notions() {
  return registry();
}

Status register_notion(FairnessNotion notion) {
  for (const std::string_view name : {notion.descriptor().name, notion.descriptor().brief}) {
    if (parse_fairness_notion(name)) {
      return usage_error(
          fmt::format("there is a fairness notion '{}' already; choose another name", name));
    }
  }
  registry().push_back(notion);
  return {};
}

std::string_view to_string(FairnessNotion notion) {
  return notion.descriptor().name;
}

std::ostream& operator<<(std::ostream& out, FairnessNotion notion) {
  return out << to_string(notion);
}

Result<FairnessNotion> parse_fairness_notion(std::string_view text) {
  if (is_called(FairnessNotion::kNone, text)) return FairnessNotion::kNone;
  std::vector<std::string> choices;
  for (const FairnessNotion notion : fairness_notions()) {
    if (is_called(notion, text)) return notion;
    choices.push_back(fmt::format("{} ({})", to_string(notion), notion.descriptor().brief));
  }
  choices.emplace_back("none");
  return usage_error(
      fmt::format("unknown fairness notion '{}': use {}", text, listed(choices, " or ")));
}

std::string notion_title(FairnessNotion notion) {
  return name_with(notion, ' ');
}

std::string json_key(FairnessNotion notion) {
  return name_with(notion, '_');
}

std::vector<std::string> brief_notions() {
  std::vector<std::string> names;
  for (const FairnessNotion notion : fairness_notions()) {
    names.emplace_back(notion.descriptor().brief);
  }
  return names;
}

std::string notion_choices() {
  std::vector<std::string> choices;
  for (const FairnessNotion notion : fairness_notions()) {
    choices.push_back(fmt::format("{} ({})", notion.descriptor().brief, notion_title(notion)));
  }
  choices.emplace_back("none");
  return listed(choices, " or ");
}

std::size_t condition_count(FairnessNotion notion, std::size_t classes) {
  return notion.descriptor().condition_count(classes);
}

std::optional<std::size_t> condition_of(FairnessNotion notion, std::size_t y,
                                        std::size_t favourable) {
  return notion.descriptor().condition_of(y, favourable);
}

double condition_weight(FairnessNotion notion, double share) {
  return notion.descriptor().weighted_by_share ? share : 1;
}

}  // namespace dpfermi
