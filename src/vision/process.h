#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "vision/component_network.h"

namespace dpfermi::deep {

/// A child whose standard input and output are one socket, and whose standard error is kept for its
/// last words. Ends with the object: the child sees its input end, and is waited for.
class ComponentNetwork::Process {
 public:
  static Result<std::unique_ptr<Process>> start(const std::string& program,
                                                std::vector<std::string> words);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  template <class T>
  Status send(std::span<const T> values) {
    return send_bytes(values.data(), values.size_bytes());
  }
  template <class T>
  Status receive(std::span<T> values) {
    return receive_bytes(values.data(), values.size_bytes());
  }

  /// The head of an answer whose values have `bytes`, or the one line that came instead.
  Status expect(std::size_t bytes);

 private:
  Process(pid_t child, int line, int words) : child_(child), line_(line), words_(words) {}

  Status send_bytes(const void* from, std::size_t size);
  Status receive_bytes(void* to, std::size_t size);
  /// Waits for the child, which has hung up, and says why.
  tl::unexpected<Error> gone();

  pid_t child_;
  int line_;   ///< to the child, and from it
  int words_;  ///< a file in memory: what it wrote to standard error
};

}  // namespace dpfermi::deep
