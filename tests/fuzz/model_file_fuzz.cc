// Any bytes are a model or an error, never a crash; of a model the card and the schema can be had.

#include "artifact/model_card.h"
#include "artifact/model_file.h"
#include "sealed_file.h"

namespace {

void use_model(const dpfermi::TrainedModel& model) {
  if (dpfermi::describe_card(model).empty()) std::abort();
  static_cast<void>(dpfermi::prediction_schema(model));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dpfermi::fuzz::check_input("model", data, size, dpfermi::decode_model, dpfermi::encode_model,
                             use_model);
  return 0;
}
