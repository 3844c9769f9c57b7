#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "cover_table.h"
#include "noise_key.h"
#include "sotto/files/output_file.h"
#include "sotto/models/greedy_cover/cover_data.h"
#include "sotto/models/greedy_cover/cover_model.h"
#include "sotto/models/greedy_cover/greedy_cover.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/streams/columns.h"
#include "sotto/streams/schema.h"

namespace sotto::app {
namespace {

struct FitFlags {
  std::string model;
  std::string data;
  std::string out;
  std::string schema;
  std::string label;
  std::string labels;
  std::string relation = "replace";
  std::string calibration = "practical";
  std::string reward = "1/5";
  double epsilon = 0;
  double delta = 0;
  std::uint64_t rounds_per_user = 1;
  std::uint32_t rules = 40;
  std::uint32_t literals = 1;
  CoverColumns::Params columns;
  std::optional<double> bonus;
  std::optional<std::int64_t> cap;
  double shares = 0;
  std::optional<std::int64_t> seed;
  bool no_header = false;
  std::optional<std::uint32_t> column_count;
  bool skip_bad = false;
  bool json = false;
  bool quiet = false;
};

// What is public about the table.
struct TableShape {
  CoverColumns columns;
  std::string label;
  DecisionList::LabelNames labels;
  TableReader reader;  // the one there is: data may be a pipe
};

Result<TableReader> OpenTable(const FitFlags& flags,
                              const std::optional<Schema>& schema) {
  TableReader::Params params{.path = flags.data,
                             .header = !flags.no_header,
                             .may_be_empty = schema.has_value(),
                             .skip_bad = flags.skip_bad};
  if (flags.no_header) {
    auto names = HeaderlessColumns(
        flags.column_count,
        schema ? NamesOf(*schema) : std::vector<std::string>());
    if (!names) return names.error();
    params.columns = *std::move(names);
  }
  return TableReader::Open(std::move(params));
}

// Without a schema the names of the columns are all that is known.
Result<CoverColumns> HashedColumns(const FitFlags& flags,
                                   const std::string& label,
                                   const TableReader& reader) {
  std::vector<std::string> names;
  for (const std::string& name : reader.columns()) {
    if (name != label) names.push_back(name);
  }
  if (!flags.quiet && !flags.no_header) {
    std::string list;
    for (const std::string& name : names) {
      list += (list.empty() ? "" : ", ") + Quote(name);
    }
    std::fprintf(stderr,
                 "Without --schema the first line is taken as public, and goes "
                 "into the model: %s\n",
                 list.c_str());
  }
  return CoverColumns::Hashed(std::move(names), flags.columns);
}

Result<TableShape> Shape(const FitFlags& flags) {
  std::optional<Schema> schema;
  if (!flags.schema.empty()) {
    auto read = Schema::FromFile(flags.schema);
    if (!read) return read.error();
    schema = *std::move(read);
  }
  std::string label = "y";
  DecisionList::LabelNames names;
  if (schema && schema->label) {
    label = schema->label->column;
    if (schema->label->type.kind != LabelType::Kind::kTwo) {
      return InvalidArgument(
          "greedy-cover takes labels that are one of two; the schema says "
          "otherwise");
    }
    names = {schema->label->type.names[0], schema->label->type.names[1]};
  }
  if (!flags.label.empty()) label = flags.label;
  if (!flags.labels.empty()) {
    auto parsed = ParseLabels(flags.labels);
    if (!parsed) return parsed.error();
    names = *std::move(parsed);
  }
  if (schema) {
    schema->label =
        SchemaLabel{label, {.names = {names.negative, names.positive}}};
  }
  for (const std::string& name : {label, names.negative, names.positive}) {
    if (!IsUtf8(name)) {
      return InvalidArgument("the label column and its values must be UTF-8");
    }
  }
  auto reader = OpenTable(flags, schema);
  if (!reader) return reader.error();
  auto columns = schema ? CoverColumns::FromSchema(*schema, flags.columns)
                        : HashedColumns(flags, label, *reader);
  if (!columns) return columns.error();
  return TableShape{*std::move(columns), label, names, *std::move(reader)};
}

Result<GreedyCover> Learner(const FitFlags& flags,
                            const CoverColumns& columns) {
  auto space = RuleSpace::Create(columns, flags.literals);
  if (!space) return space.error();
  const auto relation = ParseRelation(flags.relation);
  if (!relation) return relation.error();
  const bool paper = flags.calibration == "paper";
  const auto score = ParseReward(flags.reward);
  if (!score) return score.error();
  if (score->reward == 0 && (flags.bonus || flags.cap)) {
    return InvalidArgument("--bonus and --cap need a --reward above 0");
  }
  if (flags.bonus && flags.cap) {
    return InvalidArgument("--bonus and --cap are two names for one thing");
  }
  const GreedyCover::Params params{
      .epsilon = flags.epsilon,
      .delta = flags.delta,
      .relation = *relation,
      .calibration = paper ? CoverCalibration::Method::kPaper
                           : CoverCalibration::Method::kExact,
      .rules = flags.rules,
      .penalty = score->penalty,
      .reward = score->reward,
      .bonus = flags.bonus,
      .cap = flags.cap,
      .rows_per_user = flags.rounds_per_user,
      .shares = flags.shares};
  return GreedyCover::Create(params, *std::move(space));
}

// The rows, and how many of them could not be read.
struct Rows {
  CoverData data;
  SkipCounts skipped = {};
};

CoverTable::BadRow BadRowOf(const FitFlags& flags) {
  if (!flags.skip_bad) return CoverTable::BadRow::kFails;
  // Where the number of rows is public, it may not depend on what is in them.
  return flags.relation == "replace" ? CoverTable::BadRow::kBlank
                                     : CoverTable::BadRow::kDropped;
}

Result<Rows> ReadData(const FitFlags& flags, TableShape& shape,
                      const RuleSpace& space) {
  auto table = CoverTable::Read({.path = flags.data,
                                 .label_column = shape.label,
                                 .labels = shape.labels,
                                 .bad_row = BadRowOf(flags)},
                                std::move(shape.reader), shape.columns);
  if (!table) return table.error();
  if (!table->has_label()) {
    return InvalidArgument(flags.data + ", line 1: no label column '" +
                           shape.label + "'; --label names it");
  }
  Rows rows{.data = CoverData(space)};
  const Status read =
      table->ForEach([&](std::span<const double> row, std::optional<bool> y) {
        rows.data.Add(row, *y);
      });
  if (!read) return read.error();
  rows.skipped = table->skipped();
  return rows;
}

nlohmann::ordered_json ReportJson(const FitFlags& flags,
                                  const CoverModel& model, const Rows& rows,
                                  double seconds) {
  const auto json = nlohmann::ordered_json::parse(model.ToJson());
  // Between neighbours that differ by a row the number of rows is a secret.
  const bool rows_public = model.guarantee.relation() == Relation::kReplace;
  nlohmann::ordered_json report = {{"model", "greedy-cover"},
                                   {"rows", nullptr},
                                   {"guarantee", json["guarantee"]},
                                   {"parameters", json["parameters"]},
                                   {"seconds", seconds},
                                   {"private", model.is_private}};
  if (rows_public) report["rows"] = rows.data.rows();
  if (flags.skip_bad) report["skipped"] = rows.skipped.total();
  report["not_covered"] = {"seconds", "skipped"};
  if (!rows_public) {
    report["not_covered"].push_back("rows");
    report["rows_withheld"] =
        "under add-remove the number of rows is not covered by the guarantee";
  }
  return report;
}

void Tell(const FitFlags& flags, const CoverModel& model, const Rows& rows,
          double seconds) {
  if (flags.json) {
    std::printf("%s\n", ReportJson(flags, model, rows, seconds).dump().c_str());
  }
  // Said whatever else is not.
  if (!model.is_private) {
    std::fprintf(stderr,
                 "NOT PRIVATE: a seed makes the noise known to anyone; it is "
                 "for experiments only.\n");
  }
  if (flags.quiet) return;
  if (!flags.json) {
    const DecisionList list =
        model.shares.empty() ? model.list.Simplified() : model.list;
    std::printf(
        "%s", list.Text(model.labels, model.shares, model.share_scale).c_str());
  }
  if (rows.skipped.total() > 0) {
    std::fprintf(stderr, "%s (%s; not covered by the guarantee)\n",
                 rows.skipped.Text().c_str(),
                 flags.relation == "replace" ? "a blank row stands for each"
                                             : "left out");
  }
  std::fprintf(stderr, "%s%s\n",
               model.is_private ? "Privacy: " : "Without the seed: ",
               model.guarantee.Describe().c_str());
}

// Draws the list, and its shares if they are asked for.
CoverModel Draw(const FitFlags& flags, const TableShape& shape,
                const GreedyCover& learner, const CoverData& data, Rng& rng) {
  auto drawn = flags.shares > 0
                   ? learner.FitWithShares(data, rng)
                   : GreedyCover::ListWithShares{learner.Fit(data, rng), {}};
  return CoverModel{.list = std::move(drawn.list),
                    .labels = shape.labels,
                    .label_column = shape.label,
                    .guarantee = learner.guarantee(),
                    .is_private = !flags.seed.has_value(),
                    .rules = flags.rules,
                    .literals = flags.literals,
                    .penalty = learner.params().penalty,
                    .reward = learner.params().reward,
                    .calibration = flags.calibration,
                    .rate = learner.rate().ToDoubleUp(),
                    .bonus = learner.bonus(),
                    .cap = learner.cap(),
                    .shares = std::move(drawn.shares),
                    .share_scale = learner.share_scale()};
}

int RunFit(const FitFlags& flags) {
  if (flags.model != "greedy-cover") {
    return Report(InvalidArgument("no batch model " + Quote(flags.model) +
                                  "; there is greedy-cover"));
  }
  auto shape = Shape(flags);
  if (!shape) return Report(shape.error());
  const auto learner = Learner(flags, shape->columns);
  if (!learner) return Report(learner.error());
  const auto rows = ReadData(flags, *shape, learner->space());
  if (!rows) return Report(rows.error());
  const auto key = FreshKey(flags.seed);
  if (!key) return Report(key.error());
  ChaChaRng rng(*key);
  const auto start = std::chrono::steady_clock::now();
  const CoverModel model = Draw(flags, *shape, *learner, rows->data, rng);
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  if (const Status written = WriteOutput(flags.out, model.ToJson()); !written) {
    return Report(written.error());
  }
  Tell(flags, model, *rows, seconds.count());
  return kDone;
}

void AddTableFlags(CLI::App& command, FitFlags& flags) {
  command.add_option("-d,--data", flags.data, "the private table, csv")
      ->required();
  command.add_option("--schema", flags.schema,
                     "the public description of the columns, JSON");
  command.add_option("--label", flags.label,
                     "the label column (default: the schema's, or y)");
  command.add_option("--labels", flags.labels,
                     "its two values, neg,pos (default: the schema's, or 0,1)");
  command.add_flag("--no-header", flags.no_header,
                   "the columns are called c1, c2, ...");
  command.add_option("--columns", flags.column_count,
                     "without a header: how many columns, unless the schema "
                     "names them all");
  command.add_flag("--skip-bad", flags.skip_bad,
                   "rows that cannot be read do not end it: with add-remove "
                   "they are left out, with replace a blank row stands for "
                   "each");
}

void AddPrivacyFlags(CLI::App& command, FitFlags& flags) {
  command.add_option("--epsilon", flags.epsilon)->required();
  command.add_option("--delta", flags.delta)->required();
  command
      .add_option("--relation", flags.relation,
                  "neighbours: replace one row, or add-remove one")
      ->check(CLI::IsMember({"replace", "add-remove"}))
      ->capture_default_str();
  command
      .add_option("--rounds-per-user", flags.rounds_per_user,
                  "the most rows one user has")
      ->capture_default_str();
  command
      .add_option("--calibration", flags.calibration,
                  "practical, or the paper's constants for comparison")
      ->check(CLI::IsMember({"practical", "paper"}))
      ->capture_default_str();
  command.add_option("--seed", flags.seed,
                     "experiments only: the result is then not private");
}

void AddListFlags(CLI::App& command, FitFlags& flags) {
  AllowScientific(
      *command.add_option("--rules", flags.rules, "how many rules to draw")
           ->capture_default_str());
  command
      .add_option("--literals", flags.literals,
                  "the most literals in a rule: 1, 2 or 3")
      ->capture_default_str();
  command
      .add_option("--reward", flags.reward,
                  "what a right row is worth, a wrong one being 1; 0 makes "
                  "lists long and more accurate")
      ->capture_default_str();
  command.add_option("--bonus", flags.bonus,
                     "the most that right rows can add to a rule, in nats "
                     "(default: ln of the number of rules; more for labels "
                     "that no list can explain)");
  AllowScientific(*command.add_option(
      "--cap", flags.cap,
      "the same as a number of right rows: more add nothing; with --reward "
      "2/3, about 4 % of the rows, for labels that no list can explain"));
  command
      .add_option("--shares", flags.shares,
                  "this part of epsilon, as 0.1, releases how many rows each "
                  "rule catches, with noise")
      ->check(CLI::Range(0.0, 0.9));
  command
      .add_option("--cuts", flags.columns.cuts,
                  "where numbers may be cut: so many places in their range")
      ->capture_default_str();
  command
      .add_option("--buckets", flags.columns.buckets,
                  "for categories whose values the schema does not list")
      ->capture_default_str();
}

}  // namespace

void AddFitCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "fit", "Learn a model from a private table that may be published");
  command->footer(
      "Example: sotto fit greedy-cover --epsilon 1 --delta 1e-6 --data "
      "mushroom.csv --no-header --schema mushroom.schema.json --out "
      "model.json\nAn error names the row that cannot be read, and the error "
      "itself "
      "depends on the data: it is for the operator.\nThe list is shown as if / "
      "else if / else; sotto show prints "
      "it again, sotto predict uses it.");
  auto flags = std::make_shared<FitFlags>();
  command->add_option("model", flags->model, "greedy-cover")->required();
  AddTableFlags(*command, *flags);
  command->add_option("-o,--out", flags->out, "where the model goes, JSON")
      ->required();
  AddPrivacyFlags(*command, *flags);
  AddListFlags(*command, *flags);
  command->add_flag("--json", flags->json, "a report on stdout, as JSON");
  command->add_flag("--quiet", flags->quiet, "say nothing but errors");
  command->callback([flags, &exit_code] { exit_code = RunFit(*flags); });
}

}  // namespace sotto::app
