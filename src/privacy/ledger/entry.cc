#include "privacy/ledger/entry.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text.h"

namespace dpfermi::ledger {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 2;

Json body_to_json(const LedgerOpened& e) {
  return {{"kind", "ledger"}, {"format", kFormat}, {"id", e.id}, {"key_id", e.key_id}};
}
Json body_to_json(const BudgetCreated& e) {
  return {{"kind", "budget"}, {"budget", e.budget}, {"adjacency", to_string(e.adjacency)}};
}
Json body_to_json(const BudgetCapped& e) {
  return {{"kind", "cap"},
          {"budget", e.budget},
          {"epsilon", e.epsilon.text()},
          {"delta", e.delta.text()}};
}
Json body_to_json(const BudgetBound& e) {
  return {{"kind", "bind"}, {"budget", e.budget}, {"fingerprint", e.fingerprint}};
}
Json parts_to_json(const std::vector<PlannedPart>& parts) {
  Json json = Json::array();
  for (const PlannedPart& part : parts) {
    json.push_back({{"purpose", part.purpose},
                    {"event", Json::parse(to_json(part.event))},
                    {"steps", part.steps},
                    {"spare", part.spare}});
  }
  return json;
}
Json body_to_json(const Charged& e) {
  return {{"kind", "charge"},
          {"budget", e.budget},
          {"run", e.run},
          {"purpose", e.purpose},
          {"event", Json::parse(e.event)},
          {"parts", parts_to_json(e.parts)},
          {"in_blocks", e.in_blocks},
          {"fixed_seed", e.fixed_seed},
          {"epsilon", e.epsilon.text()},
          {"delta", e.delta.text()},
          {"spent_epsilon", e.spent_epsilon.text()},
          {"spent_delta", e.spent_delta.text()}};
}
Json body_to_json(const Claimed& e) {
  return {{"kind", "claim"},
          {"charge", e.charge},
          {"part", e.part},
          {"first", e.first},
          {"count", e.count}};
}
Json body_to_json(const Committed& e) {
  return {{"kind", "commit"}, {"run", e.run}};
}

Result<Amount> amount(const Json& json, const char* key) {
  return Amount::parse(json.at(key).get<std::string>(), Rounding::kUp);
}

Result<std::vector<PlannedPart>> parts_from_json(const Json& json) {
  std::vector<PlannedPart> parts;
  for (const Json& part : json) {
    DPFERMI_ASSIGN(PrivacyEvent event, parse_event(part.at("event").dump()));
    parts.push_back({part.at("purpose"), std::move(event), part.at("steps"), part.at("spare")});
  }
  return parts;
}

Result<EntryBody> charge_from_json(const Json& json) {
  Charged e;
  e.budget = json.at("budget");
  e.run = json.at("run");
  e.purpose = json.at("purpose");
  e.event = json.at("event").dump();
  DPFERMI_ASSIGN(e.parts, parts_from_json(json.at("parts")));
  e.in_blocks = json.at("in_blocks");
  e.fixed_seed = json.at("fixed_seed");
  DPFERMI_ASSIGN(e.epsilon, amount(json, "epsilon"));
  DPFERMI_ASSIGN(e.delta, amount(json, "delta"));
  DPFERMI_ASSIGN(e.spent_epsilon, amount(json, "spent_epsilon"));
  DPFERMI_ASSIGN(e.spent_delta, amount(json, "spent_delta"));
  return e;
}

Result<EntryBody> body_from_json(const Json& json) {
  const std::string kind = json.at("kind");
  if (kind == "ledger") {
    if (json.at("format") != kFormat) {
      return failed(
          fmt::format("is of another format than {}; use the dpfermi that wrote it", kFormat));
    }
    return LedgerOpened{json.at("id"), json.at("key_id")};
  }
  if (kind == "budget") {
    DPFERMI_ASSIGN(const Adjacency adjacency,
                   parse_adjacency(json.at("adjacency").get<std::string>()));
    return BudgetCreated{json.at("budget"), adjacency};
  }
  if (kind == "cap") {
    DPFERMI_ASSIGN(const Amount epsilon, amount(json, "epsilon"));
    DPFERMI_ASSIGN(const Amount delta, amount(json, "delta"));
    return BudgetCapped{json.at("budget"), epsilon, delta};
  }
  if (kind == "bind") return BudgetBound{json.at("budget"), json.at("fingerprint")};
  if (kind == "charge") return charge_from_json(json);
  if (kind == "claim") {
    return Claimed{json.at("charge"), json.at("part"), json.at("first"), json.at("count")};
  }
  if (kind == "commit") return Committed{json.at("run")};
  return failed(fmt::format("is of the unknown kind '{}'; update dpfermi", printable(kind)));
}

}  // namespace

std::string entry_to_json(const Entry& entry) {
  Json json = std::visit([](const auto& body) { return body_to_json(body); }, entry.body);
  json["time"] = entry.time;
  json["version"] = entry.version;
  // Text that users gave is checked to be UTF-8 before it gets here.
  return json.dump();
}

Result<Entry> entry_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    DPFERMI_ASSIGN(EntryBody body, body_from_json(json));
    return Entry{std::move(body), json.at("time"), json.at("version")};
  } catch (const Json::exception& error) {
    return failed(fmt::format("cannot be read ({}); restore a backup", error.what()));
  }
}

}  // namespace dpfermi::ledger
