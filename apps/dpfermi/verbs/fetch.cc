#include "verbs/fetch.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>

#include "core/file.h"
#include "data/byte_source.h"
#include "data/checksum.h"
#include "data/zip_archive.h"
#include "progress.h"

namespace dpfermi::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kAttempts = 4;

/// One running transfer into a ".part" file.
struct Transfer {
  std::FILE* file;
  Progress* progress;
  curl_off_t resumed_at;
};

std::size_t write_bytes(char* data, std::size_t size, std::size_t count, void* user) {
  const auto& transfer = *static_cast<Transfer*>(user);
  return std::fwrite(data, size, count, transfer.file) * size;
}

int show_progress(void* user, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
  const auto& transfer = *static_cast<Transfer*>(user);
  const auto before = static_cast<double>(transfer.resumed_at);
  transfer.progress->update(before + static_cast<double>(done),
                            total > 0 ? before + static_cast<double>(total) : 0);
  return 0;
}

enum class Attempt { kDone, kInterrupted, kRestart };

Result<Attempt> try_download(const std::string& address, const fs::path& part, Progress& progress) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                 &curl_easy_cleanup);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(part.c_str(), "ab"),
                                                             &std::fclose);
  if (curl == nullptr || file == nullptr) {
    return failed(fmt::format("cannot write {}; choose another --data-dir", part.string()));
  }
  std::error_code ignored;
  const auto have = fs::file_size(part, ignored);
  Transfer transfer{file.get(), &progress, static_cast<curl_off_t>(have)};
  curl_easy_setopt(curl.get(), CURLOPT_URL, address.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, 20L);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, 60L);
  curl_easy_setopt(curl.get(), CURLOPT_RESUME_FROM_LARGE, transfer.resumed_at);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, write_bytes);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl.get(), CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl.get(), CURLOPT_XFERINFOFUNCTION, show_progress);
  curl_easy_setopt(curl.get(), CURLOPT_XFERINFODATA, &transfer);
  const CURLcode outcome = curl_easy_perform(curl.get());
  long code = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &code);
  // What was kept of an earlier attempt does not fit: libcurl calls 416 a success.
  constexpr long kRangeNotSatisfiable = 416;
  if (outcome == CURLE_RANGE_ERROR || (code == kRangeNotSatisfiable && have > 0)) {
    return Attempt::kRestart;
  }
  if (outcome == CURLE_OK) return Attempt::kDone;
  if (outcome == CURLE_PARTIAL_FILE || outcome == CURLE_RECV_ERROR ||
      outcome == CURLE_GOT_NOTHING) {
    return Attempt::kInterrupted;
  }
  if (outcome == CURLE_HTTP_RETURNED_ERROR) {
    return failed(
        fmt::format("{}: the server answered {}; try later, or another --mirror", address, code));
  }
  return failed(fmt::format("{}: {}; check the network, or use --mirror", address,
                            curl_easy_strerror(outcome)));
}

/// Leaves the whole of `address` in `part`. What an interrupted attempt brought is kept, here and
/// for the next call.
Status download(const std::string& address, const fs::path& part, const Context& context) {
  context.note(fmt::format("fetching {}", address));
  Progress progress(context, part.stem().string());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    DPFERMI_ASSIGN(const Attempt outcome, try_download(address, part, progress));
    if (outcome == Attempt::kDone) return {};
    if (outcome == Attempt::kRestart) fs::remove(part);
  }
  return failed(
      fmt::format("{}: the connection was cut {} times; run the command again to go on "
                  "where it stopped",
                  address, kAttempts));
}

std::string address_of(const DatasetFile& file, const std::string& mirror) {
  const std::string& address = file.archive.empty() ? file.url : file.archive;
  if (mirror.empty() || address.empty()) {
    return mirror.empty() ? address : fmt::format("{}/{}", mirror, file.name);
  }
  return fmt::format("{}/{}", mirror, address.substr(address.rfind('/') + 1));
}

Status unpack_gzip(const fs::path& archive, const fs::path& target) {
  DPFERMI_ASSIGN(auto source, open_source(archive.string()));
  return write_file_atomically(target, [&](std::ostream& out) -> Status {
    std::vector<char> block(1 << 16);
    while (true) {
      DPFERMI_ASSIGN(const std::size_t got, source->read(block));
      if (got == 0) return {};
      out.write(block.data(), static_cast<std::streamsize>(got));
    }
  });
}

Status unpack(const DatasetFile& file, const std::string& address, const fs::path& archive,
              const fs::path& target) {
  if (address.ends_with(".gz")) return unpack_gzip(archive, target);
  DPFERMI_ASSIGN(const ZipArchive zip, ZipArchive::open(archive));
  DPFERMI_ASSIGN(const std::string contents, zip.read(file.member));
  return write_file_atomically(target, contents);
}

Status check_and_keep(const DatasetFile& file, const fs::path& fresh, const fs::path& target) {
  DPFERMI_ASSIGN(const std::string actual, sha256_of_file(fresh));
  if (actual != file.sha256) {
    fs::remove(fresh);
    return failed(fmt::format("{}: its sha256 is {}, not {}; it was not kept", file.name, actual,
                              file.sha256));
  }
  std::error_code error;
  fs::rename(fresh, target, error);
  if (error) return failed(fmt::format("cannot write {}: {}", target.string(), error.message()));
  return {};
}

Status fetch_file(const DatasetDescriptor& dataset, const DatasetFile& file, const fs::path& folder,
                  const std::string& mirror, const Context& context,
                  std::map<std::string, fs::path>& archives) {
  const fs::path target = folder / file.name;
  if (fs::exists(target)) {
    DPFERMI_ASSIGN(const std::string actual, sha256_of_file(target));
    if (actual == file.sha256) {
      context.note(fmt::format("{}: already there", target.string()));
      return {};
    }
    return failed(fmt::format("{}: exists, but its sha256 is {}, not {}; move it away first",
                              target.string(), actual, file.sha256));
  }
  const std::string address = address_of(file, mirror);
  if (address.empty()) {
    return failed(
        fmt::format("{} of data set '{}' has no direct address: get it from {} and save it "
                    "as {} (sha256 {})",
                    file.name, dataset.name, dataset.homepage, target.string(), file.sha256));
  }
  const fs::path part = folder / (address.substr(address.rfind('/') + 1) + ".part");
  if (file.archive.empty()) {
    DPFERMI_TRY(download(address, part, context));
    return check_and_keep(file, part, target);
  }
  if (!archives.contains(address)) {
    DPFERMI_TRY(download(address, part, context));
    archives[address] = part;
  }
  const fs::path fresh = folder / (file.name + ".unpacked");
  if (const Status unpacked = unpack(file, address, part, fresh); !unpacked) {
    fs::remove(part);  // damaged: resuming it would never help
    return unpacked;
  }
  return check_and_keep(file, fresh, target);
}

}  // namespace

Status fetch_dataset(const DatasetDescriptor& dataset, const fs::path& folder,
                     const std::string& mirror, const Context& context) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return failed(fmt::format("cannot create {}: {}; choose another --data-dir", folder.string(),
                              error.message()));
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  std::map<std::string, fs::path> archives;
  Status status;
  for (const DatasetFile& file : dataset.files) {
    status = fetch_file(dataset, file, folder, mirror, context, archives);
    if (!status) break;
  }
  for (const auto& [address, part] : archives) fs::remove(part, error);
  curl_global_cleanup();
  return status;
}

}  // namespace dpfermi::cli
