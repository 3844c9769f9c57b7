#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/service/host_set.h"
#include "sotto/service/host_test_tools.h"
#include "sotto/testing/faulty_file_system.h"

namespace sotto {
namespace {

using testing::Ask;
using testing::kTide;
using testing::LabelFor;
using testing::Member;
using testing::Predict;
using testing::TestService;
using Kind = HostReply::Kind;

constexpr int kRounds = 400;

// The protected user's rounds in one stream: at the places 7 and 201.
struct World {
  HostRequest first;
  HostRequest second;
  std::optional<int> label{};
  bool repeats = false;
  bool skipped_if_unusable = false;  // a transport that breaks the contract
};

// Everything that others see but noise: kinds and codes of replies, the clock
// and which labels count.
struct View {
  std::vector<std::string> replies{};
  std::string rounds{};
  friend bool operator==(const View&, const View&) = default;
};

std::string Mask(const HostReply& reply) {
  return std::to_string(static_cast<int>(reply.kind)) + " " +
         Member(reply, "code") + " " +
         std::to_string(Member(reply, "ticket").size());
}

void PlayOwn(Host& host, HostRequest request, const World& world) {
  request.user = "ann";
  if (request.unusable && world.skipped_if_unusable) return;
  if (world.repeats) request.idempotency_key = "again";
  const HostReply reply = Ask(host, request);
  if (world.repeats) {
    EXPECT_EQ(Ask(host, request).body, reply.body);
  }
  const std::string ticket = Member(reply, "ticket");
  if (!world.label || ticket.empty()) return;
  EXPECT_EQ(Ask(host, LabelFor(ticket, *world.label)).kind, Kind::kTaken);
}

View Watch(TestService& service, const World& world) {
  View view;
  Host& host = service.host("m");
  for (int i = 0; i < kRounds; ++i) {
    if (i == 7) PlayOwn(host, world.first, world);
    if (i == 201) PlayOwn(host, world.second, world);
    // Some users come twice, some send rows that cannot be used.
    HostRequest request = Predict("u" + std::to_string(i * 3 / 4), 0.5);
    if (i % 11 == 3) request.body = R"({"x":["bad"]})";
    const HostReply reply = Ask(host, request);
    view.replies.push_back(Mask(reply));
    const std::string ticket = Member(reply, "ticket");
    if (i % 3 == 0 && !ticket.empty()) {
      view.replies.push_back(Mask(Ask(host, LabelFor(ticket, i % 2))));
    }
  }
  view.rounds = host.Status().Find("rounds")->Dump();
  return view;
}

HostRequest Body(const std::string& body, bool unusable = false) {
  return {.body = body, .unusable = unusable};
}

View Play(const World& world) {
  TestService service;
  service.Make(kTide);
  View view = Watch(service, world);
  service.Restart();
  EXPECT_EQ(service.host("m").Status().Find("rounds")->Dump(), view.rounds);
  return view;
}

TEST(HostWorldsTest, OthersSeeTheSameWhateverAUserSends) {
  const View base = Play({Body(R"({"x":[0.2]})"), Body(R"({"x":[0.3]})")});
  const std::vector<World> worlds = {
      {Body(R"({"x":[0.9]})"), Body(R"({"x":[0.1]})"), 1},
      {Body(R"({"x":["bad"]})"), Body("{"), 0},
      {Body("", true), Body(R"({"x":[0.3]})"), 1},
      {Body("{}"), Body(R"({"ticket":"x","y":1})")},
      {Body(R"({"x":[0.2],"user":"u1"})"),
       Body(std::string(5000, 'x')),
       {},
       true}};
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    EXPECT_EQ(Play(worlds[i]), base) << "world " << i;
  }
}

// The check can fail: a transport that drops bodies it cannot read moves the
// clock.
TEST(HostWorldsTest, SkippingUnusableBodiesIsRefuted) {
  World good{Body(R"({"x":[0.2]})"), Body(R"({"x":[0.3]})")};
  World bad{Body("", true), Body(R"({"x":[0.3]})")};
  good.skipped_if_unusable = bad.skipped_if_unusable = true;
  EXPECT_NE(Play(good), Play(bad));
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(HostWorldsTest, NothingOfAUserIsUnsealedOnDisk) {
  constexpr double kValue = 0.12345678901234567;
  TestService service(true);
  Host& host = service.Make(kTide);
  std::vector<std::string> canaries = {"canary-ann", "canary-key",
                                       "0.1234567890", "canary-row"};
  std::string bits(sizeof(double), '\0');
  std::memcpy(bits.data(), &kValue, sizeof(kValue));
  canaries.push_back(bits);
  const HostReply reply =
      Ask(host, Predict("canary-ann", kValue, "canary-key"));
  canaries.push_back(Member(reply, "ticket").substr(0, 32));
  Ask(host, {.body = R"({"x":["canary-row"]})", .user = "canary-ann"});
  ASSERT_EQ(Ask(host, LabelFor(Member(reply, "ticket"), 1)).kind, Kind::kTaken);
  const std::string status = host.Status().Dump();
  service.Stop();
  std::string all = status;
  for (const auto& file : std::filesystem::recursive_directory_iterator(
           service.options().folder)) {
    if (file.is_regular_file()) all += ReadFile(file.path());
  }
  EXPECT_GT(all.size(), 1000U);
  for (const std::string& canary : canaries) {
    EXPECT_EQ(all.find(canary), std::string::npos) << canary;
  }
}

}  // namespace
}  // namespace sotto
