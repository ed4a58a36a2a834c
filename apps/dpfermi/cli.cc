#include "cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string_view>

#include "core/text.h"
#include "flags/field_names.h"

namespace dpfermi::cli {

void Context::note(std::string_view line) const {
  if (!quiet) fmt::print(stderr, "{}\n", with_flags(line));
}

void Context::print(std::string_view text) {
  fmt::print("{}", text);
}

std::string shell_word(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./,:=@%+").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

CLI::App* add_verb(CLI::App& parent, Context& context, const std::string& name,
                   const std::string& description, const std::string& examples,
                   std::function<Status()> action) {
  CLI::App* verb = parent.add_subcommand(name, description);
  verb->fallthrough();
  if (!examples.empty()) verb->footer("Examples:\n" + examples);
  if (action) {
    verb->callback([&context, action = std::move(action)] { context.action = action; });
  }
  return verb;
}

CLI::Validator whole_number() {
  return {[](std::string& text) {
            const bool digits =
                !text.empty() && text.size() <= 18 &&
                std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
            return digits ? std::string() : fmt::format("'{}' is not a whole number >= 0", text);
          },
          ""};
}

CLI::Validator whole_from_one(std::uint64_t most) {
  return {[most](std::string& text) {
            const std::string complaint = whole_number()(text);
            if (!complaint.empty()) return complaint;
            const double value = *parse_number(text);
            return value >= 1 && value <= static_cast<double>(most)
                       ? std::string()
                       : fmt::format("'{}' is not a number from 1 to {}", text, most);
          },
          ""};
}

}  // namespace dpfermi::cli
