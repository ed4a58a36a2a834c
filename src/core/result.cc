#include "dpfermi/core/result.h"

namespace dpfermi {

std::string Error::field() const {
  const std::size_t begin = message.find('`');
  if (begin == std::string::npos) return {};
  const std::size_t end = message.find('`', begin + 1);
  if (end == std::string::npos) return {};
  return message.substr(begin + 1, end - begin - 1);
}

}  // namespace dpfermi
