# cmake -DOUTPUT=file.cc "-DINPUTS=a.json;b.json" -DHEADER=data/texts.h
#       -DFUNCTION=texts -P embed_texts.cmake
# Writes text files as string literals that FUNCTION, declared in HEADER, returns.
set(entries "")
foreach(input ${INPUTS})
  get_filename_component(name ${input} NAME_WE)
  file(READ ${input} text)
  string(APPEND entries "    {\"${name}\", R\"text(${text})text\"sv},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace dpfermi {
namespace {

// The length of a literal is known; that of a pointer would be counted, up to a limit.
using namespace std::string_view_literals;

constexpr EmbeddedText kTexts[] = {
${entries}};

}  // namespace

std::span<const EmbeddedText> ${FUNCTION}() { return kTexts; }

}  // namespace dpfermi
")
