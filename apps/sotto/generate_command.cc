#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "command.h"
#include "commands.h"
#include "sotto/data/streams/generator.h"
#include "sotto/data/streams/life_stream.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/data/streams/schema.h"

namespace sotto::app {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // written at a time
constexpr double kMaxColumns = std::numeric_limits<std::uint32_t>::max();

const OptionTable& StreamOfAnyKind() {
  static const OptionTable kTable = {
      {.name = "rounds",
       .type = OptionType::kWhole,
       .help = "Number of rows.",
       .required = true},
      {.name = "seed",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help =
           "Choose a stream of this kind. The same seed gives the same rows."},
      {.name = "noise",
       .type = OptionType::kReal,
       .fallback = "0",
       .help = "Fraction of labels to flip.",
       .high = 1},
      {.name = "poison",
       .type = OptionType::kReal,
       .fallback = "0",
       .help = "Fraction of adversarial rows; adds a column 'honest'.",
       .high = 1},
      {.name = "poison-kind",
       .fallback = "mislead",
       .help = "Kind of adversarial rows: near the boundary, ever closer, one "
               "row repeated, far away, or all.",
       .words = {"mislead", "probe", "duplicate", "flood", "mixed"}},
      {.name = "drift",
       .type = OptionType::kWhole,
       .help = "Draw a new target every N rows. Default: never."},
      {.name = "format",
       .fallback = "csv",
       .help = "Output format.",
       .words = {"csv", "libsvm", "vw", "jsonl"}}};
  return kTable;
}

Option Features(std::string_view fallback) {
  return {.name = "features",
          .type = OptionType::kWhole,
          .fallback = fallback,
          .help = "Number of columns.",
          .low = 1,
          .high = kMaxColumns};
}

Option Length(std::string_view help) {
  return {.name = "length",
          .type = OptionType::kWhole,
          .fallback = "5",
          .help = help,
          .low = 1,
          .high = kMaxColumns};
}

OptionTable HalfspaceOptions() {
  return {Features("10"),
          Length("how many features are relevant"),
          {.name = "margin",
           .type = OptionType::kReal,
           .fallback = "0.2",
           .help = "Minimum of |<w, x>|, where |w| = 1 in the 1-norm.",
           .high = 1,
           .above = true},
          {.name = "nonzeros",
           .type = OptionType::kWhole,
           .help = "Number of non-zero features per row. Default: all.",
           .high = kMaxColumns}};
}

std::uint32_t Columns(const Settings& settings, std::string_view name) {
  return static_cast<std::uint32_t>(settings.GetInt(name));
}

StreamGenerator::Params MakeParams(StreamKind kind, const Settings& settings) {
  StreamGenerator::Params params{
      .kind = kind,
      .seed = settings.GetInt("seed"),
      .noise = settings.GetDouble("noise"),
      .poison = settings.GetDouble("poison"),
      .poison_kind = *PoisonNamed(settings.Text("poison-kind")),
      .drift = settings.GetInt("drift")};
  if (settings.Has("features")) params.features = Columns(settings, "features");
  if (settings.Has("margin")) params.margin = settings.GetDouble("margin");
  if (settings.Has("length")) params.length = Columns(settings, "length");
  if (settings.Has("nonzeros")) params.nonzeros = Columns(settings, "nonzeros");
  return params;
}

// Writes rows as `append` makes them, a piece at a time.
template <typename Append>
int WriteRows(std::uint64_t count, std::string rows, Append append) {
  LineWriter out(STDOUT_FILENO);
  for (std::uint64_t i = 0; i < count; ++i) {
    append(rows);
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

int Generate(StreamKind kind, const Settings& settings) {
  const StreamFormat format = *FormatNamed(settings.Text("format"));
  auto stream = StreamGenerator::Create(MakeParams(kind, settings));
  if (!stream) return Report(stream.error());
  if (!stream->CanWrite(format)) {
    return Report(
        InvalidArgument("--nonzeros needs --format vw or --format libsvm"));
  }
  return WriteRows(settings.GetInt("rounds"), stream->Header(format),
                   [&](std::string& rows) { stream->AppendRow(format, rows); });
}

const OptionTable& LifeOptions() {
  static const OptionTable kTable = {
      {.name = "rounds", .type = OptionType::kWhole, .help = "Number of rows."},
      {.name = "seed",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help =
           "Choose a stream of this kind. The same seed gives the same rows."},
      {.name = "noise",
       .type = OptionType::kReal,
       .fallback = "0",
       .help = "Fraction of labels to flip, on top of the built-in randomness.",
       .high = 1},
      {.name = "missing",
       .type = OptionType::kReal,
       .fallback = "0.1",
       .help = "Fraction of labels that never arrive.",
       .high = 1},
      {.name = "drift",
       .type = OptionType::kWhole,
       .fallback = "20000",
       .help = "Rows per season; habits change from season to season. 0: no "
               "seasons."},
      {.name = "print-schema",
       .type = OptionType::kFlag,
       .help = "Print the schema of the table instead of rows."}};
  return kTable;
}

int GenerateLife(const Settings& settings) {
  if (settings.Flag("print-schema")) {
    return WriteRows(0, LifeStream::Schema(), [](std::string&) {});
  }
  if (!settings.Has("rounds")) {
    return Report(InvalidArgument("--rounds N is needed, or --print-schema"));
  }
  auto life = LifeStream::Create({.seed = settings.GetInt("seed"),
                                  .noise = settings.GetDouble("noise"),
                                  .missing = settings.GetDouble("missing"),
                                  .season = settings.GetInt("drift")});
  if (!life) return Report(life.error());
  return WriteRows(settings.GetInt("rounds"), LifeStream::Header(),
                   [&](std::string& rows) { life->AppendRow(rows); });
}

Command Life() {
  return {.name = "life",
          .help =
              "A realistic table: numbers, categories, chance, seasons, "
              "missing labels",
          .footer =
              "Example: sotto generate life --rounds 1e5 --seed 7 > life.csv; "
              "sotto generate life --print-schema > life.schema.json\n"
              "The same seed gives the same bytes on every machine.",
          .options = LifeOptions(),
          .call = GenerateLife};
}

Command Stream(StreamKind kind, std::string name, std::string help,
               const OptionTable& options) {
  const std::string example =
      "Example: sotto generate " + name + " --rounds 1e6 --seed 7 > stream.csv";
  return {.name = std::move(name),
          .help = std::move(help),
          .footer = example +
                    "\nThe same seed gives the same bytes on every machine.",
          .options = ConcatOptions({options, StreamOfAnyKind()}),
          .call = [kind](const Settings& settings) {
            return Generate(kind, settings);
          }};
}

}  // namespace

Command GenerateCommand() {
  return {
      .name = "generate",
      .help = "Generate a synthetic labelled stream",
      .footer =
          "Example: sotto generate threshold --rounds 1e6 --seed 7 > "
          "stream.csv\nThe same seed gives the same bytes on every machine.",
      .commands = {Life(),
                   Stream(StreamKind::kThreshold, "threshold",
                          "one number; 1 from a hidden place on", {}),
                   Stream(StreamKind::kPoint, "point",
                          "one number; 1 at a hidden one", {}),
                   Stream(StreamKind::kRectangle, "rectangle",
                          "1 inside a hidden box", {Features("2")}),
                   Stream(StreamKind::kStump, "stump",
                          "one of the columns decides", {Features("10")}),
                   Stream(StreamKind::kHalfspace, "halfspace",
                          "a few of the columns decide, with a margin",
                          HalfspaceOptions()),
                   Stream(StreamKind::kDecisionList, "decision-list",
                          "Boolean columns and a hidden list of rules",
                          {Features("10"), Length("rules of the list")})},
      .commands_are = "stream"};
}

}  // namespace sotto::app
