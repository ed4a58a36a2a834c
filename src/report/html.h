#pragma once

/// Text for HTML. Whatever came from data goes through escape_html or script_json.

#include <map>
#include <string>
#include <string_view>

namespace dpfermi {

/// Safe between tags and inside quoted attributes. Bytes that are not UTF-8 and control characters
/// become U+FFFD.
std::string escape_html(std::string_view text);

/// `json` safe inside a script element: no byte of it can end the element or start a comment.
std::string script_json(std::string_view json);

/// `text` with every {{name}} replaced by its value, once: values are not looked at again. Requires
/// a value for every name in `text`.
std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values);

/// Licence texts of what a page contains, folded away; empty for an empty text.
std::string licences_html(std::string_view text);

/// "16.41 %"; "4.4 points" for differences of rates. Lines do not break at the space.
std::string percent(double value, int digits = 1);
std::string points(double value, int digits = 1);

}  // namespace dpfermi
