#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "dpfermi/random/key.h"

namespace dpfermi {
namespace {

using Generation = std::atomic<std::uint64_t>;

/// A page that the kernel gives to every child zeroed, however the child was made; null where it
/// does not offer that.
Generation* page_wiped_on_fork() {
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (madvise(page, size, MADV_WIPEONFORK) == 0) return new (page) Generation(0);
  munmap(page, size);
  return nullptr;
}

/// A number that no ancestor of this process had: what is in the page, or the process number.
std::uint64_t current_generation() {
  static Generation* const page = page_wiped_on_fork();
  static Generation used{0};
  if (page == nullptr) return static_cast<std::uint64_t>(getpid());
  std::uint64_t current = page->load(std::memory_order_acquire);
  if (current != 0) return current;
  const std::uint64_t fresh = used.fetch_add(1) + 1;
  return page->compare_exchange_strong(current, fresh) ? fresh : current;
}

}  // namespace

ForkGuard::ForkGuard() : generation_(current_generation()) {}

bool ForkGuard::in_same_process() const {
  return current_generation() == generation_;
}

}  // namespace dpfermi
