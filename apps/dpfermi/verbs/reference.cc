// dpfermi reference: every command and option as pages, of the documentation or for man.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli.h"
#include "core/file.h"
#include "dpfermi/core/version.h"
#include "print/reference_pages.h"

namespace dpfermi::cli {
namespace {

struct ReferenceFlags {
  std::string format, folder;
};

Status write_reference(const CLI::App& app, const ReferenceFlags& flags) {
  const CommandPage tool = page_of(app);
  const std::vector<ReferencePage> pages =
      flags.format == "man" ? man_reference(tool, version()) : markdown_reference(tool);
  std::error_code error;
  std::filesystem::create_directories(flags.folder, error);
  if (error) {
    return failed(fmt::format("cannot make the folder {}: {}; name another with --out",
                              flags.folder, error.message()));
  }
  for (const ReferencePage& page : pages) {
    DPFERMI_TRY(write_file_atomically(std::filesystem::path(flags.folder) / page.file, page.text));
  }
  return {};
}

}  // namespace

void add_reference(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<ReferenceFlags>();
  CLI::App* verb = add_verb(app, context, "reference",
                            "Write the reference of every command, as Markdown or for man",
                            "  dpfermi reference --format man --out ~/.local/share/man/man1\n"
                            "  dpfermi reference --format markdown --out docs/reference",
                            [&app, flags] { return write_reference(app, *flags); });
  verb->add_option("--format", flags->format, "Of the pages")
      ->required()
      ->check(CLI::IsMember({"markdown", "man"}));
  verb->add_option("--out", flags->folder, "The folder to write them to")
      ->required()
      ->type_name("FOLDER");
}

}  // namespace dpfermi::cli
