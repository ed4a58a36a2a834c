// Without the C++ interfaces of old: they need a library of their own.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "core/team_component.h"

namespace {

/// Counts of MPI are ints: longer messages go in pieces.
constexpr std::size_t kPiece = std::size_t{1} << 28;

/// Calls send(start, count) for the pieces of a message.
template <class Send>
void in_pieces(std::size_t count, const Send& send) {
  for (std::size_t start = 0; start < count; start += kPiece) {
    send(start, static_cast<int>(std::min(kPiece, count - start)));
  }
}

}  // namespace

void dpfermi_mpi_start(unsigned* rank, unsigned* size) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  int own = 0;
  int all = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  *rank = static_cast<unsigned>(own);
  *size = static_cast<unsigned>(all);
}

void dpfermi_mpi_end() {
  MPI_Finalize();
}

void dpfermi_mpi_largest(std::int64_t* values, std::size_t count) {
  in_pieces(count, [&](std::size_t start, int piece) {
    MPI_Allreduce(MPI_IN_PLACE, values + start, piece, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  });
}

void dpfermi_mpi_add_up(std::int64_t* values, std::size_t count) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  in_pieces(count, [&](std::size_t start, int piece) {
    std::int64_t* const own = values + start;
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : own, rank == 0 ? own : nullptr, piece, MPI_INT64_T,
               MPI_SUM, 0, MPI_COMM_WORLD);
  });
}

void dpfermi_mpi_broadcast(unsigned from, unsigned char* bytes, std::size_t count) {
  in_pieces(count, [&](std::size_t start, int piece) {
    MPI_Bcast(bytes + start, piece, MPI_BYTE, static_cast<int>(from), MPI_COMM_WORLD);
  });
}

void dpfermi_mpi_gather(double* values, const std::size_t* starts) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (starts[size] > kPiece) {
    for (int r = 0; r < size; ++r) {
      const std::size_t count = (starts[r + 1] - starts[r]) * sizeof(double);
      dpfermi_mpi_broadcast(static_cast<unsigned>(r),
                            reinterpret_cast<unsigned char*>(values + starts[r]), count);
    }
    return;
  }
  std::vector<int> counts;
  std::vector<int> offsets;
  for (int r = 0; r < size; ++r) {
    counts.push_back(static_cast<int>(starts[r + 1] - starts[r]));
    offsets.push_back(static_cast<int>(starts[r]));
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, counts.data(), offsets.data(),
                 MPI_DOUBLE, MPI_COMM_WORLD);
}
