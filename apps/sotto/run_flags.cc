#include "run_flags.h"

#include <utility>

#include "command.h"
#include "saved_run.h"

namespace sotto::app {
namespace {

// Buckets for strings where nobody says how many. A learner that keeps a number
// for every feature and copy gets none unless asked: 2^18 would fill memory.
constexpr int kHashBits = 18;
constexpr int kVwHashBits = 10;

void AddStreamFlags(CLI::App& command, RunFlags& flags) {
  command
      .add_option("-d,--data", flags.data, "the stream; - is standard input")
      ->required();
  command
      .add_option("--format", flags.format,
                  "csv, libsvm, vw or jsonl; left out: by the file's ending "
                  "(all may be gzipped)")
      ->check(CLI::IsMember({"csv", "libsvm", "vw", "jsonl"}));
  command.add_option("--schema", flags.schema,
                     "columns, types, values and ranges, in JSON: public");
  command.add_option("--label", flags.label, "csv: the label column (y)");
  command.add_option("--user", flags.user, "csv: the user column (user)");
  command.add_option("--labels", flags.labels,
                     "NEGATIVE,POSITIVE: the two labels if they are not 0/1, "
                     "-1/+1 or true/false");
  command.add_flag("--no-header", flags.no_header,
                   "csv: the columns are c1, c2, ...");
  command.add_option("--columns", flags.columns,
                     "csv without a header: how many columns, unless the "
                     "schema names them all");
  command
      .add_option("--hash-bits", flags.hash_bits,
                  "strings go into 2^B buckets; 0: there are none (the default "
                  "for learners that keep a weight per feature, but for vw)")
      ->check(CLI::Range(0, 30));
  command.add_flag("--skip-bad", flags.skip_bad,
                   "leave out bad rows, and report how many and why");
}

void AddOutputFlags(CLI::App& command, RunFlags& flags) {
  command.add_option("-p,--predictions", flags.predictions,
                     "write a prediction a line, empty where a user was "
                     "refused; each is for its own user's eyes only");
  command.add_option("--report", flags.report,
                     "write a page with plots, in one HTML file");
  command
      .add_option("-P", flags.table_every,
                  "rows of the table: N, every so many rounds, or a factor "
                  "with a point, e.g. 2.0")
      ->capture_default_str();
  command.add_flag("--public", flags.public_only,
                   "print only what may be shown to anybody: mistakes are "
                   "counted privately, for a tenth of the guarantee");
  command.add_flag("--compare", flags.compare,
                   "also run the plain learner, which is not private, and say "
                   "how often it errs");
  command.add_flag("--json", flags.json, "a JSON report instead of text");
  command.add_flag("--quiet", flags.quiet, "no text");
  command.add_flag("--progress", flags.progress,
                   "a progress line although standard error is no terminal");
}

void AddStateFlags(CLI::App& command, RunFlags& flags) {
  command.add_option("--save", flags.save,
                     "write the state here at the end, also after an "
                     "interrupt or a bad row; it holds a secret key and data");
  command.add_option("--load", flags.load,
                     "go on from a saved state, with its parameters; each "
                     "continuation with other data spends the guarantee again");
  command
      .add_option("--seed", flags.seed,
                  "experiments only: noise that anyone can recompute")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--threads", flags.threads, "for ensembles that can")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
}

template <typename Flags, typename Visit>
void ForEachSaved(Flags& flags, Visit visit) {
  ForEachPopFlag(flags.pop, visit);
  visit("hash-bits", flags.hash_bits);
  visit("compare", flags.compare);
  visit("public", flags.public_only);
}

Result<std::pair<std::string, std::string>> TwoWords(const std::string& text) {
  const auto comma = text.find(',');
  if (comma == std::string::npos ||
      text.find(',', comma + 1) != std::string::npos) {
    return InvalidArgument("--labels takes two words: NEGATIVE,POSITIVE");
  }
  return std::pair(text.substr(0, comma), text.substr(comma + 1));
}

}  // namespace

void AddRunFlags(CLI::App& command, RunFlags& flags) {
  AddStreamFlags(command, flags);
  AddPopFlags(command, flags.pop);
  AddOutputFlags(command, flags);
  AddStateFlags(command, flags);
}

nlohmann::ordered_json SettingsOf(const RunFlags& flags) {
  nlohmann::ordered_json json;
  ForEachSaved(flags, SettingToJson{json});
  return json;
}

Status AdoptSettings(const nlohmann::ordered_json& saved, RunFlags& flags) {
  if (flags.pop.variant == "default") flags.pop.variant = "practical";
  Status same = CheckSettings(saved, SettingsOf(flags), flags.given);
  if (!same) return same;
  return FromSettings([&](const auto& visit) { ForEachSaved(flags, visit); },
                      saved);
}

Result<ExampleReader::Params> ReaderParamsOf(const RunFlags& flags,
                                             const LearnerSpec& learner) {
  ExampleReader::Params params;
  params.path = flags.data;
  params.format = flags.format.empty() ? FormatOfPath(flags.data)
                                       : FormatNamed(flags.format);
  params.header = !flags.no_header;
  params.columns = flags.columns;
  params.label = flags.label;
  params.user = flags.user;
  params.skip_bad = flags.skip_bad;
  if (!flags.labels.empty()) {
    auto words = TwoWords(flags.labels);
    if (!words) return words.error();
    params.labels = *std::move(words);
  }
  if (!flags.schema.empty()) {
    auto schema = Schema::FromFile(flags.schema);
    if (!schema) return schema.error();
    params.encoding.schema = *std::move(schema);
  }
  const bool counted = learner.features > 0 &&
                       params.format != StreamFormat::kCsv &&
                       flags.schema.empty();
  if (counted) params.encoding.features = learner.features;
  const bool vw = params.format == StreamFormat::kVw && !counted;
  const bool grows = FactsOf(learner).needs_features;
  const int guess = !grows ? kHashBits : vw ? kVwHashBits : 0;
  params.encoding.hash_bits = flags.hash_bits.value_or(guess);
  return params;
}

}  // namespace sotto::app
