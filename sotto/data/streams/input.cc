#include "sotto/data/streams/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sotto/data/streams/byte_source.h"

namespace sotto {

Result<std::unique_ptr<LineReader>> OpenLines(const std::string& path,
                                              InputParams params) {
  const bool standard = path == "-";
  const int fd =
      standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return InvalidArgument("cannot open " + path + ": " + std::strerror(errno));
  }
  auto bytes = FileBytes(fd, !standard);
  if (params.unpack) bytes = Unpacked(std::move(bytes));
  return std::make_unique<LineReader>(
      std::move(bytes), std::move(params.before_waiting), params.stop,
      params.max_line, LineReader::LongLines::kCut);
}

bool NamedGzip(std::string_view path) { return path.ends_with(".gz"); }

std::string InputName(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

}  // namespace sotto
