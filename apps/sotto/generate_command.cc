#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "command.h"
#include "commands.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/data/streams/stream_kinds.h"

namespace sotto::app {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // written at a time
constexpr const char* kSameBytes =
    "\nThe same seed gives the same bytes on every machine.";

// Writes the rows, a piece at a time.
int Write(TextStream stream) {
  LineWriter out(STDOUT_FILENO);
  std::string rows = std::move(stream.header);
  for (std::uint64_t i = 0; i < stream.rows; ++i) {
    stream.append(rows);
    if (rows.size() < kPiece) continue;
    out.Text(rows);
    rows.clear();
    if (const Status written = out.Flush(); !written) {
      return out.closed() ? kDone : Report(written.error());
    }
  }
  out.Text(rows);
  const Status written = out.Flush();
  return written || out.closed() ? kDone : Report(written.error());
}

Command Kind(const StreamKindEntry& entry) {
  return {.name = entry.name,
          .help = entry.help,
          .footer = "Example: sotto generate " + entry.name + " " +
                    entry.example + kSameBytes,
          .options = entry.options,
          .call = [&entry](const Settings& settings) {
            auto stream = entry.open(settings);
            return stream ? Write(*std::move(stream)) : Report(stream.error());
          }};
}

}  // namespace

Command GenerateCommand() {
  Command command{
      .name = "generate",
      .help = "Generate a synthetic labelled stream",
      .footer = std::string("Example: sotto generate threshold --rounds "
                            "1e6 --seed 7 > stream.csv") +
                kSameBytes,
      .commands_are = "stream"};
  for (const StreamKindEntry& entry : StreamKinds()) {
    command.commands.push_back(Kind(entry));
  }
  return command;
}

}  // namespace sotto::app
