#pragma once

/// What the component for MPI (src/mpi) offers, under names of C: core/processes.cc loads it when
/// several processes were started together. One shared library for each implementation of MPI;
/// nothing else of dpfermi knows MPI. Messages of any size; a failure ends all processes, as MPI
/// does.

#include <cstddef>
#include <cstdint>

extern "C" {

/// Begins. Before every other function, once.
void dpfermi_mpi_start(unsigned* rank, unsigned* size);
/// Ends. After every other function, once; all processes wait for each other.
void dpfermi_mpi_end();
/// Every process gets the largest values.
void dpfermi_mpi_largest(std::int64_t* values, std::size_t count);
/// Process 0 gets the sums.
void dpfermi_mpi_add_up(std::int64_t* values, std::size_t count);
/// Every process gets the bytes of process `from`.
void dpfermi_mpi_broadcast(unsigned from, unsigned char* bytes, std::size_t count);
/// Process r has made values[starts[r]], ..., values[starts[r + 1] - 1]; every process gets all.
void dpfermi_mpi_gather(double* values, const std::size_t* starts);
}
