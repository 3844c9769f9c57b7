#include "sotto/service/counter_served.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/round.h"
#include "sotto/frontend/line_mechanisms.h"
#include "sotto/frontend/line_options.h"
#include "sotto/service/name_hash.h"
#include "sotto/service/promise.h"
#include "sotto/service/reply_text.h"

namespace sotto {
namespace {

// Rounds for which a repeated request is known.
constexpr std::uint64_t kRepeatRounds = 1'000'000;
constexpr double kLargestBound = 1 << 20;

OptionTable Options(std::string_view model) {
  const OptionTable bound = {
      {.name = "bound",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "the most that one request adds; larger values are cut",
       .low = 1,
       .high = kLargestBound}};
  return ConcatOptions(
      {model == kCountKind ? CountOptions() : MonitorOptions(), bound});
}

Status CheckNames(const Json::Object& options) {
  constexpr std::array<std::string_view, 8> kTaken = {
      "epsilon",   "delta",           "rounds-per-user", "horizon",
      "mechanism", "expected-events", "threshold",       "bound"};
  for (const auto& [name, value] : options) {
    if (std::ranges::find(kTaken, name) != kTaken.end()) continue;
    return InvalidArgument("\"" + name +
                           "\" is not an option of a service's "
                           "counter");
  }
  return Ok();
}

Key NoiseKey(const Key& noise) { return noise.Derive("counter-v1", "", {}); }

}  // namespace

struct CounterServed::Setup {
  std::string model;
  std::uint64_t bound = 1;
  std::uint64_t rounds_per_user = 1;
  // Per unit: a user changes at most bound * rounds_per_user of them.
  Settings settings;
};

bool CounterServed::Is(std::string_view model) {
  return model == kCountKind || model == kMonitorKind;
}

CounterServed::CounterServed(const Setup& setup, Mechanism mechanism,
                             const Key& names, const Key& noise)
    : model_(setup.model),
      bound_(setup.bound),
      horizon_(setup.settings.GetInt("horizon")),
      mechanism_(std::move(mechanism)),
      guarantee_(*MakePromise(setup, mechanism_)),
      names_(names),
      name_key_(MakeNameKey(names)),
      repeat_key_(MakeRepeatKey(names)),
      ledger_(names.Derive("service-v1", "ledger", {}), setup.rounds_per_user),
      rng_(std::make_unique<HistoryRng>(noise)),
      repeats_(kRepeatRounds) {}

Result<CounterServed::Setup> CounterServed::MakeSetup(
    const ModelConfiguration& configuration) {
  if (!configuration.schema.empty() || !configuration.train.empty()) {
    return InvalidArgument("a counter has no \"schema\" and no \"train\"");
  }
  SOTTO_TRY(CheckNames(configuration.options));
  SOTTO_TRY_ASSIGN(auto settings, ReadOptions(Options(configuration.model),
                                              configuration.options));
  Setup setup{configuration.model, settings.GetInt("bound"),
              settings.GetInt("rounds-per-user"), settings};
  SOTTO_TRY(setup.settings.Set(
      "rounds-per-user", std::to_string(setup.bound * setup.rounds_per_user)));
  return setup;
}

Result<CounterServed::Mechanism> CounterServed::MakeMechanism(
    const Setup& setup, ByteReader* state) {
  if (setup.model == kCountKind) {
    SOTTO_TRY_ASSIGN(const auto params, CounterParams(setup.settings));
    SOTTO_TRY_ASSIGN(auto counter, state == nullptr
                                       ? Counter::Create(params)
                                       : Counter::Load(params, *state));
    SOTTO_TRY(CheckPromise(setup.settings, counter.guarantee()));
    return Mechanism(std::move(counter));
  }
  SOTTO_TRY_ASSIGN(const auto params, MonitorParams(setup.settings));
  SOTTO_TRY_ASSIGN(auto monitor, state == nullptr
                                     ? ThresholdMonitor::Create(params)
                                     : ThresholdMonitor::Load(params, *state));
  SOTTO_TRY(CheckPromise(setup.settings, monitor.guarantee()));
  return Mechanism(std::move(monitor));
}

Result<Guarantee> CounterServed::MakePromise(const Setup& setup,
                                             const Mechanism& mechanism) {
  return std::visit(
      [&](const auto& of) {
        return UserPromise(setup.settings, of.guarantee());
      },
      mechanism);
}

Result<Guarantee> CounterServed::Check(
    const ModelConfiguration& configuration) {
  SOTTO_TRY_ASSIGN(const auto setup, MakeSetup(configuration));
  SOTTO_TRY_ASSIGN(const auto mechanism, MakeMechanism(setup, nullptr));
  return MakePromise(setup, mechanism);
}

Result<std::unique_ptr<ServedModel>> CounterServed::Create(
    const ModelConfiguration& configuration, const JournalKeys& keys) {
  SOTTO_TRY_ASSIGN(const auto setup, MakeSetup(configuration));
  SOTTO_TRY_ASSIGN(auto mechanism, MakeMechanism(setup, nullptr));
  SOTTO_TRY(MakePromise(setup, mechanism));
  return std::unique_ptr<ServedModel>(new CounterServed(
      setup, std::move(mechanism), keys.names, NoiseKey(keys.noise)));
}

Status CounterServed::Save(ByteWriter& writer) {
  names_.Save(writer);
  rng_->key().Save(writer);
  const ReplyHash hash = replies();
  writer.Raw({reinterpret_cast<const char*>(hash.data()), hash.size()});
  writer.Text(estimate_.value_or(""));
  std::visit([&](const auto& of) { of.Save(writer); }, mechanism_);
  ledger_.Save(writer);
  repeats_.Save(writer);
  return Ok();
}

Result<std::unique_ptr<ServedModel>> CounterServed::Load(
    const ModelConfiguration& configuration, std::string_view state) {
  SOTTO_TRY_ASSIGN(const auto setup, MakeSetup(configuration));
  ByteReader reader(state);
  SOTTO_TRY_ASSIGN(const auto names, Key::Load(reader));
  SOTTO_TRY_ASSIGN(const auto noise, Key::Load(reader));
  ReplyHash hash{};
  reader.Raw(hash.size())
      .copy(reinterpret_cast<char*>(hash.data()), hash.size());
  const std::string_view estimate = reader.Text();
  SOTTO_TRY_ASSIGN(auto mechanism, MakeMechanism(setup, &reader));
  SOTTO_TRY(MakePromise(setup, mechanism));
  std::unique_ptr<CounterServed> model(
      new CounterServed(setup, std::move(mechanism), names, noise));
  SOTTO_TRY(model->ledger_.Load(reader));
  SOTTO_TRY(model->repeats_.Load(reader));
  SOTTO_TRY(reader.Finish());
  model->replies_ = ReplyChain(hash);
  if (!estimate.empty()) model->estimate_ = std::string(estimate);
  return std::unique_ptr<ServedModel>(std::move(model));
}

void CounterServed::Rotate(const JournalKeys& fresh) {
  const Key history = rng_->key();
  rng_ = std::make_unique<HistoryRng>(fresh.noise.Derive(
      "rotate-v1", "noise", {std::span<const std::byte>(history.bytes())}));
}

bool CounterServed::halted() const {
  const auto* const monitor = std::get_if<ThresholdMonitor>(&mechanism_);
  return (monitor != nullptr && monitor->halted()) ||
         (horizon_ > 0 && rounds() >= horizon_);
}

std::uint64_t CounterServed::rounds() const {
  return std::visit([](const auto& of) { return of.steps(); }, mechanism_);
}

std::optional<std::uint64_t> CounterServed::ReadValue(
    const HostRequest& request) const {
  if (request.unusable || request.user.size() > kMaxUserBytes) {
    return std::nullopt;
  }
  const auto json = Json::Parse(request.body);
  const Json* const value = json ? json->Find("value") : nullptr;
  if (value == nullptr || !value->natural()) return std::nullopt;
  return std::min(*value->natural(), bound_);
}

ServedStep CounterServed::Prepare(const HostRequest& request) {
  ServedStep step{.kind = request.kind};
  if (request.kind != HostRequest::Kind::kAdd) {
    step.reply = InvalidReply();
    return step;
  }
  if (const auto* kept =
          repeats_.Find(repeat_key_, request, step.round.repeat)) {
    step.reply = HostReply{HostReply::Kind::kCounted, *kept};
    return step;
  }
  if (halted()) {
    // A monitor that has answered 'above' says so for good.
    const bool said = std::holds_alternative<ThresholdMonitor>(mechanism_);
    step.reply = said && estimate_
                     ? HostReply{HostReply::Kind::kCounted, *estimate_}
                     : HaltedReply();
    return step;
  }
  const auto value = ReadValue(request);
  Round& round = step.round.round;
  if (!value) round.presence = Presence::kUnusable;
  if (value) round.x = {{0, static_cast<double>(*value)}};
  const bool named =
      !request.user.empty() && request.user.size() <= kMaxUserBytes;
  if (named) round.user = HashName(name_key_, request.user);
  step.value = value.value_or(0);
  step.record = EncodeRound(step.round, RecordType::kAdd);
  return step;
}

Result<HostReply> CounterServed::Apply(ServedStep& step) {
  if (step.reply) return *step.reply;
  return Add(step.round, step.value);
}

Status CounterServed::Replay(const RecordView& record) {
  if (record.type != RecordType::kAdd) {
    return Corruption("a record of an unexpected type");
  }
  SOTTO_TRY_ASSIGN(const auto read, DecodeRound(record.payload, {}));
  const double value = read.round.x.empty() ? 0 : read.round.x[0].value;
  if (value < 0 || value > kLargestBound) {
    return Corruption("a counter's step is out of range");
  }
  SOTTO_TRY(Add(read, static_cast<std::uint64_t>(value)));
  return Ok();
}

Result<HostReply> CounterServed::Add(const RoundRecord& record,
                                     std::uint64_t value) {
  if (const auto* kept = repeats_.Find(record.repeat)) {
    return HostReply{HostReply::Kind::kCounted, *kept};
  }
  if (halted()) return HaltedReply();
  // A named step is charged whatever it holds.
  const bool admitted = ledger_.Admit(record.round.user, phase());
  SOTTO_TRY_ASSIGN(auto body, Step(admitted ? value : 0));
  replies_.Add(body);
  estimate_ = body;
  repeats_.Expire(rounds());
  if (record.repeat) repeats_.Keep(*record.repeat, rounds(), body);
  return HostReply{HostReply::Kind::kCounted, std::move(body)};
}

Result<std::string> CounterServed::Step(std::uint64_t value) {
  rng_->Absorb(value);
  if (auto* const counter = std::get_if<Counter>(&mechanism_)) {
    SOTTO_TRY_ASSIGN(const auto estimate, counter->Add(value, *rng_));
    return Json(Json::Object{{"estimate", estimate}}).Dump();
  }
  auto& monitor = std::get<ThresholdMonitor>(mechanism_);
  SOTTO_TRY_ASSIGN(const auto answer, monitor.Add(value, *rng_));
  const bool above = answer == ThresholdMonitor::Answer::kAbove;
  return Json(Json::Object{{"above", above}}).Dump();
}

std::size_t CounterServed::longest_body() const {
  return std::max(
      {HaltedReply().body.size(), UnavailableReply().body.size(),
       std::string_view(R"({"estimate":-9223372036854775808})").size()});
}

Json CounterServed::Describe() const {
  Json json = Json::Object{{"model", model_},
                           {"guarantee", ToJson(guarantee_)},
                           {"rounds", rounds()},
                           {"halted", halted()}};
  json["promise"] = DescribePromise(guarantee_, "the running value");
  json["parameters"] = Json::Object{
      {"bound", bound_}, {"horizon", horizon_}, {"users", ledger_.users()}};
  json["summary"] =
      std::visit([](const auto& of) { return of.Describe(); }, mechanism_);
  if (estimate_) json["newest"] = *Json::Parse(*estimate_);
  return json;
}

}  // namespace sotto
