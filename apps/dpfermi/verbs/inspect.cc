// dpfermi inspect: the card of a model.

#include <memory>

#include "cli.h"
#include "dpfermi/artifact/model_card.h"
#include "dpfermi/artifact/model_file.h"
#include "dpfermi/artifact/sketch_file.h"

namespace dpfermi::cli {
namespace {

Status inspect_sketch(const Context& context, const std::string& path) {
  DPFERMI_ASSIGN(const StoredSketch stored, read_sketch(path));
  if (!context.json) {
    Context::print(describe_card(stored));
    return {};
  }
  DPFERMI_ASSIGN(const std::string header, header_to_json(stored));
  Context::print(header + "\n");
  return {};
}

}  // namespace

void add_inspect(CLI::App& app, Context& context) {
  const auto path = std::make_shared<std::string>();
  CLI::App* verb =
      add_verb(app, context, "inspect",
               "Print the card of a model or a sketch: what it is and what it promises",
               "  dpfermi inspect people.model\n  dpfermi inspect people.model --json",
               [&context, path]() -> Status {
                 if (looks_like_sketch(*path)) return inspect_sketch(context, *path);
                 DPFERMI_ASSIGN(const TrainedModel model, read_model(*path));
                 if (!context.json) {
                   Context::print(describe_card(model));
                   return {};
                 }
                 DPFERMI_ASSIGN(const std::string header, header_to_json(model));
                 Context::print(header + "\n");
                 return {};
               });
  verb->add_option("model", *path, "The model or sketch file")->required()->type_name("MODEL");
}

}  // namespace dpfermi::cli
