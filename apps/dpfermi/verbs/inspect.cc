// dpfermi inspect: the card of a model.

#include <fmt/format.h>

#include <memory>

#include "artifact/model_card.h"
#include "artifact/model_file.h"
#include "artifact/sketch_file.h"
#include "cli.h"

namespace dpfermi::cli {
namespace {

struct InspectFlags {
  std::string path;
  bool digest = false;
};

/// The card, or for machines the header.
template <class Artifact>
Status print_card(const Context& context, const Artifact& artifact) {
  if (!context.json) {
    Context::print(describe_card(artifact));
    return {};
  }
  DPFERMI_ASSIGN(const std::string header, header_to_json(artifact));
  Context::print(header + "\n");
  return {};
}

Status print_digest(const Context& context, const TrainedModel& model) {
  DPFERMI_ASSIGN(const std::string digest, model_digest(model));
  Context::print(context.json ? fmt::format("{{\"digest\": \"{}\"}}\n", digest) : digest + "\n");
  return {};
}

Status inspect(const Context& context, const InspectFlags& flags) {
  if (!flags.digest && looks_like_sketch(flags.path)) {
    DPFERMI_ASSIGN(const StoredSketch stored, read_sketch(flags.path));
    return print_card(context, stored);
  }
  DPFERMI_ASSIGN(const TrainedModel model, read_model(flags.path));
  return flags.digest ? print_digest(context, model) : print_card(context, model);
}

}  // namespace

void add_inspect(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<InspectFlags>();
  CLI::App* verb =
      add_verb(app, context, "inspect",
               "Print the card of a model or a sketch: what it is and what it promises",
               "  dpfermi inspect people.model\n  dpfermi inspect people.model --json\n"
               "  dpfermi inspect --digest people.model",
               [&context, flags] { return inspect(context, *flags); });
  verb->add_option("model", flags->path, "The model or sketch file")
      ->required()
      ->type_name("MODEL");
  verb->add_flag("--digest", flags->digest,
                 "Print only a SHA-256 of what the model computes and promises; the same model has "
                 "the same digest whenever and by whichever version it was trained");
}

}  // namespace dpfermi::cli
