#pragma once

/// A schema file to be completed by hand: every column, class and group of a table, with notes that
/// say what is open.

#include <string>

#include "data/table.h"
#include "data/table_profile.h"

namespace dpfermi {

/// JSON that parse_schema reads back once what its notes ask for is filled in. Under `sensitive` it
/// holds types and classes as they were read, with the profile's remarks as notes; of columns that
/// are not declared, those that the remarks would drop are in `drop`, and codes are categories.
/// Where records are protected it holds names alone: no type, range, category or class of the table
/// gets into a file that may be shared. Values of s are never in it unless they were declared.
/// `declared`: what was said of the table before it was read; its adjacency decides.
std::string schema_template(const Table& table, const TableProfile& profile,
                            const Schema& declared);

}  // namespace dpfermi
