#pragma once

/// What is used of DuckDB's C interface, declared as its duckdb.h declares it (checked
/// against 1.4.4 and run with 1.5.6). Debian has no package of it, so that no header is needed to
/// build.

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/shared_library.h"
#include "dpfermi/core/result.h"

namespace dpfermi::duckdb {

using Handle = void*;  ///< duckdb_database, _connection, _config, _prepared_statement, _data_chunk
using State = int;     ///< 0: success

/// duckdb_result; what it holds is the library's.
struct QueryResult {
  std::array<std::uint64_t, 3> deprecated_counts;
  void* deprecated_columns;
  char* deprecated_error_message;
  void* internal_data;
};

/// duckdb_string_t: texts of up to 12 bytes are inside, longer ones behind a pointer.
struct Text {
  std::uint32_t length;
  std::array<char, 12> inside;  ///< or four bytes of the text and a pointer to all of it

  std::string_view view() const {
    if (length <= inside.size()) return {inside.data(), length};
    const char* whole = nullptr;
    std::memcpy(&whole, inside.data() + 4, sizeof whole);
    return {whole, length};
  }
};

/// duckdb_type, as far as columns of a table are told apart.
enum class Type : int {
  kBoolean = 1,
  kTinyint = 2,
  kSmallint = 3,
  kInteger = 4,
  kBigint = 5,
  kUtinyint = 6,
  kUsmallint = 7,
  kUinteger = 8,
  kFloat = 10,
  kDouble = 11,
  kVarchar = 17,
  kDecimal = 19,
};

struct Api {
  State (*create_config)(Handle* config);
  State (*set_config)(Handle config, const char* name, const char* option);
  void (*destroy_config)(Handle* config);
  State (*open_ext)(const char* path, Handle* database, Handle config, char** error);
  void (*close)(Handle* database);
  State (*connect)(Handle database, Handle* connection);
  void (*disconnect)(Handle* connection);
  void (*free)(void* memory);
  State (*query)(Handle connection, const char* query, QueryResult* result);
  void (*destroy_result)(QueryResult* result);
  std::uint64_t (*column_count)(QueryResult* result);
  const char* (*column_name)(QueryResult* result, std::uint64_t column);
  Type (*column_type)(QueryResult* result, std::uint64_t column);
  const char* (*result_error)(QueryResult* result);
  State (*prepare)(Handle connection, const char* query, Handle* statement);
  void (*destroy_prepare)(Handle* statement);
  State (*execute_prepared_streaming)(Handle statement, QueryResult* result);
  Handle (*fetch_chunk)(QueryResult result);
  std::uint64_t (*data_chunk_get_size)(Handle chunk);
  Handle (*data_chunk_get_vector)(Handle chunk, std::uint64_t column);
  void (*destroy_data_chunk)(Handle* chunk);
  void* (*vector_get_data)(Handle vector);
  std::uint64_t* (*vector_get_validity)(Handle vector);

  /// Says how to get the library where it cannot be loaded.
  static Result<Api> load();
};

}  // namespace dpfermi::duckdb
