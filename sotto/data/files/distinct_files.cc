#include "sotto/data/files/distinct_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

namespace sotto {
namespace {

struct Place {
  const NamedFile* file;
  bool input = false;
  std::string path;                 // without links and dots
  std::optional<struct stat> info;  // if it is there
};

std::string Canonical(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(
      std::filesystem::absolute(path, error), error);
  return error ? path : whole.string();
}

Place FindPlace(const NamedFile& file, bool input) {
  Place place{&file, input, {}, {}};
  struct stat info {};
  if (file.path == "-") {
    const int fd = input ? STDIN_FILENO : STDOUT_FILENO;
    if (::fstat(fd, &info) == 0) place.info = info;
    return place;
  }
  place.path = Canonical(file.path);
  if (::stat(file.path.c_str(), &info) == 0) place.info = info;
  return place;
}

bool IsRegular(const Place& place) {
  return !place.info || S_ISREG(place.info->st_mode);
}

bool IsSame(const Place& a, const Place& b) {
  if (!IsRegular(a) || !IsRegular(b)) return false;
  if (!a.path.empty() && a.path == b.path) return true;
  return a.info && b.info && a.info->st_dev == b.info->st_dev &&
         a.info->st_ino == b.info->st_ino;
}

std::string Said(const NamedFile& file) {
  return file.path == "-" ? file.flag : file.flag + " " + file.path;
}

}  // namespace

Status CheckDistinct(std::span<const NamedFile> inputs,
                     std::span<const NamedFile> outputs) {
  std::vector<Place> places;
  for (const NamedFile& file : inputs) {
    if (!file.path.empty()) places.push_back(FindPlace(file, /*input=*/true));
  }
  for (const NamedFile& file : outputs) {
    if (file.path.empty()) continue;
    const Place place = FindPlace(file, /*input=*/false);
    for (const Place& other : places) {
      if (file.state && other.file->state && other.input) continue;
      if (!IsSame(place, other)) continue;
      return InvalidArgument(
          Said(file) + " is the same file as " + Said(*other.file) +
          (other.input ? ": it would be replaced while it is read"
                       : ": each needs a file of its own"));
    }
    places.push_back(place);
  }
  return Ok();
}

}  // namespace sotto
