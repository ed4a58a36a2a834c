// The tool with a method and a notion that the library does not bring: their files and these lines.

#include "methods/register_method.h"

namespace dpfermi {
namespace methods {
extern const MethodDescriptor shrink;
}  // namespace methods
namespace notions {
extern const NotionDescriptor predictive_equality;
}  // namespace notions

namespace {

const bool registered = register_method(Method(methods::shrink)) &&
                        register_notion(FairnessNotion(notions::predictive_equality));

}  // namespace
}  // namespace dpfermi
