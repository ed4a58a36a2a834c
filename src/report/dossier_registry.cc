// The shape is that of schemas/deployments-schema.yaml in opendp/deployments-registry-data at
// commit 057e5d81cf60150dd3307e0cf4504b957802fb3b.

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "dpfermi/core/version.h"
#include "report/dossier.h"

namespace dpfermi {
namespace {

constexpr std::string_view kNotStated = "not stated";

/// The registry shows texts as Markdown: names must not become markup.
std::string markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|$&~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// The sentences of a section in one text; of all, or of those about a field of the model.
std::string sentences(const std::vector<DossierSection>& sections, std::string_view title,
                      const std::vector<std::string>& fields = {}) {
  const auto found = std::ranges::find(sections, title, &DossierSection::title);
  std::string text;
  for (const DossierFact& fact : found->facts) {
    const auto is_about = [&](const std::string& field) {
      return fact.sources.front().starts_with("model: " + field);
    };
    if (!fields.empty() && std::ranges::none_of(fields, is_about)) continue;
    text += (text.empty() ? "" : " ") + markdown(fact.text);
  }
  return text;
}

std::string joined(const std::vector<std::string>& phrases) {
  return phrases.empty() ? "none" : markdown(fmt::format("{}", fmt::join(phrases, "; ")));
}

/// Lower-case letters and digits, joined by hyphens.
std::string slug(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  return out;
}

Json privacy_loss(const DossierMaterial& material) {
  const PrivacyStatement& statement = material.model.privacy;
  Json json = {{"privacy_unit", statement.id_column.empty() ? "record" : "person"},
               {"privacy_unit_details", markdown(describe(statement.adjacency))},
               {"number_of_privacy_units", material.model.training.units}};
  if (is_private(statement)) {
    json["privacy_parameters"] = {{"epsilon", statement.cost->epsilon},
                                  {"delta", statement.cost->delta}};
  }
  json["privacy_parameters_details"] = markdown(describe_guarantee(statement));
  return json;
}

Json basic(const DossierMaterial& material) {
  const TrainedModel& model = material.model;
  const std::string time = material.entries.empty()
                               ? material.as_of
                               : material.entries.back().at("time").get<std::string>();
  return {{"name", markdown(fmt::format("Model of {}", model.schema.target.column))},
          {"data_curators",
           Json::array({{{"data_curator_name", kNotStated}, {"data_curator_type", kNotStated}}})},
          {"description", markdown(fmt::format("A classifier of {}, trained by {} on {}.",
                                               model.schema.target.column, model.training.method,
                                               model.training.data))},
          {"intended_use",
           material.purpose.empty() ? std::string(kNotStated) : markdown(material.purpose)},
          {"data_product_type", "Machine learning model"},
          {"data_product_region", kNotStated},
          {"publication_date", time.substr(0, 10)}};
}

/// What is released as it is: where features and labels are public, they and all that they tell.
std::vector<std::string> unprotected(const PrivacyStatement& statement) {
  std::vector<std::string> all = treated_as_public(statement);
  if (features_are_public(statement.adjacency)) {
    all.insert(all.begin(),
               "the features and the label of every record, who is in the data, and all that "
               "follows from these alone, such as the error of the model");
  }
  return all;
}

Json dp_variant(const DossierMaterial& material, const std::vector<DossierSection>& sections) {
  const PrivacyStatement& statement = material.model.privacy;
  const bool pure = statement.cost && statement.cost->delta == 0;
  Json json;
  if (is_private(statement)) json["variant_name"] = pure ? "Pure DP" : "Approximate DP";
  json["data_domain"] = sentences(sections, "What was read", {"schema", "model", "pipeline"});
  json["unprotected_quantities"] = joined(unprotected(statement));
  return json;
}

}  // namespace

std::string registry_record(const DossierMaterial& material) {
  const std::vector<DossierSection> sections = dossier_sections(material);
  const std::string run = material.model.privacy.recorded->run_id;
  const Json model = {{"model_name", "Central"},
                      {"trust_assumptions", sentences(sections, "What is not covered")},
                      {"actors", sentences(sections, "Who may see what")},
                      {"release_type", "One release"},
                      {"release_type_details", sentences(sections, "The budget over time")},
                      {"data_source_type", "Static"},
                      {"access_type", "Non-interactive"}};
  const Json implementation = {
      {"mechanisms", sentences(sections, "What left")},
      {"composition", markdown(material.model.privacy.accountant)},
      {"additional_information", fmt::format("{} Written by dpfermi {}; ledger head {}.",
                                             sentences(sections, "When, and where it is recorded"),
                                             version(), to_string(material.head))}};
  const Json record = {
      {"url_slug", slug("dpfermi-" + run)},
      {"deployment",
       {{"basic", basic(material)},
        {"dp_variant", dp_variant(material, sections)},
        {"privacy_loss", privacy_loss(material)},
        {"deployment_model", model},
        {"implementation", implementation},
        {"administrative",
         {{"status", "Draft"}, {"registry_authors", Json::array({kNotStated})}, {"tier", 2}}}}}};
  return json_text(record) + "\n";
}

}  // namespace dpfermi
