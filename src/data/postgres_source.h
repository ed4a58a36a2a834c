#pragma once

/// A table or query of a PostgreSQL server, by libpq.
///
/// The server sees the connection, the name of the table or the text of the query, and that every
/// row of it is read: COPY in one read-only, repeatable-read transaction. Nothing that is sent
/// depends on what rows hold. Several processes read the snapshot that the leader exports. What the
/// server says about a failure while rows are read may quote a cell: it is not shown, only its
/// SQLSTATE and a sentence of ours.

#include <memory>
#include <string>

#include "data/table_address.h"
#include "data/table_source.h"

namespace dpfermi {

/// Connects and settles the columns and the order of the rows: that of the primary key, or of the
/// query's ORDER BY. Refuses a password in the address, a table without a primary key and a query
/// without an order. `team`: the processes that each open this address.
Result<std::shared_ptr<RecordSource>> open_postgres(TableAddress address, std::string title,
                                                    Observer* observer, Team& team);

}  // namespace dpfermi
