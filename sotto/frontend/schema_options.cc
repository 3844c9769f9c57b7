#include "sotto/frontend/schema_options.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sotto/data/schemas/private_scaffold.h"
#include "sotto/data/schemas/schema_scaffold.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/fresh_key.h"
#include "sotto/online/user_ledger.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

constexpr const char* kFrom = "From what (one of)";
constexpr const char* kKnown = "What is publicly known";
constexpr const char* kPrivacy = "Privacy, of --private-ranges";

const OptionTable& FromOptions() {
  static const OptionTable kTable = {
      {.name = "check",
       .help = "Check and explain this schema.",
       .value = "FILE",
       .group = kFrom},
      {.name = "header",
       .help = "CSV file; only its first line is read.",
       .value = "FILE",
       .group = kFrom},
      {.name = "public-sample",
       .help = "CSV file with public rows: take types, values and ranges from "
               "them.",
       .value = "FILE",
       .group = kFrom},
      {.name = "private-ranges",
       .help = "CSV file with private rows: find ranges with noise, within "
               "--epsilon and --delta.",
       .value = "FILE",
       .group = kFrom}};
  return kTable;
}

const OptionTable& KnownOptions() {
  static const OptionTable kTable = {
      {.name = "facts",
       .help = "Public facts about columns, as in "
               "'age=0..120;job=clerk|nurse;smoker=boolean'.",
       .group = kKnown},
      {.name = "label", .help = "Label column (y).", .group = kKnown},
      {.name = "user",
       .help = "User column (user). It is not a feature and not in the schema.",
       .group = kKnown},
      {.name = "labels",
       .help = "NEGATIVE,POSITIVE: the label is one of these two.",
       .group = kKnown},
      {.name = "classes",
       .help = "A,B,C,...: the label is one of these classes.",
       .group = kKnown},
      {.name = "label-range",
       .help = "LOW..HIGH: the label is a number in this range.",
       .group = kKnown},
      {.name = "epsilon",
       .type = OptionType::kReal,
       .help = "Privacy budget per user. Smaller is more private.",
       .above = true,
       .group = kPrivacy},
      {.name = "delta",
       .type = OptionType::kReal,
       .fallback = "1e-6",
       .help = "Additive slack of the guarantee. Use far less than 1/users.",
       .high = 0.5,
       .above = true,
       .group = kPrivacy},
      {.name = "rounds-per-user",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "Rows per user that count; further rows are empty.",
       .low = 1,
       .group = kPrivacy},
      {.name = "seed",
       .type = OptionType::kWhole,
       .help = "NOT PRIVATE: reproducible noise for experiments.",
       .group = kPrivacy},
      {.name = "quiet",
       .type = OptionType::kFlag,
       .help = "Print no explanations on standard error."}};
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
    return InvalidArgument(two ? "--labels takes two words: NEGATIVE,POSITIVE. "
                                 "For more use --classes A,B,C"
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

Result<MadeSchema> WithPrivateRanges(const Settings& settings,
                                     const SchemaFacts& facts) {
  if (!settings.Has("epsilon")) {
    return InvalidArgument("--private-ranges needs --epsilon E");
  }
  SOTTO_TRY(CheckBudget(settings));
  BudgetRequest request(settings, "schema");
  SOTTO_TRY(request.Charge());
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
  SOTTO_TRY(request.Settle(found.guarantee));
  found.schema.spent =
      SchemaCost{found.guarantee.epsilon(), found.guarantee.delta()};
  return MadeSchema{
      std::move(found.schema),
      std::string(settings.Has("seed") ? "NOT PRIVATE: the noise comes from a "
                                         "seed. Without it:\n"
                                       : "") +
          "Ranges: " + found.guarantee.Describe() +
          "\nA row without a user name counts as a user of its own.\n"};
}

}  // namespace

const OptionTable& SchemaOptions() {
  static const OptionTable kTable =
      ConcatOptions({FromOptions(), KnownOptions(), BudgetOptions()});
  return kTable;
}

Result<MadeSchema> MakeSchema(const Settings& settings) {
  const auto sources = std::ranges::count_if(
      FromOptions(),
      [&](const Option& option) { return settings.Has(option.name); });
  if (sources != 1) {
    return InvalidArgument(
        "expected one of a schema's file, --header, --public-sample and "
        "--private-ranges");
  }
  if (settings.Has("check")) {
    SOTTO_TRY_ASSIGN(auto schema, Schema::FromFile(settings.Text("check")));
    return MadeSchema{std::move(schema)};
  }
  SOTTO_TRY_ASSIGN(const auto facts, ExtractFacts(settings));
  if (settings.Has("budget") && !settings.Has("private-ranges")) {
    return InvalidArgument("--budget goes with --private-ranges");
  }
  if (settings.Has("private-ranges")) {
    return WithPrivateRanges(settings, facts);
  }
  const bool sample = settings.Has("public-sample");
  SOTTO_TRY_ASSIGN(auto table,
                   TableReader::Open({.path = settings.Text(
                                          sample ? "public-sample" : "header"),
                                      .input = {}}));
  SOTTO_TRY_ASSIGN(auto schema, sample ? ScaffoldFromSample(table, facts)
                                       : Scaffold(table.columns(), facts));
  return MadeSchema{
      std::move(schema),
      sample ? "Types, values and ranges are those of the sample, which must "
               "be public: they protect nobody in it.\n"
             : ""};
}

}  // namespace sotto
