// dpfermi inspect: the card of a model.

#include <memory>

#include "cli.h"
#include "dpfermi/artifact/model_card.h"
#include "dpfermi/artifact/model_file.h"

namespace dpfermi::cli {

void add_inspect(CLI::App& app, Context& context) {
  const auto path = std::make_shared<std::string>();
  CLI::App* verb = add_verb(app, context, "inspect",
                            "Print the card of a model: what it is and what it promises",
                            "  dpfermi inspect people.model\n  dpfermi inspect people.model --json",
                            [&context, path]() -> Status {
                              DPFERMI_ASSIGN(const TrainedModel model, read_model(*path));
                              if (!context.json) {
                                Context::print(describe_card(model));
                                return {};
                              }
                              DPFERMI_ASSIGN(const std::string header, header_to_json(model));
                              Context::print(header + "\n");
                              return {};
                            });
  verb->add_option("model", *path, "The model file")->required()->type_name("MODEL");
}

}  // namespace dpfermi::cli
