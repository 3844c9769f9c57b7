#include "sotto/data/streams/stream_kinds.h"

#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "sotto/data/streams/generator.h"
#include "sotto/data/streams/life_stream.h"

namespace sotto {
namespace {

constexpr double kMaxColumns = std::numeric_limits<std::uint32_t>::max();

Option Rounds(bool required) {
  return {.name = "rounds",
          .type = OptionType::kWhole,
          .help = "Number of rows.",
          .required = required};
}

Option Seed() {
  return {
      .name = "seed",
      .type = OptionType::kWhole,
      .fallback = "1",
      .help =
          "Choose a stream of this kind. The same seed gives the same rows."};
}

Option Fraction(std::string_view name, std::string_view fallback,
                std::string_view help) {
  return {.name = name,
          .type = OptionType::kReal,
          .fallback = fallback,
          .help = help,
          .high = 1};
}

const OptionTable& StreamOfAnyKind() {
  static const OptionTable kTable = {
      Rounds(true),
      Seed(),
      Fraction("noise", "0", "share of labels that are flipped"),
      Fraction("poison", "0",
               "share of rows replaced by adversarial ones; adds a column "
               "'honest'"),
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

// A stream that outlives the call that opened it.
template <typename Stream, typename Append>
TextStream Open(const Settings& settings, std::string header, Stream stream,
                Append append) {
  return {
      .header = std::move(header),
      .rows = settings.GetInt("rounds"),
      .append = [append, kept = std::make_shared<Stream>(std::move(stream))](
                    std::string& text) { append(*kept, text); }};
}

Result<TextStream> OpenStream(StreamKind kind, const Settings& settings) {
  const StreamFormat format = *FormatNamed(settings.Text("format"));
  SOTTO_TRY_ASSIGN(auto stream,
                   StreamGenerator::Create(MakeParams(kind, settings)));
  if (!stream.CanWrite(format)) {
    return InvalidArgument("--nonzeros needs --format vw or --format libsvm");
  }
  std::string header = stream.Header(format);
  return Open(settings, std::move(header), std::move(stream),
              [format](StreamGenerator& rows, std::string& text) {
                rows.AppendRow(format, text);
              });
}

OptionTable LifeOptions() {
  return {Rounds(false),
          Seed(),
          Fraction("noise", "0",
                   "share of labels that are flipped, on top of luck"),
          Fraction("missing", "0.1", "share of labels that never come"),
          {.name = "drift",
           .type = OptionType::kWhole,
           .fallback = "20000",
           .help = "Rows per season; habits change from season to season. 0: "
                   "no seasons."},
          {.name = "print-schema",
           .type = OptionType::kFlag,
           .help = "Print the schema of the table instead of rows."}};
}

Result<TextStream> OpenLife(const Settings& settings) {
  if (settings.Flag("print-schema")) return TextStream{LifeStream::Schema()};
  if (!settings.Has("rounds")) {
    return InvalidArgument("--rounds N is needed, or --print-schema");
  }
  SOTTO_TRY_ASSIGN(auto life,
                   LifeStream::Create({.seed = settings.GetInt("seed"),
                                       .noise = settings.GetDouble("noise"),
                                       .missing = settings.GetDouble("missing"),
                                       .season = settings.GetInt("drift")}));
  return Open(
      settings, LifeStream::Header(), std::move(life),
      [](LifeStream& rows, std::string& text) { rows.AppendRow(text); });
}

StreamKindEntry Entry(StreamKind kind, std::string help,
                      const OptionTable& options) {
  return {.name = std::string(Name(kind)),
          .help = std::move(help),
          .example = "--rounds 1e6 --seed 7 > stream.csv",
          .options = ConcatOptions({options, StreamOfAnyKind()}),
          .open = [kind](const Settings& settings) {
            return OpenStream(kind, settings);
          }};
}

}  // namespace

const std::vector<StreamKindEntry>& StreamKinds() {
  static const std::vector<StreamKindEntry> kEntries = {
      {.name = "life",
       .help = "A realistic table: numbers, categories, chance, seasons, "
               "missing labels",
       .example = "--rounds 1e5 --seed 7 > life.csv; sotto generate life "
                  "--print-schema > life.schema.json",
       .options = LifeOptions(),
       .open = OpenLife},
      Entry(StreamKind::kThreshold, "one number; 1 from a hidden place on", {}),
      Entry(StreamKind::kPoint, "one number; 1 at a hidden one", {}),
      Entry(StreamKind::kRectangle, "1 inside a hidden box", {Features("2")}),
      Entry(StreamKind::kStump, "one of the columns decides", {Features("10")}),
      Entry(StreamKind::kHalfspace,
            "a few of the columns decide, with a margin", HalfspaceOptions()),
      Entry(StreamKind::kDecisionList,
            "Boolean columns and a hidden list of rules",
            {Features("10"), Length("rules of the list")})};
  return kEntries;
}

}  // namespace sotto
