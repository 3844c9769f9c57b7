#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "commands.h"
#include "line_command.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/mechanisms/ranks/online_thresholds.h"

namespace sotto::app {
namespace {

// With where the numbers are.
const OptionTable& CommandOptions() {
  static const OptionTable kData = {{.name = "data",
                                     .help = "the private numbers, one a line",
                                     .required = true,
                                     .kept = false}};
  static const OptionTable kTable = ConcatOptions({kData, QuantileOptions()});
  return kTable;
}

Result<std::vector<double>> ReadNumbers(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return InvalidArgument("cannot open " + path + ": " + std::strerror(errno));
  }
  LineReader reader(fd, [](const StillWaits&) { return Ok(); });
  std::vector<double> numbers;
  std::optional<Error> problem;
  while (const auto line = reader.Next()) {
    const auto number = ParseReal(*line);
    if (!number) {
      // A record is not quoted: the operator finds it by its line.
      problem = InvalidArgument(path + ", line " +
                                std::to_string(reader.line_number()) +
                                ": expected a finite number");
      break;
    }
    numbers.push_back(*number);
  }
  ::close(fd);
  if (problem) return *problem;
  if (!reader.status()) {
    return InvalidArgument(path + ": " + reader.status().error().message);
  }
  return numbers;
}

// Under a random salt, so that a state confirms no guess of the data.
Key Fingerprint(const Key& salt, const std::vector<double>& data) {
  return salt.Derive("data-v1", "fingerprint",
                     {std::as_bytes(std::span(data))});
}

std::string_view AsText(const Key& key) {
  return {reinterpret_cast<const char*>(key.bytes().data()), Key::kBytes};
}

// The queries answered so far, and the data they were asked of.
struct Ranks {
  OnlineThresholds thresholds;
  Key salt;
  Key fingerprint;
};

Result<Ranks> NewRanks(const OnlineThresholds::Params& params,
                       std::vector<double> data, HistoryRng& rng) {
  SOTTO_TRY_ASSIGN(const auto salt, Key::Generate());
  const Key fingerprint = Fingerprint(salt, data);
  rng.Absorb(0);
  SOTTO_TRY_ASSIGN(auto thresholds,
                   OnlineThresholds::Create(params, std::move(data), rng));
  return Ranks{std::move(thresholds), salt, fingerprint};
}

Result<Ranks> LoadRanks(const OnlineThresholds::Params& params,
                        std::vector<double> data, std::string_view saved) {
  ByteReader reader(saved);
  const std::string_view salt_bytes = reader.Text();
  const std::string_view fingerprint_bytes = reader.Text();
  if (salt_bytes.size() != Key::kBytes) {
    return Corruption("malformed state");
  }
  const Key salt = Key::FromBytes(std::span<const std::byte, Key::kBytes>(
      reinterpret_cast<const std::byte*>(salt_bytes.data()), Key::kBytes));
  const Key fingerprint = Fingerprint(salt, data);
  if (AsText(fingerprint) != fingerprint_bytes) {
    return InvalidArgument(
        "--data does not hold the numbers, in the order, "
        "that the state was made with");
  }
  auto thresholds = OnlineThresholds::Load(params, std::move(data), reader);
  if (!thresholds) {
    return Corruption(thresholds.error().message);
  }
  SOTTO_TRY(reader.Finish());
  return Ranks{*std::move(thresholds), salt, fingerprint};
}

Status AnswerQuantile(std::string_view line, OnlineThresholds& ranks,
                      HistoryRng& rng, std::string_view json_end,
                      LineWriter& out) {
  const auto query = ParseReal(line);
  if (!query) return InvalidArgument(Quote(line) + " is not a finite number");
  rng.Absorb(std::bit_cast<std::uint64_t>(*query));
  const auto answer = ranks.Query(*query, rng);
  if (!answer) return InvalidArgument(answer.error().message);
  if (!json_end.empty()) {
    out.Text("{\"t\":");
    out.Number(static_cast<std::int64_t>(ranks.queries()));
    out.Text(",\"estimate\":");
    out.Number(answer->estimate);
    out.Text(",\"error\":");
    out.Number(answer->error);
    out.Text(json_end);
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

int RunQuantile(const Settings& said) {
  const auto start = StartLines(said, kQuantileKind, said.Text("data"));
  if (!start) return Report(start.error());
  const Settings& settings = start->settings;
  const auto params = QuantileParams(settings);
  if (!params) return Report(params.error());
  auto data = ReadNumbers(settings.Text("data"));
  if (!data) return Report(data.error());
  HistoryRng rng(start->key);
  auto ranks = start->mechanism
                   ? LoadRanks(*params, *std::move(data), *start->mechanism)
                   : NewRanks(*params, *std::move(data), rng);
  if (!ranks) {
    return Report(
        Explain(settings, {params->epsilon, params->delta}, ranks.error()));
  }
  const auto promise = QuantilePromise(settings, ranks->thresholds.guarantee());
  if (!promise) return Report(promise.error());
  const std::string_view json_end = said.Flag("json") ? JsonEnd(*start) : "";
  return RunLines(
      *start, {.kind = kQuantileKind,
               .rng = &rng,
               .answer =
                   [&](std::string_view line, LineWriter& out) {
                     return AnswerQuantile(line, ranks->thresholds, rng,
                                           json_end, out);
                   },
               .save =
                   [&](ByteWriter& writer) {
                     writer.Text(AsText(ranks->salt));
                     writer.Text(AsText(ranks->fingerprint));
                     ranks->thresholds.Save(writer);
                   },
               .expectation = [&] { return Expectation(ranks->thresholds); },
               .guarantee = *promise});
}

}  // namespace

Command QuantileCommand() {
  return {
      .name = "quantile",
      .help = "Private ranks: how many numbers of a file are below each query",
      .footer =
          "Reads private numbers from a file and one real query a line "
          "from standard input; prints, for each, an estimate of how many "
          "numbers are below it.\n"
          "Example: seq 100000 > numbers; seq 5000 10000 95000 | sotto "
          "quantile --data numbers --epsilon 1 --delta 1e-6 --horizon 1000",
      .options = CommandOptions(),
      .call = RunQuantile};
}

}  // namespace sotto::app
