#pragma once

/// Errors as values. The library never prints, exits or throws for what a user can cause: it
/// returns a Result whose Error is one line that names the culprit and ends with what to do. A
/// setting is named as the field that holds it, in backquotes: "`epsilon` must lie between 1e-6 and
/// 1000, not 0". A dot leads into a nested struct: `checkpoint.every`.

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace dpfermi {

/// What went wrong, as far as a caller has to tell cases apart. The values are the tool's exit
/// codes.
enum class ErrorKind {
  kFailed = 1,         ///< bad input, missing file, anything that stopped the work
  kUsage = 2,          ///< the request itself makes no sense
  kBudgetRefused = 3,  ///< the privacy budget does not cover the request
};

struct Error {
  ErrorKind kind;
  std::string message;  ///< one line, no trailing full stop or newline

  /// The first field that the message names, without backquotes; empty: none.
  std::string field() const;
};

template <class T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

inline tl::unexpected<Error> failed(std::string message) {
  return tl::unexpected<Error>({ErrorKind::kFailed, std::move(message)});
}
inline tl::unexpected<Error> usage_error(std::string message) {
  return tl::unexpected<Error>({ErrorKind::kUsage, std::move(message)});
}
inline tl::unexpected<Error> budget_refused(std::string message) {
  return tl::unexpected<Error>({ErrorKind::kBudgetRefused, std::move(message)});
}

}  // namespace dpfermi

#define DPFERMI_CONCAT_INNER(a, b) a##b
#define DPFERMI_CONCAT(a, b) DPFERMI_CONCAT_INNER(a, b)

/// Evaluates a Result or Status expression and returns its error from the enclosing function.
#define DPFERMI_TRY(expression)                                 \
  do {                                                          \
    if (auto dpfermi_status = (expression); !dpfermi_status) {  \
      return tl::unexpected(std::move(dpfermi_status).error()); \
    }                                                           \
  } while (false)

/// DPFERMI_ASSIGN(auto x, f()) declares x as the value of f(), or returns f()'s error.
#define DPFERMI_ASSIGN(declaration, expression) \
  DPFERMI_ASSIGN_IMPL(DPFERMI_CONCAT(dpfermi_result_, __LINE__), declaration, expression)
#define DPFERMI_ASSIGN_IMPL(result, declaration, expression)     \
  auto result = (expression);                                    \
  if (!result) return tl::unexpected(std::move(result).error()); \
  declaration = std::move(*result)
