// SPDX-License-Identifier: Apache-2.0
#include "hw/base/file.hpp"

#include "hw/base/error.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace vernier::base {
namespace {

using Catch::Matchers::Contains;

ptrdiff_t num_entries(const std::filesystem::path& directory) {
  return std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator());
}

TEST_CASE("file: what is written reads back, also empty, large and over an older file") {
  const tests::TemporaryDirectory directory;
  const std::string large(300000, 'x');
  for (const std::string& text : {std::string("two\nlines\n"), std::string(), large, std::string("\0\n", 2)}) {
    write_text_file(directory / "f", text);
    CHECK(read_text_file(directory / "f") == text);
  }
  CHECK(num_entries(directory.path()) == 1);
}

TEST_CASE("file: errors name the file and the reason, and leave nothing behind") {
  const tests::TemporaryDirectory directory;
  CHECK_THROWS_WITH(read_file(directory / "none"), (directory / "none").string() + ": no such file");
  CHECK_THROWS_WITH(read_file(""), "'': no such file");
  CHECK_THROWS_WITH(read_file(directory.path()), directory.path().string() + ": is a directory, expected a file");
  CHECK_THROWS_WITH(write_text_file(directory.path(), "x"), Contains("is a directory, expected a file name to write"));
  CHECK_THROWS_WITH(write_text_file(directory.path() / "no" / "f", "x"),
                    Contains("f: cannot be written: No such file or directory"));
  CHECK_THROWS_WITH(write_text_file(directory / std::string(5000, 'a'), "x"), Contains("longer than 4096 bytes"));
  CHECK_THROWS_WITH(write_text_file(directory / std::string(300, 'a'), "x"),
                    Contains("cannot be written: File name too long"));
  CHECK(num_entries(directory.path()) == 0);
}

TEST_CASE("file: a failed write leaves the older file as it was") {
  const tests::TemporaryDirectory directory;
  // The name just fits, and with the suffix of the temporary file beside it no longer: fails also for the superuser.
  const auto path = directory / std::string(254, 'n');
  std::ofstream(path) << "old";
  CHECK_THROWS_WITH(write_text_file(path, "new"), Contains("cannot be written: File name too long"));
  CHECK(read_text_file(path) == "old");
  CHECK(num_entries(directory.path()) == 1);
}

TEST_CASE("file: one file by any path or link") {
  const tests::TemporaryDirectory directory;
  const auto path = [&](const char* name) { return directory / name; };
  std::ofstream(path("a")) << "a";
  std::ofstream(path("b")) << "a";
  std::filesystem::create_directory(path("sub"));
  std::filesystem::create_symlink("a", path("soft"));
  std::filesystem::create_symlink("../a", path("sub/soft"));
  std::filesystem::create_hard_link(path("a"), path("hard"));
  for (const char* same : {"a", "./a", "sub/../a", "soft", "sub/soft", "hard"}) {
    INFO(same);
    CHECK(is_same_file(path(same), path("a")));
    CHECK(is_same_file(path("a"), path(same)));
    CHECK_FALSE(is_same_file(path(same), path("b")));
    CHECK_FALSE(is_same_file(path(same), path("new")));
  }
  std::filesystem::create_symlink("new", path("dangling"));
  std::filesystem::create_symlink("sub", path("folder"));
  CHECK(is_same_file(path("new"), path("sub/../new")));
  CHECK(is_same_file(path("dangling"), path("new")));
  CHECK(is_same_file(path("folder/new"), path("sub/new")));
  CHECK_FALSE(is_same_file(path("new"), path("newer")));
  CHECK_FALSE(is_same_file(path("sub/new"), path("new")));
  CHECK_FALSE(is_same_file("/dev/null", "/dev/null"));
}

TEST_CASE("file: a pipe is written to and stays one") {
  const tests::TemporaryDirectory directory;
  const auto pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  REQUIRE(reader >= 0);
  write_text_file(pipe, "through");
  std::array<char, 16> text{};
  CHECK(::read(reader, text.data(), text.size()) == 7);
  CHECK(std::string(text.data()) == "through");
  ::close(reader);
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(num_entries(directory.path()) == 1);
}

TEST_CASE("file: a symbolic link stays one, also to a file that is not there yet") {
  const tests::TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "far");
  std::filesystem::create_symlink("far/f", directory / "link");
  for (const std::string& text : {std::string("first"), std::string("second")}) {
    write_text_file(directory / "link", text);
    CHECK(std::filesystem::is_symlink(directory / "link"));
    CHECK(read_text_file(directory.path() / "far" / "f") == text);
  }
  CHECK(num_entries(directory.path()) == 2);
}

TEST_CASE("file: a device without end is refused") {
  CHECK_THROWS_WITH(read_file("/dev/zero"), "/dev/zero: is a device, expected a file");
}

TEST_CASE("file: nothing is unfinished after a write") {
  const tests::TemporaryDirectory directory;
  write_text_file(directory / "f", "kept");
  remove_unfinished_files();
  CHECK(read_text_file(directory / "f") == "kept");
}

TEST_CASE("file: a set appears as a whole, with its directories") {
  const tests::TemporaryDirectory directory;
  FileSet files;
  files.make_directory(directory.path() / "a" / "b");
  files.add_text(directory.path() / "a" / "b" / "one", "1");
  files.add_text(directory / "two", "2");
  files.add_text(directory.path() / "a" / ".." / "two", "twice");
  CHECK_FALSE(std::filesystem::exists(directory / "two"));
  files.commit();
  CHECK(read_text_file(directory.path() / "a" / "b" / "one") == "1");
  CHECK(read_text_file(directory / "two") == "twice");
  CHECK(num_entries(directory.path()) == 2);
  CHECK(num_entries(directory.path() / "a" / "b") == 1);
}

TEST_CASE("file: a set that fails or is interrupted leaves nothing, and what was there before") {
  const tests::TemporaryDirectory directory;
  write_text_file(directory / "old", "old");
  {
    FileSet files;
    files.make_directory(directory.path() / "a" / "b");
    files.add_text(directory / "old", "new");
    files.add_text(directory.path() / "a" / "b" / "f", "new");
    CHECK_THROWS_WITH(files.add_text(directory.path() / "no" / "f", "x"), Contains("No such file or directory"));
    CHECK_THROWS_WITH(files.make_directory(directory.path() / "old" / "x"), Contains("cannot be made: Not a directory"));
  }
  CHECK(read_text_file(directory / "old") == "old");
  CHECK(num_entries(directory.path()) == 1);
  FileSet files;
  files.add_text(directory / "one", "1");
  files.add_text(directory / "two", "2");
  CHECK(num_entries(directory.path()) == 3);
  remove_unfinished_files();
  CHECK(num_entries(directory.path()) == 1);
}

TEST_CASE("file: a device that takes nothing is found before a file of the set is replaced") {
  const tests::TemporaryDirectory directory;
  write_text_file(directory / "old", "old");
  std::filesystem::create_symlink("/dev/full", directory / "full");
  FileSet files;
  files.add_text(directory / "old", "new");
  files.add_text(directory / "full", "x");
  CHECK_THROWS_WITH(files.commit(), Contains("full: cannot be written: No space left on device"));
  CHECK(read_text_file(directory / "old") == "old");
}

TEST_CASE("file: a file larger than any that is taken is refused before it is read") {
  const tests::TemporaryDirectory directory;
  write_text_file(directory / "f", "");
  std::filesystem::resize_file(directory / "f", uintmax_t{1} << 40U);
  CHECK_THROWS_WITH(read_file(directory / "f"), Contains("has more than 2147483647 bytes"));
}

TEST_CASE("file: safe names") {
  CHECK(safe_file_name("Tensor_0.x-1") == "Tensor_0.x-1");
  CHECK(safe_file_name("a/b c:0;d") == "a_b_c_0_d");
  CHECK(safe_file_name("../../etc") == "_.._etc");
  CHECK(safe_file_name("...") == "_");
  CHECK(safe_file_name("") == "_");
  CHECK(safe_file_name(std::string(300, 'x')) == std::string(200, 'x'));
  CHECK(safe_file_name("\xC3\xA9") == "__");
}

}  // namespace
}  // namespace vernier::base
