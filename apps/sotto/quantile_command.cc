#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "line_command.h"
#include "sotto/accounting/group_privacy.h"
#include "sotto/mechanisms/online_thresholds.h"

namespace sotto::app {
namespace {

struct QuantileFlags : LineFlags {
  std::string data;
  std::string relation = "replace";
};

Result<std::vector<double>> ReadNumbers(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return InvalidArgument("cannot open " + path + ": " + std::strerror(errno));
  }
  LineReader reader(fd, [] { return Ok(); });
  std::vector<double> numbers;
  std::optional<Error> problem;
  while (const auto line = reader.Next()) {
    const auto number = ParseReal(*line);
    if (!number) {
      problem = InvalidArgument(
          path + ", line " + std::to_string(reader.line_number()) + ": '" +
          std::string(line->substr(0, 40)) + "' is not a finite number");
      break;
    }
    numbers.push_back(*number);
  }
  ::close(fd);
  if (problem) return *problem;
  if (!reader.status()) return reader.status().error();
  return numbers;
}

// Ties a state to its data: resuming on other data is refused, and noise is
// derived from it.
std::string Fingerprint(const std::vector<double>& data) {
  const std::array<std::byte, Key::kBytes> zeros{};
  const Key hash = Key::FromBytes(zeros).Derive(
      "data-v1", "fingerprint", {std::as_bytes(std::span(data))});
  std::string text;
  for (const std::byte byte : hash.bytes().first(8)) {
    std::array<char, 3> hex;
    std::snprintf(hex.data(), hex.size(), "%02x",
                  std::to_integer<unsigned>(byte));
    text += hex.data();
  }
  return text;
}

std::string Settings(const QuantileFlags& flags,
                     const std::vector<double>& data) {
  return "epsilon " + Exact(flags.epsilon) + ", delta " + Exact(flags.delta) +
         ", horizon " + std::to_string(flags.horizon) + ", relation " +
         flags.relation + ", rounds per user " +
         std::to_string(flags.rounds_per_user) + ", data " + Fingerprint(data);
}

// One record added or removed is what the mechanism is calibrated for; a
// replaced record is two of them, and so is each of a user's.
Result<OnlineThresholds::Params> ParamsOf(const QuantileFlags& flags) {
  const auto user = PerRound(flags);
  if (!user) return user.error();
  const auto each = flags.relation == "replace" ? PerRoundTarget(*user, 2)
                                                : Result<ApproximateDp>(*user);
  if (!each) return each.error();
  return OnlineThresholds::Params{
      .epsilon = each->epsilon, .delta = each->delta, .horizon = flags.horizon};
}

Result<OnlineThresholds> RanksOf(const OnlineThresholds::Params& params,
                                 std::vector<double> data,
                                 const std::optional<std::string>& saved,
                                 HistoryRng& rng) {
  if (!saved) {
    rng.Absorb(0);
    return OnlineThresholds::Create(params, std::move(data), rng);
  }
  ByteReader reader(*saved);
  auto ranks = OnlineThresholds::Load(params, std::move(data), reader);
  if (!ranks) return ranks.error();
  if (const Status whole = reader.Finish(); !whole) return whole.error();
  return ranks;
}

Status AnswerQuantile(std::string_view line, OnlineThresholds& ranks,
                      HistoryRng& rng, bool json, LineWriter& out) {
  const auto query = ParseReal(line);
  if (!query) {
    return InvalidArgument("'" + std::string(line.substr(0, 40)) +
                           "' is not a finite number");
  }
  rng.Absorb(std::bit_cast<std::uint64_t>(*query));
  const auto answer = ranks.Query(*query, rng);
  if (!answer) return InvalidArgument(answer.error().message);
  if (json) {
    out.Text("{\"t\":");
    out.Number(static_cast<std::int64_t>(ranks.queries()));
    out.Text(",\"estimate\":");
    out.Number(answer->estimate);
    out.Text(",\"error\":");
    out.Number(answer->error);
    out.Text("}");
  } else {
    out.Number(answer->estimate);
  }
  return Ok();
}

std::string Expectation(const OnlineThresholds& ranks) {
  return "Every estimate within " + std::to_string(ranks.ErrorBound()) +
         " of the true rank, with probability 95 %, over all " +
         std::to_string(ranks.queries()) + " queries.";
}

int RunQuantile(const QuantileFlags& flags) {
  const auto params = ParamsOf(flags);
  if (!params) return Report(params.error());
  auto data = ReadNumbers(flags.data);
  if (!data) return Report(data.error());
  const std::string settings = Settings(flags, *data);
  const auto start = StartLines(flags, "quantile", settings);
  if (!start) return Report(start.error());
  HistoryRng rng(start->key);
  auto ranks = RanksOf(*params, *std::move(data), start->mechanism, rng);
  if (!ranks) return Report(ranks.error());
  const LineLoop loop{[&](std::string_view line, LineWriter& out) {
    return AnswerQuantile(line, *ranks, rng, flags.json, out);
  }};
  const auto lines = AnswerLines(flags, loop, start->lines);
  if (!lines) return Report(lines.error());
  const auto promise = flags.relation == "replace"
                           ? ReplaceFromAddRemove(ranks->guarantee())
                           : Result<Guarantee>(ranks->guarantee());
  if (!promise) return Report(promise.error());
  ByteWriter state;
  ranks->Save(state);
  return FinishLines(flags, "quantile", settings, rng, *lines, state, *promise,
                     Expectation(*ranks));
}

constexpr const char* kFooter =
    "Reads private numbers from a file and one real query a line from standard "
    "input; prints, for each, an estimate of how many numbers are below it.\n"
    "Example: seq 50 100 950 | sotto quantile --data <(seq 1000) --epsilon 1 "
    "--delta 1e-6 --horizon 1000";

}  // namespace

void AddQuantileCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "quantile",
      "Private ranks: how many numbers of a file are below each "
      "query");
  command->footer(kFooter);
  auto flags = std::make_shared<QuantileFlags>();
  AddLineFlags(*command, *flags);
  command->add_option("--data", flags->data, "the private numbers, one a line")
      ->required();
  command
      ->add_option("--horizon", flags->horizon, "the most queries there can be")
      ->required();
  command
      ->add_option("--relation", flags->relation,
                   "neighbours: replace one number, or add-remove one")
      ->check(CLI::IsMember({"replace", "add-remove"}));
  command->callback([flags, &exit_code] { exit_code = RunQuantile(*flags); });
}

}  // namespace sotto::app
