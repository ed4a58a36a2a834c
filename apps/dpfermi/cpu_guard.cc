// Stops the program with a readable line, before any other code of it runs, on a CPU that lacks the
// instructions it was compiled for. Compiled for the oldest x86-64; uses nothing but write(2).

#if defined(__x86_64__)

#include <unistd.h>

#include <cstring>

namespace {

bool cpu_is_sufficient() {
  __builtin_cpu_init();
  if (std::strcmp(DPFERMI_ARCH, "x86-64-v3") == 0) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma");
  }
  if (std::strcmp(DPFERMI_ARCH, "x86-64-v4") == 0) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
  }
  return true;
}

// 101 is the earliest priority open to programs: static initialisers of other files may already
// contain vector instructions.
__attribute__((constructor(101))) void refuse_insufficient_cpu() {
  if (cpu_is_sufficient()) return;
  constexpr char kMessage[] =
      "dpfermi: this CPU lacks instructions of " DPFERMI_ARCH
      " that the program was built for; rebuild with cmake -DDPFERMI_ARCH=x86-64\n";
  if (::write(STDERR_FILENO, kMessage, sizeof kMessage - 1) < 0) ::_exit(2);
  ::_exit(1);
}

}  // namespace

#endif
