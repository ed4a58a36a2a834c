# cmake -DOUTPUT=file.cc -DINPUTS="a.json;b.json" -P embed_registry.cmake
# Writes the descriptors of the built-in data sets as string literals.
set(entries "")
foreach(input ${INPUTS})
  get_filename_component(name ${input} NAME)
  file(READ ${input} text)
  string(APPEND entries "    {\"${name}\", R\"json(${text})json\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"data/registry_texts.h\"

namespace dpfermi {
namespace {

constexpr RegistryText kTexts[] = {
${entries}};

}  // namespace

std::span<const RegistryText> registry_texts() { return kTexts; }

}  // namespace dpfermi
")
