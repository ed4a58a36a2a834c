#include "core/processes.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/shared_library.h"
#include "core/team_component.h"

namespace dpfermi {
namespace fs = std::filesystem;
namespace {

/// What starts several processes, and what it sets in their environments.
struct Launcher {
  const char* rank;
  const char* size;
  const char* implementation;
};
constexpr std::array kLaunchers = {
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi"},
    Launcher{"PMI_RANK", "PMI_SIZE", "mpich"},
    // srun without an MPI of its own: whose it would be cannot be told.
    Launcher{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", ""}};

/// A variable of the environment; empty: it is not set.
std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

/// Beside the program, or where it was installed.
std::vector<std::string> places_of(const std::string& file) {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  return {(folder / file).string(), (folder / "../lib/dpfermi" / file).string(),
          (folder / "../" DPFERMI_LIBDIR "/dpfermi" / file).string()};
}

class MpiLines final : public TeamLines {
 public:
  static Result<std::unique_ptr<MpiLines>> open(const std::string& implementation) {
    const std::string file = fmt::format("dpfermi-mpi-{}.so", implementation);
    const auto library = SharedLibrary::open(places_of(file));
    if (!library) {
      return failed(
          fmt::format("several processes were started, and {} cannot be loaded ({}); build "
                      "dpfermi where {} is installed (docs/how-to/several-machines.md)",
                      file, library.error().message, implementation));
    }
    auto lines = std::make_unique<MpiLines>();
    decltype(dpfermi_mpi_start)* start = nullptr;
    DPFERMI_TRY(library->find("dpfermi_mpi_start", start));
    DPFERMI_TRY(library->find("dpfermi_mpi_end", lines->end_));
    DPFERMI_TRY(library->find("dpfermi_mpi_largest", lines->largest_));
    DPFERMI_TRY(library->find("dpfermi_mpi_add_up", lines->add_up_));
    DPFERMI_TRY(library->find("dpfermi_mpi_broadcast", lines->broadcast_));
    DPFERMI_TRY(library->find("dpfermi_mpi_gather", lines->gather_));
    start(&lines->rank_, &lines->size_);
    lines->started_ = true;
    return lines;
  }

  MpiLines() = default;
  MpiLines(const MpiLines&) = delete;
  MpiLines& operator=(const MpiLines&) = delete;
  MpiLines(MpiLines&&) = delete;
  MpiLines& operator=(MpiLines&&) = delete;
  ~MpiLines() override {
    if (started_) end_();
  }

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return size_; }
  void largest(std::span<std::int64_t> values) override { largest_(values.data(), values.size()); }
  void add_up(std::span<std::int64_t> values) override { add_up_(values.data(), values.size()); }
  void broadcast(unsigned from, std::span<std::byte> bytes) override {
    broadcast_(from, reinterpret_cast<unsigned char*>(bytes.data()), bytes.size());
  }
  void gather(std::span<double> values, std::span<const std::size_t> starts) override {
    gather_(values.data(), starts.data());
  }

 private:
  unsigned rank_ = 0;
  unsigned size_ = 1;
  bool started_ = false;
  decltype(dpfermi_mpi_end)* end_ = nullptr;
  decltype(dpfermi_mpi_largest)* largest_ = nullptr;
  decltype(dpfermi_mpi_add_up)* add_up_ = nullptr;
  decltype(dpfermi_mpi_broadcast)* broadcast_ = nullptr;
  decltype(dpfermi_mpi_gather)* gather_ = nullptr;
};

}  // namespace

std::optional<Launch> find_launch() {
  for (const Launcher& launcher : kLaunchers) {
    const std::string_view rank = variable(launcher.rank);
    const std::string_view size = variable(launcher.size);
    if (rank.empty() || size.empty()) continue;
    if (size == "1") return std::nullopt;
    return Launch{launcher.implementation, rank == "0"};
  }
  return std::nullopt;
}

Result<std::unique_ptr<JoinedTeam>> join_processes(const Launch& launch) {
  if (launch.implementation.empty()) {
    return failed(
        "srun started several processes, which would not know of each other; start them with "
        "mpirun (docs/how-to/several-machines.md), or one with srun -n 1");
  }
  DPFERMI_ASSIGN(auto lines, MpiLines::open(launch.implementation));
  return std::make_unique<JoinedTeam>(std::move(lines));
}

}  // namespace dpfermi
