#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "command.h"
#include "commands.h"
#include "sotto/base/printable.h"
#include "sotto/base/settings.h"
#include "sotto/data/schemas/private_scaffold.h"
#include "sotto/data/schemas/schema_scaffold.h"
#include "sotto/data/schemas/schema_text.h"
#include "sotto/frontend/fresh_key.h"
#include "sotto/online/user_ledger.h"
#include "sotto/random/chacha_rng.h"

namespace sotto::app {
namespace {

constexpr const char* kFrom = "From what (one of)";
constexpr const char* kKnown = "What is publicly known";
constexpr const char* kPrivacy = "Privacy, of --private-ranges";

const OptionTable& FromOptions() {
  static const OptionTable kTable = {
      {.name = "check",
       .help = "a schema: is it one, and what does each line mean?",
       .group = kFrom},
      {.name = "header",
       .help = "a csv file, of which nothing but the first line is read",
       .group = kFrom},
      {.name = "public-sample",
       .help = "a csv file whose rows are public: types, values and ranges "
               "are taken from them, and nothing of that is private",
       .group = kFrom},
      {.name = "private-ranges",
       .help = "a csv file whose rows are private: where the numbers of each "
               "column lie is found with noise, for --epsilon and --delta",
       .group = kFrom}};
  return kTable;
}

const OptionTable& KnownOptions() {
  static const OptionTable kTable = {
      {.name = "facts",
       .help = "columns, as in 'age=0..120;job=clerk|nurse;smoker=boolean'",
       .group = kKnown},
      {.name = "label", .help = "the label column (y)", .group = kKnown},
      {.name = "user",
       .help = "the user column (user): no feature, and not in the schema",
       .group = kKnown},
      {.name = "labels",
       .help = "NEGATIVE,POSITIVE: the label is one of two",
       .group = kKnown},
      {.name = "classes",
       .help = "A,B,C,...: the label is one of these",
       .group = kKnown},
      {.name = "label-range",
       .help = "LOW..HIGH: the label is a number",
       .group = kKnown},
      {.name = "epsilon",
       .type = OptionType::kReal,
       .help = "the privacy parameter",
       .above = true,
       .group = kPrivacy},
      {.name = "delta",
       .type = OptionType::kReal,
       .fallback = "1e-6",
       .help = "additive slack of the guarantee; use far less than 1 / users",
       .high = 0.5,
       .above = true,
       .group = kPrivacy},
      {.name = "rounds-per-user",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "how many rows of a user count; further ones are empty",
       .low = 1,
       .group = kPrivacy},
      {.name = "seed",
       .type = OptionType::kWhole,
       .help = "experiments only: noise that anyone can recompute",
       .group = kPrivacy},
      {.name = "quiet",
       .type = OptionType::kFlag,
       .help = "no explanations on standard error"}};
  return kTable;
}

Result<std::optional<LabelType>> GetLabel(const Settings& settings) {
  const int said = (settings.Has("labels") ? 1 : 0) +
                   (settings.Has("classes") ? 1 : 0) +
                   (settings.Has("label-range") ? 1 : 0);
  if (said > 1) {
    return InvalidArgument(
        "--labels, --classes and --label-range: expected one of them");
  }
  if (said == 0) return std::optional<LabelType>();
  if (settings.Has("label-range")) {
    const auto range = ParseRange(settings.Text("label-range"));
    if (!range)
      return InvalidArgument("--label-range " + range.error().message);
    return std::optional(LabelType{.kind = LabelType::Kind::kNumber,
                                   .low = range->first,
                                   .high = range->second});
  }
  const bool two = settings.Has("labels");
  LabelType type{
      .kind = two ? LabelType::Kind::kTwo : LabelType::Kind::kClasses,
      .names = Split(settings.Text(two ? "labels" : "classes"), ',')};
  if (two ? type.names.size() != 2 : type.names.size() < 2) {
    return InvalidArgument(two ? "--labels takes two words: NEGATIVE,POSITIVE"
                               : "--classes takes two words or more: A,B,...");
  }
  return std::optional(std::move(type));
}

Result<SchemaFacts> ExtractFacts(const Settings& settings) {
  auto columns = ParseFacts(settings.Text("facts"));
  if (!columns) return InvalidArgument("--facts " + columns.error().message);
  SOTTO_TRY_ASSIGN(auto type, GetLabel(settings));
  return SchemaFacts{.columns = *std::move(columns),
                     .label = settings.Text("label"),
                     .type = std::move(type),
                     .user = settings.Text("user")};
}

Result<Schema> WithPrivateRanges(const Settings& settings,
                                 const SchemaFacts& facts) {
  if (!settings.Has("epsilon")) {
    return InvalidArgument("--private-ranges needs --epsilon E");
  }
  // A row that cannot be used is one without numbers.
  SOTTO_TRY_ASSIGN(auto table,
                   TableReader::Open({.path = settings.Text("private-ranges"),
                                      .skip_bad = true,
                                      .quiet_faults = true,
                                      .input = {}}));
  SOTTO_TRY_ASSIGN(const auto key, FreshKey(settings.GetOptionalInt("seed")));
  ChaChaRng rng(key);
  const std::uint64_t rows_per_user = settings.GetInt("rounds-per-user");
  SOTTO_TRY_ASSIGN(auto ledger, UserLedger::ForTable(rows_per_user));
  SOTTO_TRY_ASSIGN(
      auto found,
      ScaffoldWithPrivateRanges(
          table, facts,
          {.budget = {settings.GetDouble("epsilon"),
                      settings.GetDouble("delta")},
           .rows_per_user = rows_per_user,
           .admit = [&](auto user) { return ledger.Admit(user, 0); }},
          rng));
  std::fprintf(stderr, "%sRanges: %s\n%s",
               settings.Has("seed") ? "NOT PRIVATE: the noise comes from a "
                                      "seed. Without it:\n"
                                    : "",
               found.guarantee.Describe().c_str(),
               "A row without a user name counts as a user of its own.\n");
  found.schema.spent =
      SchemaCost{found.guarantee.epsilon(), found.guarantee.delta()};
  return std::move(found.schema);
}

Result<Schema> Make(const Settings& settings) {
  if (settings.Has("check")) return Schema::FromFile(settings.Text("check"));
  SOTTO_TRY_ASSIGN(const auto facts, ExtractFacts(settings));
  if (settings.Has("private-ranges")) {
    return WithPrivateRanges(settings, facts);
  }
  const bool sample = settings.Has("public-sample");
  SOTTO_TRY_ASSIGN(auto table,
                   TableReader::Open({.path = settings.Text(
                                          sample ? "public-sample" : "header"),
                                      .input = {}}));
  if (!sample) return Scaffold(table.columns(), facts);
  std::fprintf(stderr,
               "Types, values and ranges are those of the sample, which must "
               "be public: they protect nobody in it.\n");
  return ScaffoldFromSample(table, facts);
}

int CallSchema(const Settings& settings) {
  int sources = 0;
  for (const Option& option : FromOptions()) {
    sources += settings.Has(option.name) ? 1 : 0;
  }
  if (sources != 1) {
    return Report(
        InvalidArgument("expected one of a schema's file, --header, "
                        "--public-sample and --private-ranges"));
  }
  const auto schema = Make(settings);
  if (!schema) return Report(schema.error());
  const bool check = settings.Has("check");
  if (!check) std::fputs(SchemaText(*schema).c_str(), stdout);
  if (check || !settings.Flag("quiet")) {
    for (const std::string& line : Explain(*schema)) {
      std::fprintf(check ? stdout : stderr, "%s\n", Printable(line).c_str());
    }
  }
  return kDone;
}

}  // namespace

Command SchemaCommand() {
  return {.name = "schema",
          .help =
              "Writes, explains and checks the public description of a "
              "table",
          .footer =
              "Examples:\n"
              "  sotto schema --header table.csv --facts 'age=0..120' > "
              "table.schema.json\n"
              "  sotto schema --private-ranges table.csv --epsilon 0.1 > "
              "table.schema.json\n"
              "  sotto schema table.schema.json\n"
              "The schema goes to standard output, what its lines mean to "
              "standard error. Nothing in a schema may come from private rows, "
              "but for ranges found privately, whose guarantee adds to that of "
              "what is run with them.",
          .options = ConcatOptions({FromOptions(), KnownOptions()}),
          .argument = "check",
          .call = CallSchema};
}

}  // namespace sotto::app
