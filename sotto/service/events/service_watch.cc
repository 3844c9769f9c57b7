#include "sotto/service/events/service_watch.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "sotto/service/events/history_file.h"
#include "sotto/service/events/model_trouble.h"
#include "sotto/service/events/release_view.h"

namespace sotto {
namespace {

constexpr std::chrono::seconds kPeriod{1};
constexpr int kComment = 10;      // seconds between comments
constexpr int kSave = 60;         // seconds between saves
constexpr int kPopulations = 30;  // seconds between looks at totals

double Now() {
  const std::chrono::duration<double> time =
      std::chrono::system_clock::now().time_since_epoch();
  return time.count();
}

// Grows over restarts, and stays below 2^53.
std::uint64_t FirstNumber(double time) {
  return static_cast<std::uint64_t>(1e3 * time) * 1000;
}

}  // namespace

ServiceWatch::ServiceWatch(const HostSet& hosts, const RequestMeter& meter,
                           ServiceWatchOptions options)
    : hosts_(hosts),
      meter_(meter),
      options_(std::move(options)),
      started_(Now()),
      feed_(FirstNumber(started_)) {
  Load();
  thread_ = std::thread([this] { Run(); });
}

ServiceWatch::~ServiceWatch() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
  Save();
}

void ServiceWatch::Run() {
  for (int second = 0;; ++second) {
    if (second % kPopulations == 0) populations_ = hosts_.Populations();
    LookAtAll();
    if (second % kComment == 0) feed_.SendComment();
    if (second % kSave == kSave - 1) Save();
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kPeriod, [this] { return ended_; })) return;
  }
}

void ServiceWatch::LookAtAll() {
  std::vector<ModelLook> looks;
  for (const Host* host : hosts_.hosts()) {
    looks.push_back(LookAt(*host, Now()));
  }
  Json service = DescribeService();
  const std::scoped_lock lock(mutex_);
  for (const ModelLook& look : looks) {
    const std::string name = ReadText(Look(look.status, "name"));
    ModelWatch& model = models_.try_emplace(name, name).first->second;
    model.Take(look, [this](std::string_view event, const Json& data) {
      feed_.Publish(event, data);
    });
  }
  service_ = service;
  feed_.Publish("service", std::move(service));
}

ModelLook ServiceWatch::LookAt(const Host& host, double time) {
  ModelLook look{.time = time, .status = host.Status()};
  look.traffic = meter_.Read(host.name());
  look.population = FindPopulation(look.status);
  if (auto published = host.Hypothesis()) {
    std::string& version = versions_[host.name()];
    if (version != published->version) {
      version = published->version;
      look.release = ViewRelease(published->json);
    }
  }
  return look;
}

Json ServiceWatch::FindPopulation(const Json& status) const {
  const std::string name = ReadText(Look(status, "population"));
  Json total = name.empty() ? Json() : Look(populations_, name);
  if (total.object() != nullptr) total["name"] = name;
  return total;
}

Json ServiceWatch::DescribeDisk() const {
  std::error_code error;
  const auto space = std::filesystem::space(options_.folder, error);
  if (error) return {};
  return Json::Object{{"free", space.available}, {"size", space.capacity}};
}

Json ServiceWatch::DescribeService() const {
  Json states = Json::Object{};
  std::uint64_t frozen = 0;
  std::uint64_t starting = 0;
  for (const Host* host : hosts_.hosts()) {
    const Host::Condition condition = host->condition();
    states[host->name()] = Host::StateName(condition.state);
    frozen += condition.state == Host::State::kFrozen ? 1 : 0;
    starting += condition.state == Host::State::kStarting ? 1 : 0;
  }
  const char* health = options_.draining() ? "draining"
                       : frozen > 0        ? "frozen"
                       : starting > 0      ? "replaying"
                                           : "ready";
  return Json::Object{
      {"t", Now()},
      {"health", health},
      {"frozen", frozen},
      {"models", states},
      {"started", started_},
      {"anchor", frozen > 0 ? "see the frozen model" : "agrees"},
      {"disk", DescribeDisk()}};
}

Json ServiceWatch::Hello() const {
  Json models = Json::Array{};
  for (const auto& [name, model] : models_) models.Add(model.Hello());
  return Json::Object{
      {"seq", feed_.next() - 1},
      {"service", std::filesystem::path(options_.folder).filename().string()},
      {"version", options_.version},
      {"started", started_},
      {"now", Now()},
      {"state", service_},
      {"models", std::move(models)}};
}

void ServiceWatch::Subscribe(http::BodyWriter writer,
                             std::optional<std::uint64_t> last) {
  const std::scoped_lock lock(mutex_);
  feed_.Subscribe(std::move(writer), last, Hello());
}

void ServiceWatch::Load() {
  const auto json = ReadHistory(options_.folder, hosts_.history_key());
  if (!json) return;  // of no consequence
  for (const auto& [name, model] : *json->object()) {
    models_.try_emplace(name, name).first->second.Load(model);
  }
}

void ServiceWatch::Save() const {
  Json json = Json::Object{};
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [name, model] : models_) json[name] = model.Save();
  }
  // A disk that is full must not stop the service.
  static_cast<void>(WriteHistory(options_.folder, hosts_.history_key(), json));
}

}  // namespace sotto
