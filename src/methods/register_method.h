#pragma once

#include "dpfermi/methods/registry.h"

namespace dpfermi {

/// Adds a method to the list, for programs of this tree that bring one. (The installed package has
/// no headers to write a method with.) Refuses a name that is taken, and a descriptor that cannot
/// be trained.
Status register_method(Method method);

}  // namespace dpfermi
