#pragma once

/// What is used of DuckDB's C interface, declared as its duckdb.h declares it (checked
/// against 1.4.4 and run with 1.5.6). Debian has no package of it, so that no header is needed to
/// build.

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/shared_library.h"
#include "dpfermi/core/result.h"

namespace dpfermi::duckdb {

using Handle = void*;  ///< duckdb_database, _connection, _config, _prepared_statement,
                       ///< _data_chunk, _vector, _logical_type, _scalar_function, _function_info
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
  Handle (*create_logical_type)(Type type);
  void (*destroy_logical_type)(Handle* type);
  Handle (*create_scalar_function)();
  void (*destroy_scalar_function)(Handle* function);
  void (*scalar_function_set_name)(Handle function, const char* name);
  void (*scalar_function_add_parameter)(Handle function, Handle type);
  void (*scalar_function_set_return_type)(Handle function, Handle type);
  void (*scalar_function_set_extra_info)(Handle function, void* info, void (*destroy)(void*));
  void (*scalar_function_set_function)(Handle function,
                                       void (*call)(Handle info, Handle chunk, Handle out));
  void* (*scalar_function_get_extra_info)(Handle info);
  State (*register_scalar_function)(Handle connection, Handle function);

  /// The library, which stays loaded from the first time on. Says how to get it where it cannot be
  /// loaded.
  static Result<const Api*> load();

  /// Requires that load() succeeded. What DuckDB calls back knows the functions from here.
  static const Api& loaded();

 private:
  static std::optional<Api>& place();
  static Result<Api> find();
};

}  // namespace dpfermi::duckdb
