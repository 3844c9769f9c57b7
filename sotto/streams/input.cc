#include "sotto/streams/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sotto/streams/byte_source.h"

namespace sotto {

Result<std::unique_ptr<LineReader>> OpenLines(const std::string& path,
                                              InputParams params) {
  const bool standard = path == "-";
  const int fd =
      standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return InvalidArgument("cannot open " + path + ": " + std::strerror(errno));
  }
  return std::make_unique<LineReader>(
      Unpacked(FileBytes(fd, !standard)), std::move(params.before_waiting),
      params.stop, params.max_line, LineReader::LongLines::kCut);
}

std::string InputName(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

}  // namespace sotto
