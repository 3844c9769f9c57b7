#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/service/host_set.h"

namespace sotto::api {

// A host that remembers what it was asked and answers as the test says.
class FakeHost final : public Host {
 public:
  using Answer = std::function<HostReply(const HostRequest&)>;

  explicit FakeHost(std::string name) : name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  bool CanTake(std::size_t /*requests*/) const override { return can_take; }
  void SubmitAll(std::vector<HostRequest> requests, AllDone done) override {
    std::vector<HostReply> replies;
    for (HostRequest& request : requests) {
      replies.push_back(answer(request));
      asked.push_back(std::move(request));
    }
    done(std::move(replies));
  }
  bool own_names_only() const override { return own_names; }
  std::size_t longest_body() const override { return 120; }
  Condition condition() const override { return {.state = state}; }
  Json Status() const override { return Json::Object{{"name", name_}}; }
  std::optional<Publication> Hypothesis() const override { return published; }
  std::optional<std::string> Estimate() const override { return estimate; }
  void Drain() override {}

  bool can_take = true;
  bool own_names = false;
  State state = State::kReady;
  std::optional<Publication> published;
  std::optional<std::string> estimate;
  std::vector<HostRequest> asked;
  Answer answer = [](const HostRequest& request) -> HostReply {
    if (request.unusable) {
      return {.kind = HostReply::Kind::kEmptyRound,
              .body = R"({"error":"unreadable","code":"bad_row"})"};
    }
    if (request.kind == HostRequest::Kind::kLabel) {
      return {.kind = HostReply::Kind::kTaken, .body = R"({"ok":true})"};
    }
    return {.kind = HostReply::Kind::kAnswered,
            .body = "{\"prediction\":" + request.body + "}"};
  };

 private:
  std::string name_;
};

class FakeHostSet final : public HostSet {
 public:
  sotto::Status Check(const Json& /*configuration*/) const override {
    return Ok();
  }
  Result<Host*> Create(const Json& configuration) override {
    const Json* name = configuration.Find("name");
    if (name == nullptr || name->text() == nullptr) {
      return InvalidArgument("a model needs a name");
    }
    if (Find(*name->text()) != nullptr) return FailedPrecondition("taken");
    return Add(*name->text());
  }
  FakeHost* Add(const std::string& name) {
    all_.push_back(std::make_unique<FakeHost>(name));
    return all_.back().get();
  }
  Host* Find(std::string_view name) const override {
    for (const auto& host : all_) {
      if (host->name() == name) return host.get();
    }
    return nullptr;
  }
  bool MayExist(std::string_view /*name*/) const override { return others; }
  std::vector<Host*> hosts() const override {
    std::vector<Host*> list;
    for (const auto& host : all_) list.push_back(host.get());
    return list;
  }
  bool ready() const override {
    for (const auto& host : all_) {
      if (!host->condition().ready()) return false;
    }
    return true;
  }
  Json Populations() const override { return Json::Object{}; }
  Key history_key() const override {
    return Key::FromBytes(std::array<std::byte, Key::kBytes>{});
  }
  void Drain() override {}

  bool others = false;  // may have made models

 private:
  std::vector<std::unique_ptr<FakeHost>> all_;
};

}  // namespace sotto::api
