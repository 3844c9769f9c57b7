#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "command.h"
#include "sotto/streams/generator.h"
#include "sotto/streams/line_io.h"

namespace sotto::app {
namespace {

struct GenerateFlags {
  std::string stream;
  std::uint64_t rounds = 0;
  std::string format = "csv";
  StreamGenerator::Params params;
};

constexpr std::size_t kPiece = std::size_t{1} << 16;  // written at a time

int RunGenerate(GenerateFlags& flags) {
  const auto kind = StreamNamed(flags.stream);
  const auto format = FormatNamed(flags.format);
  if (!kind) {
    return Report(InvalidArgument(
        "no stream " + Quote(flags.stream) +
        "; there are threshold, point, rectangle, stump, halfspace, "
        "decision-list"));
  }
  if (!format) {
    return Report(InvalidArgument("no format " + Quote(flags.format) +
                                  "; there are csv, libsvm, vw, jsonl"));
  }
  flags.params.kind = *kind;
  auto stream = StreamGenerator::Create(flags.params);
  if (!stream) return Report(stream.error());
  if (!stream->CanWrite(*format)) {
    return Report(
        InvalidArgument("--nonzeros needs --format vw or --format libsvm"));
  }
  LineWriter out(STDOUT_FILENO);
  std::string rows = stream->Header(*format);
  for (std::uint64_t i = 0; i < flags.rounds; ++i) {
    stream->AppendRow(*format, rows);
    if (rows.size() < kPiece) continue;
    out.Text(rows);
    rows.clear();
    if (const Status written = out.Flush(); !written) {
      return Report(written.error());
    }
  }
  out.Text(rows);
  const Status written = out.Flush();
  return written ? kDone : Report(written.error());
}

}  // namespace

void AddGenerateCommand(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<GenerateFlags>();
  StreamGenerator::Params& params = flags->params;
  CLI::App* command = app.add_subcommand(
      "generate", "A synthetic labelled stream on standard output.");
  command->footer(
      "Example: sotto generate threshold --rounds 1e6 --seed 7 > stream.csv\n"
      "The same seed gives the same bytes on every machine.");
  command
      ->add_option("stream", flags->stream,
                   "threshold, point, rectangle, stump, halfspace or "
                   "decision-list")
      ->required();
  AllowScientific(
      *command->add_option("--rounds", flags->rounds, "How many rows")
           ->required());
  AllowScientific(*command->add_option("--seed", params.seed,
                                       "Which stream of this kind [1]"));
  AllowScientific(*command->add_option(
      "--features", params.features,
      "Columns [2 for rectangle; 10 for stump, halfspace, decision-list]"));
  command->add_option("--margin", params.margin,
                      "halfspace: least |<w, x>|, |w| = 1 in the 1-norm [0.2]");
  command->add_option("--noise", params.noise, "Share of labels flipped [0]");
  command->add_option("--poison", params.poison,
                      "Share of rows replaced by adversarial ones [0]");
  AllowScientific(*command->add_option(
      "--drift", params.drift, "A new target every so many rows [never]"));
  AllowScientific(*command->add_option(
      "--length", params.length,
      "Rules of a decision list, relevant features of a halfspace [5]"));
  AllowScientific(*command->add_option(
      "--nonzeros", params.nonzeros,
      "halfspace: features that are not 0 in each row [all]"));
  command->add_option("--format", flags->format,
                      "csv, libsvm, vw or jsonl [csv]");
  command->callback([flags, &exit_code] { exit_code = RunGenerate(*flags); });
}

}  // namespace sotto::app
