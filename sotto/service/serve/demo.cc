#include "sotto/service/serve/demo.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/data/streams/life_stream.h"
#include "sotto/service/client/http_client.h"

namespace sotto {
namespace {

constexpr const char* kModel = "life";
constexpr std::uint64_t kHorizon = 100'000;
constexpr std::size_t kMostWaiting = 500;  // labels that come later

std::vector<std::string> SplitCells(std::string_view row) {
  std::vector<std::string> cells;
  while (row.ends_with('\n')) row.remove_suffix(1);
  while (true) {
    const std::size_t comma = row.find(',');
    cells.emplace_back(row.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    row.remove_prefix(comma + 1);
  }
}

// A cell as JSON: a number where it is one, otherwise a text.
Json ToJson(const std::string& cell) {
  std::int64_t number = 0;
  const char* end = cell.data() + cell.size();
  const auto read = std::from_chars(cell.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) return number;
  return cell;
}

DemoRow MakeRow(const std::vector<std::string>& columns,
                const std::string& text) {
  const auto cells = SplitCells(text);
  Json x = Json::Object{};
  for (std::size_t i = 0; i + 1 < columns.size(); ++i) {
    x[columns[i]] = ToJson(cells[i]);
  }
  return {.request = Json(Json::Object{{"x", x}}).Dump(),
          .label = cells.back()};
}

// The ticket of an answer; empty if it has none.
std::string FindTicket(const std::string& body) {
  const auto json = Json::Parse(body);
  const Json* ticket = json ? json->Find("ticket") : nullptr;
  return ticket != nullptr && ticket->text() != nullptr ? *ticket->text() : "";
}

HttpClient::Request Post(const char* call, std::string body,
                         const std::string& user) {
  HttpClient::Request request{
      .method = "POST",
      .path = std::string("/v1/models/") + kModel + "/" + call,
      .fields = {{"Content-Type", "application/json"}},
      .body = std::move(body)};
  if (!user.empty()) request.fields.emplace_back("Sotto-User", user);
  return request;
}

std::string LabelBody(const std::string& ticket, const std::string& label) {
  return "{\"ticket\":\"" + ticket + "\",\"y\":\"" + label + "\"}";
}

}  // namespace

Json DemoModel() {
  return Json::Object{{"name", kModel},
                      {"model", "tide"},
                      {"epsilon", 1},
                      {"delta", 1e-6},
                      {"horizon", kHorizon},
                      {"compare", true},
                      {"schema", *Json::Parse(LifeStream::Schema())}};
}

Result<std::function<DemoRow()>> DemoRows(std::uint64_t seed) {
  SOTTO_TRY_ASSIGN(auto made,
                   LifeStream::Create({.seed = seed, .missing = 0.2}));
  auto life = std::make_shared<LifeStream>(std::move(made));
  return std::function<DemoRow()>(
      [life, columns = SplitCells(LifeStream::Header())] {
        std::string text;
        life->AppendRow(text);
        return MakeRow(columns, text);
      });
}

std::string DemoCommands(const std::string& user_url,
                         const std::string& operator_url) {
  const auto rows = DemoRows(1);
  const std::string row = rows ? (*rows)().request : "{}";
  const std::string model = user_url + "/v1/models/" + kModel;
  return "dashboard " + operator_url + "/\nusers     " + user_url +
         "\noperator  " + operator_url +
         "\n\nTry this, then put the ticket of its answer into the next line:\n"
         "  curl -s " +
         model + "/predict -H 'Sotto-User: you' -d '" + row + "'\n  curl -s " +
         model +
         "/labels -d '{\"ticket\":\"TICKET\",\"y\":\"yes\"}'\n  curl -s " +
         operator_url + "/v1/models/" + kModel +
         "\n\nUsers of a made-up table come and go meanwhile. Ctrl-C ends.\n";
}

DemoUsers::DemoUsers(std::string url, double rounds_per_second)
    : url_(std::move(url)),
      rate_(rounds_per_second),
      thread_([this] { Run(); }) {}

DemoUsers::~DemoUsers() {
  ended_ = true;
  thread_.join();
}

void DemoUsers::Run() {
  auto rows = DemoRows(2);
  auto client = HttpClient::Open(url_);
  if (!rows || !client) return;
  std::deque<std::string> waiting;  // bodies of labels
  const std::chrono::duration<double> pause(1 / rate_);
  for (std::uint64_t i = 0; !ended_; ++i) {
    std::this_thread::sleep_for(pause);
    const DemoRow row = (*rows)();
    const auto answer =
        client->Ask(Post("predict", row.request, "demo-" + std::to_string(i)));
    if (!answer) continue;  // draining, or not ready yet
    const std::string ticket = FindTicket(answer->body);
    if (ticket.empty() || row.label.empty()) continue;  // missing for good
    waiting.push_back(LabelBody(ticket, row.label));
    // Every third label comes at once, others when many wait.
    if (i % 3 != 0 && waiting.size() < kMostWaiting) continue;
    const auto taken = client->Ask(Post("labels", waiting.front(), ""));
    if (taken) waiting.pop_front();
  }
}

DemoRestart::DemoRestart(std::function<void()> restart, double seconds)
    : thread_([this, restart = std::move(restart), seconds] {
        std::unique_lock lock(mutex_);
        const std::chrono::duration<double> time(seconds);
        if (changed_.wait_for(lock, time, [this] { return ended_; })) return;
        came_ = true;
        restart();
      }) {}

DemoRestart::~DemoRestart() { Came(); }

bool DemoRestart::Came() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  return came_;
}

}  // namespace sotto
