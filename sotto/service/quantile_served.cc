#include "sotto/service/quantile_served.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_ranks.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/service/name_hash.h"
#include "sotto/service/reply_text.h"

namespace sotto {
namespace {

// Rounds for which a repeated request is known.
constexpr std::uint64_t kRepeatRounds = 1'000'000;
constexpr std::string_view kNoNumber = "expected {\"x\": a number}";

Key NoiseKey(const Key& noise) { return noise.Derive("quantile-v1", "", {}); }

Result<std::vector<double>> DecodeNumbers(std::span<const std::string> rows) {
  std::vector<double> numbers;
  for (const std::string& row : rows) {
    SOTTO_TRY_ASSIGN(const auto record, DecodeRound(row, {}));
    if (record.round.x.size() > 1) {
      return Corruption("a number of the training set makes no sense");
    }
    // Feature vectors may leave out a zero.
    numbers.push_back(record.round.x.empty() ? 0 : record.round.x[0].value);
  }
  return numbers;
}

Result<Guarantee> MakePromise(const Settings& settings,
                              const OnlineThresholds& ranks) {
  return QuantilePromise(settings, ranks.guarantee());
}

}  // namespace

bool QuantileServed::Is(std::string_view model) {
  return model == kQuantileKind;
}

QuantileServed::QuantileServed(std::vector<double> data, OnlineThresholds ranks,
                               Guarantee guarantee, const Key& names,
                               const Key& noise)
    : data_(std::move(data)),
      ranks_(std::move(ranks)),
      guarantee_(std::move(guarantee)),
      names_(names),
      repeat_key_(MakeRepeatKey(names)),
      rng_(std::make_unique<HistoryRng>(noise)),
      repeats_(kRepeatRounds) {}

Result<Settings> QuantileServed::ReadSettings(
    const ModelConfiguration& configuration) {
  if (!configuration.schema.empty() || configuration.train.empty()) {
    return InvalidArgument(
        "quantile needs \"train\", a file of numbers, and has no \"schema\"");
  }
  for (const auto& [name, value] : configuration.options) {
    if (name == "epsilon" || name == "delta" || name == "horizon" ||
        name == "relation") {
      continue;
    }
    return InvalidArgument("\"" + name +
                           "\" is not an option of a service's quantile");
  }
  return ReadOptions(QuantileOptions(), configuration.options);
}

Result<std::vector<Record>> QuantileServed::ReadTrainingRows(
    const ModelConfiguration& configuration) {
  SOTTO_TRY_ASSIGN(const auto numbers, ReadNumbers(configuration.train));
  std::vector<Record> rows;
  rows.reserve(numbers.size());
  for (const double number : numbers) {
    RoundRecord record;
    record.round.x = {{0, number}};
    rows.push_back(EncodeRound(record, RecordType::kTrain));
  }
  return rows;
}

// The guarantee does not depend on the numbers, so it is that of none.
Result<Guarantee> QuantileServed::Check(
    const ModelConfiguration& configuration) {
  SOTTO_TRY_ASSIGN(const auto settings, ReadSettings(configuration));
  SOTTO_TRY_ASSIGN(const auto params, QuantileParams(settings));
  SOTTO_TRY(ReadNumbers(configuration.train));
  SOTTO_TRY_ASSIGN(const auto key, Key::Generate());
  ChaChaRng rng(key);
  SOTTO_TRY_ASSIGN(const auto ranks, OnlineThresholds::Create(params, {}, rng));
  return MakePromise(settings, ranks);
}

Result<std::unique_ptr<ServedModel>> QuantileServed::Create(
    const ModelConfiguration& configuration, const JournalKeys& keys,
    std::span<const std::string> training_rows) {
  SOTTO_TRY_ASSIGN(const auto settings, ReadSettings(configuration));
  SOTTO_TRY_ASSIGN(const auto params, QuantileParams(settings));
  SOTTO_TRY_ASSIGN(auto data, DecodeNumbers(training_rows));
  HistoryRng rng(NoiseKey(keys.noise));
  // Other numbers under the same key have other noise.
  const auto hash = keys.noise.Derive("quantile-v1", "data", {})
                        .Hash({reinterpret_cast<const char*>(data.data()),
                               data.size() * sizeof(double)});
  rng.Absorb(hash[0], hash[1] >> 1);
  SOTTO_TRY_ASSIGN(auto ranks, OnlineThresholds::Create(params, data, rng));
  SOTTO_TRY_ASSIGN(auto promise, MakePromise(settings, ranks));
  return std::unique_ptr<ServedModel>(
      new QuantileServed(std::move(data), std::move(ranks), std::move(promise),
                         keys.names, rng.key()));
}

Status QuantileServed::Save(ByteWriter& writer) {
  names_.Save(writer);
  rng_->key().Save(writer);
  const ReplyHash hash = replies();
  writer.Raw({reinterpret_cast<const char*>(hash.data()), hash.size()});
  writer.Number(rounds_);
  writer.Number(static_cast<std::uint64_t>(data_.size()));
  for (const double number : data_) writer.Real(number);
  ranks_.Save(writer);
  repeats_.Save(writer);
  return Ok();
}

Result<std::unique_ptr<ServedModel>> QuantileServed::Load(
    const ModelConfiguration& configuration, std::string_view state) {
  SOTTO_TRY_ASSIGN(const auto settings, ReadSettings(configuration));
  SOTTO_TRY_ASSIGN(const auto params, QuantileParams(settings));
  ByteReader reader(state);
  SOTTO_TRY_ASSIGN(const auto names, Key::Load(reader));
  SOTTO_TRY_ASSIGN(const auto noise, Key::Load(reader));
  ReplyHash hash{};
  reader.Raw(hash.size())
      .copy(reinterpret_cast<char*>(hash.data()), hash.size());
  const auto rounds = reader.Number<std::uint64_t>();
  const auto size = reader.Number<std::uint64_t>();
  if (size > reader.RoomFor(sizeof(double))) {
    return Corruption("the saved numbers make no sense");
  }
  std::vector<double> data(static_cast<std::size_t>(size));
  for (double& number : data) number = reader.Real();
  SOTTO_TRY_ASSIGN(auto ranks, OnlineThresholds::Load(params, data, reader));
  SOTTO_TRY_ASSIGN(auto promise, MakePromise(settings, ranks));
  std::unique_ptr<QuantileServed> model(new QuantileServed(
      std::move(data), std::move(ranks), std::move(promise), names, noise));
  SOTTO_TRY(model->repeats_.Load(reader));
  SOTTO_TRY(reader.Finish());
  model->replies_ = ReplyChain(hash);
  model->rounds_ = rounds;
  return std::unique_ptr<ServedModel>(std::move(model));
}

void QuantileServed::Rotate(const JournalKeys& fresh) {
  const Key history = rng_->key();
  rng_ = std::make_unique<HistoryRng>(fresh.noise.Derive(
      "rotate-v1", "noise", {std::span<const std::byte>(history.bytes())}));
}

std::optional<double> QuantileServed::ReadQuery(const HostRequest& request) {
  const auto json =
      request.unusable ? Result<Json>(Json()) : Json::Parse(request.body);
  const Json* x = json ? json->Find("x") : nullptr;
  if (x != nullptr && x->array() != nullptr && x->array()->size() == 1) {
    x = &x->array()->front();
  }
  const auto number = x == nullptr ? std::nullopt : x->number();
  return number && std::isfinite(*number) ? number : std::nullopt;
}

ServedStep QuantileServed::Prepare(const HostRequest& request) {
  ServedStep step{.kind = request.kind};
  if (request.kind != HostRequest::Kind::kPredict) {
    step.reply = InvalidReply();
    return step;
  }
  if (const auto* kept =
          repeats_.Find(repeat_key_, request, step.round.repeat)) {
    step.reply = RestoreReply(*kept);
    return step;
  }
  if (halted()) {
    step.reply = HaltedReply();
    return step;
  }
  Round& round = step.round.round;
  if (const auto query = ReadQuery(request)) {
    round.x = {{0, *query}};
  } else {
    round.presence = Presence::kUnusable;
    step.round.error = kNoNumber;
  }
  step.record = EncodeRound(step.round);
  return step;
}

Result<HostReply> QuantileServed::Apply(ServedStep& step) {
  if (step.reply) return *step.reply;
  return Answer(step.round);
}

Status QuantileServed::Replay(const RecordView& record) {
  if (record.type != RecordType::kRound) {
    return Corruption("a record of an unexpected type");
  }
  SOTTO_TRY_ASSIGN(const auto read, DecodeRound(record.payload, {}));
  SOTTO_TRY(Answer(read));
  return Ok();
}

Result<HostReply> QuantileServed::Answer(const RoundRecord& record) {
  if (const auto* kept = repeats_.Find(record.repeat)) {
    return RestoreReply(*kept);
  }
  if (halted()) return HaltedReply();
  ++rounds_;
  HostReply reply;
  if (record.round.present()) {
    const double x = record.round.x.empty() ? 0 : record.round.x[0].value;
    rng_->Absorb(std::bit_cast<std::uint64_t>(x));
    SOTTO_TRY_ASSIGN(const auto answer, ranks_.Query(x, *rng_));
    reply = {HostReply::Kind::kAnswered,
             Json(Json::Object{{"prediction", answer.estimate},
                               {"error", answer.error}})
                 .Dump()};
  } else {
    reply = EmptyReply(RoundOutcome::Kind::kBadRow, record.error);
  }
  replies_.Add(reply.body);
  repeats_.Expire(rounds_);
  if (record.repeat) {
    repeats_.Keep(*record.repeat, rounds_, KeepReply(reply));
  }
  return reply;
}

std::size_t QuantileServed::longest_body() const {
  constexpr std::string_view kLongest =
      R"({"prediction":-9223372036854775808,"error":-9223372036854775808})";
  return std::max(
      {kLongest.size(), HaltedReply().body.size(),
       UnavailableReply().body.size(),
       EmptyReply(RoundOutcome::Kind::kBadRow, std::string(kNoNumber))
           .body.size()});
}

Json QuantileServed::Describe() const {
  Json json = Json::Object{{"model", kQuantileKind},
                           {"guarantee", ToJson(guarantee_)},
                           {"rounds", rounds_},
                           {"halted", halted()}};
  json["parameters"] = Json::Object{{"horizon", ranks_.horizon()},
                                    {"queries", ranks_.queries()},
                                    {"released_size", ranks_.size()},
                                    {"error_so_far", ranks_.ErrorBound()}};
  return json;
}

}  // namespace sotto
