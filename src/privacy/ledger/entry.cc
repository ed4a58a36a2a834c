#include "privacy/ledger/entry.h"

#include <fmt/format.h>

#include "core/text.h"
#include "privacy/json_text.h"
#include "privacy/statement_json.h"

namespace dpfermi::ledger {
namespace {

Json body_to_json(const LedgerOpened& e) {
  return {{"kind", "ledger"}, {"format", e.format}, {"id", e.id}, {"key_id", e.key_id}};
}
Json body_to_json(const FormatRaised& e) {
  return {{"kind", "format"}, {"format", e.format}};
}
Json body_to_json(const BudgetCreated& e) {
  return {{"kind", "budget"}, {"budget", e.budget}, {"adjacency", to_string(e.adjacency)}};
}
Json body_to_json(const BudgetCapped& e) {
  Json json = {{"kind", "cap"},
               {"budget", e.budget},
               {"epsilon", e.cap.epsilon.text()},
               {"delta", e.cap.delta.text()}};
  if (e.cap.filter) {
    json["renyi"] = {{"order", e.cap.filter->order.text()},
                     {"divergence", e.cap.filter->divergence.text()},
                     {"failure", e.cap.filter->failure.text()}};
  }
  return json;
}
Json body_to_json(const BudgetBound& e) {
  Json json = {{"kind", "bind"}, {"budget", e.budget}, {"fingerprint", e.fingerprint}};
  if (!e.relatives.empty()) json["relatives"] = e.relatives;
  return json;
}
Json parts_to_json(const std::vector<PlannedPart>& parts) {
  Json json = Json::array();
  for (const PlannedPart& part : parts) {
    json.push_back({{"purpose", part.purpose},
                    {"event", json_of(part.event)},
                    {"steps", part.steps},
                    {"spare", part.spare}});
  }
  return json;
}
Json body_to_json(const Charged& e) {
  Json json = {{"kind", "charge"},
               {"budget", e.budget},
               {"run", e.run},
               {"purpose", e.purpose},
               {"event", Json::parse(e.event)},
               {"parts", parts_to_json(e.parts)},
               {"in_blocks", e.in_blocks},
               {"fixed_seed", e.fixed_seed},
               {"rehearsal", e.rehearsal},
               {"epsilon", e.epsilon.text()},
               {"delta", e.delta.text()}};
  if (e.renyi) {
    json["renyi"] = {{"divergence", e.renyi->divergence.text()},
                     {"failure", e.renyi->failure.text()}};
  }
  json["spent_epsilon"] = e.spent_epsilon.text();
  json["spent_delta"] = e.spent_delta.text();
  return json;
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

/// As it is written: no sign, no fraction, nothing that would be cut to fit.
std::uint64_t count(const Json& json, const char* key) {
  return json.at(key).get_ref<const Json::number_unsigned_t&>();
}

Result<std::vector<PlannedPart>> parts_from_json(const Json& json) {
  std::vector<PlannedPart> parts;
  for (const Json& part : json) {
    DPFERMI_ASSIGN(PrivacyEvent event, parse_event(part.at("event").dump()));
    parts.push_back(
        {part.at("purpose"), std::move(event), count(part, "steps"), count(part, "spare")});
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
  e.rehearsal = json.value("rehearsal", false);
  DPFERMI_ASSIGN(e.epsilon, amount(json, "epsilon"));
  DPFERMI_ASSIGN(e.delta, amount(json, "delta"));
  if (json.contains("renyi")) {
    e.renyi.emplace();
    DPFERMI_ASSIGN(e.renyi->divergence, amount(json.at("renyi"), "divergence"));
    DPFERMI_ASSIGN(e.renyi->failure, amount(json.at("renyi"), "failure"));
  }
  DPFERMI_ASSIGN(e.spent_epsilon, amount(json, "spent_epsilon"));
  DPFERMI_ASSIGN(e.spent_delta, amount(json, "spent_delta"));
  return e;
}

Result<EntryBody> cap_from_json(const Json& json) {
  BudgetCapped e{json.at("budget"), {}};
  DPFERMI_ASSIGN(e.cap.epsilon, amount(json, "epsilon"));
  DPFERMI_ASSIGN(e.cap.delta, amount(json, "delta"));
  if (json.contains("renyi")) {
    RenyiFilter& filter = e.cap.filter.emplace();
    DPFERMI_ASSIGN(filter.order, amount(json.at("renyi"), "order"));
    DPFERMI_ASSIGN(filter.divergence, amount(json.at("renyi"), "divergence"));
    DPFERMI_ASSIGN(filter.failure, amount(json.at("renyi"), "failure"));
  }
  return e;
}

Result<int> format_from_json(const Json& json) {
  const std::uint64_t format = count(json, "format");
  if (format < kOldestFormat || format > kFormat) {
    return failed(fmt::format("is of format {}, not {} to {}; use the dpfermi that wrote it",
                              format, kOldestFormat, kFormat));
  }
  return static_cast<int>(format);
}

Result<EntryBody> body_from_json(const Json& json) {
  const std::string kind = json.at("kind");
  if (kind == "ledger") {
    DPFERMI_ASSIGN(const int format, format_from_json(json));
    return LedgerOpened{json.at("id"), json.at("key_id"), format};
  }
  if (kind == "format") {
    DPFERMI_ASSIGN(const int format, format_from_json(json));
    return FormatRaised{format};
  }
  if (kind == "budget") {
    DPFERMI_ASSIGN(const Adjacency adjacency,
                   parse_adjacency(json.at("adjacency").get<std::string>()));
    return BudgetCreated{json.at("budget"), adjacency};
  }
  if (kind == "cap") return cap_from_json(json);
  if (kind == "bind") {
    return BudgetBound{json.at("budget"), json.at("fingerprint"),
                       json.value("relatives", std::vector<std::string>())};
  }
  if (kind == "charge") return charge_from_json(json);
  if (kind == "claim") {
    return Claimed{count(json, "charge"), count(json, "part"), count(json, "first"),
                   count(json, "count")};
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
  if (const Status status = check_json(text); !status) {
    return failed(fmt::format("cannot be read ({}); restore a backup", status.error().message));
  }
  try {
    const Json json = Json::parse(text);
    DPFERMI_ASSIGN(EntryBody body, body_from_json(json));
    return Entry{std::move(body), json.at("time"), json.at("version")};
  } catch (const Json::exception& error) {
    return failed(fmt::format("cannot be read ({}); restore a backup", error.what()));
  }
}

}  // namespace dpfermi::ledger
