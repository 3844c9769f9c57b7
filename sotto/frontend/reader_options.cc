#include "sotto/frontend/reader_options.h"

#include <string>
#include <utility>

namespace sotto {
namespace {

constexpr const char* kGroup = "The data";

const Option kData = {.name = "data",
                      .help = "the rows; - is standard input",
                      .group = kGroup,
                      .letter = 'd',
                      .required = true,
                      .kept = false};
// The data of a stream, which may also come live.
Option Stream() {
  Option data = kData;
  data.required = false;
  return data;
}
const Option kFormat = {
    .name = "format",
    .help = "left out: by the file's ending (all may be gzipped)",
    .words = {"csv", "libsvm", "vw", "jsonl"},
    .group = kGroup,
    .kept = false};
const Option kSchema = {
    .name = "schema",
    .help = "columns, types, values and ranges, in JSON: public",
    .group = kGroup,
    .kept = false};
const Option kLabel = {
    .name = "label", .help = "csv: the label column (y)", .group = kGroup};
const Option kUser = {
    .name = "user", .help = "csv: the user column (user)", .group = kGroup};
const Option kLabels = {
    .name = "labels",
    .help =
        "NEGATIVE,POSITIVE: the two labels if they are not 0/1, -1/+1 or "
        "true/false",
    .group = kGroup};
const Option kNoHeader = {.name = "no-header",
                          .type = OptionType::kFlag,
                          .help = "csv: the columns are c1, c2, ...",
                          .group = kGroup};
const Option kColumns = {
    .name = "columns",
    .type = OptionType::kWhole,
    .help = "csv without a header: how many there are, if no schema says so",
    .low = 1,
    .high = 1 << 20,
    .group = kGroup};
const Option kSkipBad = {
    .name = "skip-bad",
    .type = OptionType::kFlag,
    .help =
        "a row that cannot be used does not end it: an empty round, or an "
        "empty row, stands for it",
    .group = kGroup,
    .kept = false};

// For streams, where this is how bad rows are always read.
Option SkipBadRounds() {
  Option option = kSkipBad;
  option.help = "accepted; has no effect: a bad row is always an empty round";
  return option;
}

}  // namespace

const OptionTable& ReaderOptions() {
  static const OptionTable kTable = {
      Stream(),
      kFormat,
      kSchema,
      kLabel,
      kUser,
      kLabels,
      kNoHeader,
      kColumns,
      {.name = "hash-bits",
       .type = OptionType::kWhole,
       .help = "strings go into 2^B buckets; 0: there are none (left out: as "
               "the model likes it)",
       .high = 30,
       .group = kGroup},
      {.name = "clamp",
       .type = OptionType::kFlag,
       .help = "accepted; has no effect: a number outside its range is always "
               "moved to the nearer end and counted",
       .group = kGroup},
      SkipBadRounds()};
  return kTable;
}

const OptionTable& StrictOption() {
  static const OptionTable kTable = {
      {.name = "strict",
       .type = OptionType::kFlag,
       .help = "only read and check the rows: play nothing, write nothing; "
               "exit code 2 if there are bad rows",
       .group = kGroup,
       .kept = false}};
  return kTable;
}

const OptionTable& TrainOption() {
  static const OptionTable kTable = {
      {.name = "train",
       .help = "the labelled rows it starts from, a file with the stream's "
               "columns; the rows of the stream are then questions",
       .group = kGroup,
       .kept = false}};
  return kTable;
}

const Option& SchemaOption() { return kSchema; }
const Option& UserOption() { return kUser; }

const OptionTable& TableOptions() {
  static const OptionTable kTable = {kData,   kFormat,   kSchema,  kLabel,
                                     kLabels, kNoHeader, kColumns, kSkipBad};
  return kTable;
}

Result<ExampleReader::Params> MakeReaderParams(const Settings& settings) {
  SOTTO_TRY_ASSIGN(auto params, MakeReaderParams(MakeFitSource(settings)));
  if (!settings.Has("format")) params.format = FormatOfPath(params.path);
  // Public output must not depend on a row that cannot be used.
  params.skip_bad = params.skip_bad || settings.Flag("public");
  params.quiet_faults = settings.Flag("public");
  params.encoding.clamp = settings.Flag("clamp");
  if (const auto bits = settings.GetOptionalInt("hash-bits")) {
    params.encoding.hash_bits = static_cast<int>(*bits);
  }
  return params;
}

TableSource MakeTableSource(const Settings& settings) {
  return {.path = settings.Text("data"),
          .header = !settings.Flag("no-header"),
          .columns = settings.GetOptionalInt("columns"),
          .label = settings.Text("label"),
          .labels = settings.Text("labels"),
          .schema = settings.Text("schema"),
          .format = settings.Text("format"),
          .skip_bad = settings.Flag("skip-bad")};
}

TableSource MakeFitSource(const Settings& settings) {
  TableSource source = MakeTableSource(settings);
  source.user = settings.Text("user");
  return source;
}

}  // namespace sotto
