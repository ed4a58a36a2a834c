#include "core/file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "temp_folder.h"

namespace dpfermi {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  test::TempFolder folder_;
};

TEST_F(AtomicFile, ReplacesContentsAndKeepsPermissions) {
  const fs::path path = folder_ / "a";
  ASSERT_TRUE(write_file_atomically(path, "old"));
  ::chmod(path.c_str(), 0640);
  ASSERT_TRUE(write_file_atomically(path, "new"));
  EXPECT_EQ(read_text_file(path).value(), "new");
  struct stat status {};
  ::stat(path.c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFile, FollowsLinks) {
  ASSERT_TRUE(write_file_atomically(folder_ / "target", "old"));
  fs::create_symlink("target", folder_ / "link");
  ASSERT_TRUE(write_file_atomically(folder_ / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_text_file(folder_ / "target").value(), "new");
}

TEST_F(AtomicFile, WritesToPipesInsteadOfReplacingThem) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { std::ifstream(pipe) >> read; });
  EXPECT_TRUE(write_file_atomically(pipe, "through"));
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(AtomicFile, LeavesNothingOfAFailure) {
  const Status status = write_file_atomically(folder_ / "a", [](std::ostream& out) -> Status {
    out << "half";
    return failed("no more");
  });
  EXPECT_EQ(status.error().message, "cannot write " + (folder_ / "a").string() + ": no more");
  EXPECT_EQ(files(), 0U);
  EXPECT_FALSE(write_file_atomically(folder_ / "absent" / "a", "x"));
}

TEST_F(AtomicFile, LeavesNothingWhenKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(write_file_atomically(folder_ / "a", [](std::ostream& out) -> Status {
      out << std::string(1 << 20, 'x') << std::flush;
      ::kill(::getpid(), SIGKILL);
      return {};
    }));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace dpfermi
