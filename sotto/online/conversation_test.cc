#include "sotto/online/conversation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/online/session_test_model.h"

namespace sotto {
namespace {

using testing::RecordedCalls;
using testing::RecordingEntry;

constexpr const char* kRefusal =
    R"({"ok":false,"error":"invalid ticket or label"})";

class ConversationTest : public ::testing::Test {
 protected:
  ConversationTest() {
    RecordedCalls() = &calls_;
    Settings settings(testing::SessionTable(RecordingEntry()));
    for (const auto& [name, text] : std::vector<std::array<const char*, 2>>{
             {"epsilon", "1"}, {"delta", "1e-6"}, {"horizon", "1000"}}) {
      EXPECT_TRUE(settings.Set(name, text));
    }
    auto session = Session::Create(
        RecordingEntry(), settings, {.features = 3, .print = "p"},
        Key::FromBytes(std::array<std::byte, Key::kBytes>{}));
    EXPECT_TRUE(session);
    session_ = *std::move(session);
    auto lines = LiveLines::Create({});
    EXPECT_TRUE(lines);
    lines_ = std::make_unique<LiveLines>(*std::move(lines));
    talk_ = std::make_unique<Conversation>(*session_, *lines_);
  }

  std::string Answer(std::string_view line, bool cut = false) {
    const auto reply = talk_->Answer(line, cut);
    EXPECT_TRUE(reply);
    return reply ? *reply : "";
  }
  std::string Ticket(std::string_view line) {
    const auto reply = Json::Parse(Answer(line));
    EXPECT_TRUE(reply);
    const Json* ticket = reply->Find("ticket");
    EXPECT_NE(ticket, nullptr);
    return ticket == nullptr ? "" : *ticket->text();
  }
  // The clock before and after a line.
  std::uint64_t Ticks(std::string_view line, bool cut = false) {
    const std::uint64_t before = session_->rounds();
    Answer(line, cut);
    return session_->rounds() - before;
  }

  std::vector<std::string> calls_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<LiveLines> lines_;
  std::unique_ptr<Conversation> talk_;
};

TEST_F(ConversationTest, ALineThatStartsAsALabelNeverAdvancesTheClock) {
  for (const char* line :
       {R"({"ticket":["x"],"y":1})", R"({"ticket":"t","y":1)", R"({"ticket")",
        R"({"ticket":)", R"({"ticket":null,"y":1})", R"({"ticket":7})",
        R"({"ticket":"t","x":[1],"y":1})", R"({"ticket":"t","y":[)",
        R"({"ticket":"t","ticket":"u","y":1})", R"({"ticket" nonsense)",
        "{\"ticket\":\"\xff\",\"y\":1}", R"({"ticket":"t","y":1} and more)",
        R"({"ticket":"t","y":"maybe"})", R"({"ticket":"t","y":1})"}) {
    EXPECT_EQ(Ticks(line), 0U) << line;
    EXPECT_EQ(Answer(line), kRefusal) << line;
  }
  EXPECT_TRUE(calls_.empty());
}

TEST_F(ConversationTest, ACompleteObjectWithATicketAnywhereIsALabel) {
  for (const char* line :
       {R"({"y":1,"ticket":"t"})", R"( {"ticket":"t","y":1})",
        R"({"x":["abc"],"ticket":"t"})", R"({"y":1,"ticket":["x"]})",
        R"({"x":[1],"x":[2],"ticket":"t"})", R"({ "ticket" : "t" })",
        R"({"y":1,"\u0074icket":"t"})", R"({"x":{"a":[1,2]},"ticket":null})"}) {
    EXPECT_EQ(Ticks(line), 0U) << line;
    EXPECT_EQ(Answer(line), kRefusal) << line;
  }
  EXPECT_TRUE(calls_.empty());
}

TEST_F(ConversationTest, EveryOtherLineIsOneRound) {
  for (const char* line :
       {"", " ", "{}", "not json", R"({"id":1,"x":[0.5]})",
        R"({"y":1,"ticket")", R"({"y":1,"ticket":"t")",
        R"({"y":1,"ticket":"t"} x)", R"({"x":{"ticket":"t"}})", R"(["ticket"])",
        R"("ticket")", R"({"Ticket":"t"})", R"({"x":[1],"y":7})",
        "{\"x\":\"\xff\"}", R"({"x":[1)", R"({ "ticket":"t")",
        R"({"y":1,"ticket":"t"} {})"}) {
    EXPECT_EQ(Ticks(line), 1U) << line;
  }
  EXPECT_EQ(calls_.size(), 17U);
}

TEST_F(ConversationTest, ALineBeyondTheLimitIsBadWhateverItsStart) {
  const std::string blanks(Conversation::kMaxLine, ' ');
  EXPECT_EQ(Ticks(R"({"x":[0.5]})", /*cut=*/true), 1U);
  EXPECT_EQ(Ticks(R"({"x":[0.5]})" + blanks), 1U);
  EXPECT_EQ(calls_, (std::vector<std::string>{"tick", "tick"}));
  EXPECT_NE(Answer(R"({"x":[0.5]})", true).find("longer than 16 MiB"),
            std::string::npos);
  const std::string ticket = Ticket(R"({"x":[0.5]})");
  const std::string label = R"({"ticket":")" + ticket + R"(","y":1})";
  EXPECT_EQ(Ticks(label, true), 0U);
  EXPECT_EQ(Answer(label, true), kRefusal);
  EXPECT_EQ(Answer(label + blanks), kRefusal);
  EXPECT_EQ(Answer(label), R"({"ok":true})");
}

TEST_F(ConversationTest, RefusedLabelsAreAlikeAndTheSameLabelMayComeAgain) {
  const std::string ticket = Ticket(R"({"x":[0.5]})");
  const std::string label = R"({"ticket":")" + ticket + R"(","y":)";
  EXPECT_EQ(Answer(label + "1}"), R"({"ok":true})");
  EXPECT_EQ(Answer(label + "1}"), R"({"ok":true})");
  EXPECT_EQ(Answer(label + "0}"), kRefusal);
  EXPECT_EQ(Answer(label + "2}"), kRefusal);
  EXPECT_EQ(calls_.size(), 2U);
}

TEST_F(ConversationTest, ErrorsNameTheColumnAndSendTheIdBack) {
  EXPECT_EQ(Answer(R"({"id":"a","x":[1,[2]]})"),
            R"({"id":"a","error":"element 2: expected one value, got a list",)"
            R"("code":"bad_row"})");
  const Schema schema{{{"member", SchemaColumn::Type::kBoolean, {}, {}}}, {}};
  auto lines = LiveLines::Create({.encoding = {.schema = schema}});
  ASSERT_TRUE(lines);
  Conversation talk(*session_, *lines);
  EXPECT_EQ(*talk.Answer(R"({"id":"a","x":{"member":2}})"),
            R"({"id":"a","error":"column 'member': expected true or false, )"
            R"(got 2","code":"bad_row"})");
  EXPECT_NE(talk.Answer(R"({"x":{"member":1}})")->find("prediction"),
            std::string::npos);
}

TEST_F(ConversationTest, EmptyRoundsSayWhyToTheirUser) {
  Ticket(R"({"id":1,"x":[0.5],"user":"ann"})");
  EXPECT_EQ(Answer(R"({"id":2,"x":[0.5],"user":"ann"})"),
            R"({"id":2,"error":"this user has no rounds left",)"
            R"("code":"over_limit"})");
  EXPECT_EQ(Answer(""),
            R"({"id":null,"error":"an empty round","code":"empty_round"})");
}

TEST_F(ConversationTest, ABadRoundIsChargedToItsUser) {
  Answer(R"({"x":["abc",[1]],"user":"ann"})");
  EXPECT_NE(Answer(R"({"x":[0.5],"user":"ann"})").find("no rounds left"),
            std::string::npos);
}

TEST_F(ConversationTest, TheWayALineComesDecidesWherePredictAndLabelAreAsked) {
  EXPECT_NE(talk_->Predict(R"({"ticket":"t","y":1})")->find("bad_row"),
            std::string::npos);
  EXPECT_EQ(session_->rounds(), 1U);
  EXPECT_EQ(*talk_->Label(R"({"x":[1]})"), kRefusal);
  EXPECT_EQ(*talk_->Label("nothing"), kRefusal);
  EXPECT_EQ(session_->rounds(), 1U);
}

TEST_F(ConversationTest, ManyLinesAreAnsweredAsOneByOne) {
  const auto replies =
      talk_->AnswerAll("{\"id\":1}\r\n\n{\"ticket\":\"t\"}\n{\"id\":2}");
  ASSERT_TRUE(replies);
  EXPECT_EQ(std::ranges::count(*replies, '\n'), 4);
  EXPECT_EQ(session_->rounds(), 3U);
}

}  // namespace
}  // namespace sotto
