#include "sotto/frontend/reader_options.h"

#include <string>
#include <utility>

namespace sotto {
namespace {

constexpr const char* kGroup = "Stream";

const Option kData = {
    .name = "data",
    .help =
        "CSV, libsvm, vw or JSON lines; - for standard input; .gz accepted.",
    .value = "FILE",
    .group = kGroup,
    .common = true,
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
    .help = "Format of the data. Default: from the file name.",
    .words = {"csv", "libsvm", "vw", "jsonl"},
    .group = kGroup,
    .kept = false};
const Option kSchema = {.name = "schema",
                        .help = "Public columns, types, values and ranges.",
                        .value = "FILE",
                        .group = kGroup,
                        .common = true,
                        .kept = false};
const Option kLabel = {.name = "label",
                       .help = "Label column of a csv file (y).",
                       .group = kGroup};
const Option kUser = {.name = "user",
                      .help = "User column of a csv file (user).",
                      .group = kGroup};
const Option kLabels = {.name = "labels",
                        .help =
                            "NEGATIVE,POSITIVE: the two labels, unless they "
                            "are 0/1, -1/+1 or true/false.",
                        .group = kGroup};
const Option kNoHeader = {
    .name = "no-header",
    .type = OptionType::kFlag,
    .help = "The csv file has no header; its columns are c1, c2, ...",
    .group = kGroup};
const Option kColumns = {
    .name = "columns",
    .type = OptionType::kWhole,
    .help = "Number of columns of a csv file without header or schema.",
    .low = 1,
    .high = 1 << 20,
    .group = kGroup};
const Option kSkipBad = {
    .name = "skip-bad",
    .type = OptionType::kFlag,
    .help = "Accepted for old scripts: bad rows are always empty rows.",
    .group = kGroup,
    .kept = false};

// For streams, where this is how bad rows are always read.
Option SkipBadRounds() {
  Option option = kSkipBad;
  option.help = "Accepted for old scripts: bad rows are always empty rounds.";
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
       .help = "Hash strings into 2^N buckets; 0: strings are bad rows. "
               "Default: chosen by the model.",
       .high = 30,
       .group = kGroup},
      {.name = "clamp",
       .type = OptionType::kFlag,
       .help =
           "Accepted for old scripts: numbers outside their range are always "
           "clamped and counted.",
       .group = kGroup},
      SkipBadRounds()};
  return kTable;
}

const OptionTable& StrictOption() {
  static const OptionTable kTable = {
      {.name = "strict",
       .type = OptionType::kFlag,
       .help = "Only check the input; play and publish nothing. Exit status 2 "
               "if there are bad rows.",
       .group = kGroup,
       .common = true,
       .kept = false}};
  return kTable;
}

const OptionTable& TrainOption() {
  static const OptionTable kTable = {
      {.name = "train",
       .help = "Training set: labelled rows with the columns of the stream. "
               "The stream's rows are then queries.",
       .value = "FILE",
       .group = kGroup,
       .common = true,
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
