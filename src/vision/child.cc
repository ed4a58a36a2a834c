#include "vision/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace dpfermi::deep {

Result<pid_t> start_child(const std::string& program, std::vector<std::string> words,
                          posix_spawn_file_actions_t& actions) {
  std::string name = program;
  std::vector<char*> arguments{name.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int wrong =
      ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (wrong != 0) return failed(program + ": cannot be started; check the file");
  return child;
}

int wait_for_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace dpfermi::deep
