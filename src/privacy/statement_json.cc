// Privacy statements as JSON.

#include "privacy/statement_json.h"

#include <cmath>

namespace dpfermi {
namespace {

Json number_or_null(bool present, double value) {
  return present && std::isfinite(value) ? Json(value) : Json(nullptr);
}

StatedRelease release_from_json(const Json& json) {
  const JsonFields fields(json, "a release", {"purpose", "count", "event", "part"});
  return {fields.text("purpose"), value_or_throw(parse_event(fields.at("event").dump())),
          fields.count("count"), fields.has("part") ? fields.count("part") : 0};
}

Reproducibility noise_from_text(const std::string& text) {
  for (const auto noise : {Reproducibility::kSecret, Reproducibility::kReproducible}) {
    if (text == to_string(noise)) return noise;
  }
  throw BadJson(fmt::format("unknown kind of noise '{}': use '{}' or '{}'", printable(text),
                            to_string(Reproducibility::kSecret),
                            to_string(Reproducibility::kReproducible)));
}

bool domain_from_text(const std::string& text) {
  if (text == "declared" || text == "treated as public") return text == "declared";
  throw BadJson(fmt::format("the group domain is 'declared' or 'treated as public', not '{}'",
                            printable(text)));
}

LedgerPlace place_from_json(const Json& json) {
  const JsonFields place(json, "a place in a ledger", {"run", "head"});
  return {place.text("run"), value_or_throw(parse_head(place.text("head")))};
}

Json json_of(const LedgerPlace& place) {
  return {{"run", place.run_id}, {"head", to_string(place.head)}};
}

PrivacyStatement statement_from_json(const Json& json) {
  const JsonFields fields(
      json, "a privacy statement",
      {"private", "adjacency", "unit", "id", "epsilon", "delta", "given_public_shares",
       "claimed_epsilon", "accountant", "noise", "group_domain", "assumptions", "recorded",
       "recorded_before", "releases"});
  PrivacyStatement statement;
  statement.adjacency = value_or_throw(parse_adjacency(fields.text("adjacency")));
  const std::string unit = fields.text("unit");
  if (fields.has("id")) statement.id_column = fields.text("id");
  if (unit != (statement.id_column.empty() ? "record" : "person")) {
    throw BadJson("the unit is 'record', or 'person' with an id column; correct 'unit' or 'id'");
  }
  if (fields.has("epsilon")) {
    statement.cost = PrivacyCost{fields.number("epsilon"), fields.number("delta")};
  }
  if (fields.has("given_public_shares")) {
    const JsonFields given(fields.at("given_public_shares"), "'given_public_shares'",
                           {"epsilon", "delta"});
    statement.cost_given_shares = PrivacyCost{given.number("epsilon"), given.number("delta")};
  }
  statement.claimed_epsilon = fields.maybe_number("claimed_epsilon");
  statement.accountant = fields.text("accountant");
  statement.noise = noise_from_text(fields.text("noise"));
  statement.domain_declared = domain_from_text(fields.text("group_domain"));
  // The list of groups stands among them where it was not declared.
  const std::vector<std::string> of_groups = treated_as_public(statement);
  statement.assumptions = fields.texts("assumptions");
  std::erase_if(statement.assumptions,
                [&](const std::string& phrase) { return contains(of_groups, phrase); });
  if (fields.has("recorded")) statement.recorded = place_from_json(fields.at("recorded"));
  if (fields.has("recorded_before")) {
    statement.recorded_before = place_from_json(fields.at("recorded_before"));
  }
  for (const Json& release : fields.array("releases")) {
    statement.releases.push_back(release_from_json(release));
  }
  if (fields.flag("private") != is_private(statement)) {
    throw BadJson("the key 'private' of a privacy statement contradicts the rest; correct it");
  }
  return statement;
}

}  // namespace

Json json_of(const PrivacyStatement& statement) {
  const PrivacyCost cost = statement.cost.value_or(PrivacyCost{});
  const bool finite = std::isfinite(cost.epsilon);
  Json json = {{"private", is_private(statement)},
               {"adjacency", to_string(statement.adjacency)},
               {"unit", statement.id_column.empty() ? "record" : "person"}};
  if (!statement.id_column.empty()) json["id"] = statement.id_column;
  json["epsilon"] = number_or_null(finite, cost.epsilon);
  json["delta"] = number_or_null(finite, cost.delta);
  if (statement.cost_given_shares) {
    json["given_public_shares"] = {{"epsilon", statement.cost_given_shares->epsilon},
                                   {"delta", statement.cost_given_shares->delta}};
  }
  if (statement.claimed_epsilon) {
    json["claimed_epsilon"] = number_or_null(true, *statement.claimed_epsilon);
  }
  json["accountant"] = statement.accountant;
  json["noise"] = to_string(statement.noise);
  json["group_domain"] = statement.domain_declared ? "declared" : "treated as public";
  json["assumptions"] = treated_as_public(statement);
  if (statement.recorded) json["recorded"] = json_of(*statement.recorded);
  if (statement.recorded_before) json["recorded_before"] = json_of(*statement.recorded_before);
  json["releases"] = Json::array();
  for (const StatedRelease& release : statement.releases) {
    json["releases"].push_back({{"purpose", release.purpose},
                                {"count", release.count},
                                {"event", json_of(release.event)}});
    if (release.part > 0) json["releases"].back()["part"] = release.part;
  }
  return json;
}

std::string to_json(const PrivacyStatement& statement) {
  return json_text(json_of(statement));
}

Result<PrivacyStatement> parse_statement(const std::string& json) {
  DPFERMI_ASSIGN(PrivacyStatement statement, read_json(json, statement_from_json));
  DPFERMI_TRY(check_statement(statement));
  return statement;
}

}  // namespace dpfermi
