#pragma once

/// Memory for large arrays that are read here and there: on pages of 2 MiB, where the system has
/// them, finding a row costs no walk through page tables.

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace dpfermi {

/// A standard allocator. Arrays below half a large page come from the heap as usual.
template <class T>
class HugePageAllocator {
 public:
  using value_type = T;
  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kPage / 2) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
    void* memory = std::aligned_alloc(kPage, whole);
    if (memory == nullptr) throw std::bad_alloc();
    // Advice: where it is not taken, pages are small and all is well.
    madvise(memory, whole, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }

  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kPage / 2) {
      ::operator delete(memory);
    } else {
      std::free(memory);
    }
  }

  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
};

}  // namespace dpfermi
