#pragma once

/// What an address says about a table that lies in a database.

#include <string>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// "PLACE?table=NAME" or "PLACE?query=SELECT ... ORDER BY ...", %XX decoded. Further parameters
/// stay with the place. A query reaches to the end of the address.
struct TableAddress {
  std::string place;
  std::string table;
  std::string query;
};
Result<TableAddress> parse_table_address(const std::string& address);

/// Whether the query orders its rows: an ORDER BY outside parentheses, quotes and comments. Refuses
/// one that does not, since rows without an order have no fingerprint.
Status check_ordered(const std::string& query);

/// The parts of a name with a schema: public and people of public.people and "public"."people".
std::vector<std::string> name_parts(const std::string& table);

}  // namespace dpfermi
