#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace sotto::testing {

// A temporary folder, made in 'parent' and removed by the destructor.
//
//   testing::ScratchFolder folder;
//   folder.Write("data.csv", "x,y\n");
//   Load(folder.path("data.csv"));
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::filesystem::path& parent =
                             std::filesystem::temp_directory_path()) {
    std::string pattern = (parent / "sotto-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~ScratchFolder() { std::filesystem::remove_all(folder_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(std::string_view name = "") const {
    return (folder_ / name).string();
  }
  std::string Read(std::string_view name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Write(std::string_view name, std::string_view bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // The number of files, including hidden ones.
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace sotto::testing
