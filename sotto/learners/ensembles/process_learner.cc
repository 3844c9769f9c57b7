#include "sotto/learners/ensembles/process_learner.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "sotto/base/json.h"

namespace sotto {
namespace {

// The answer, printable and shortened for a message.
std::string Excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string excerpt(text.substr(0, kLongest));
  std::replace_if(
      excerpt.begin(), excerpt.end(),
      [](unsigned char c) { return std::isprint(c) == 0; }, '?');
  if (text.size() > kLongest) excerpt += "...";
  return excerpt;
}

bool IsOk(const Json& answer) {
  const Json* ok = answer.Find("ok");
  return ok != nullptr && ok->boolean() != nullptr && *ok->boolean();
}

// Null if it is not JSON.
Json Parse(const std::string& line) {
  auto answer = Json::Parse(line);
  return answer ? *std::move(answer) : Json();
}

void AppendNumber(double value, std::string& out) {
  std::array<char, 32> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

std::string Request(std::string_view op, std::uint64_t generation) {
  return R"({"op":")" + std::string(op) + R"(","generation":)" +
         std::to_string(generation);
}

}  // namespace

std::string FeaturesToJson(FeatureView x) {
  bool dense = true;
  for (std::size_t i = 0; i < x.size(); ++i) dense &= x[i].index == i;
  std::string json(1, dense ? '[' : '{');
  for (const Feature& feature : x) {
    if (json.size() > 1) json.push_back(',');
    if (!dense) json += '"' + std::to_string(feature.index) + "\":";
    AppendNumber(feature.value, json);
  }
  json.push_back(dense ? ']' : '}');
  return json;
}

Result<std::unique_ptr<ProcessLearner>> ProcessLearner::Create(Params params) {
  SOTTO_TRY_ASSIGN(auto child, ChildProcess::Start(std::move(params)));
  return std::unique_ptr<ProcessLearner>(new ProcessLearner(std::move(child)));
}

Result<std::unique_ptr<Ensemble>> ProcessLearner::NewEnsemble(
    std::uint64_t generation, std::int64_t copies) {
  const Status made =
      AskOk("init", R"({"op":"init","copies":)" + std::to_string(copies) +
                        R"(,"generation":)" + std::to_string(generation) + "}");
  if (!made) return made.error();
  return std::unique_ptr<Ensemble>(
      new ProcessEnsemble(*this, generation, copies));
}

Error ProcessLearner::Refuse(std::string_view op, std::string_view came,
                             std::string_view expected) {
  broken_ =
      Unavailable("the learner process was asked to " + std::string(op) + ": " +
                  std::string(came) + "; expected " + std::string(expected));
  return *broken_;
}

Status ProcessLearner::Send(std::string_view op, std::string_view request) {
  if (broken_) return *broken_;
  while (child_->HasLine()) {
    const auto line = child_->ReadLine();
    if (drops_ > 0 && line && IsOk(Parse(*line))) {
      --drops_;
      continue;
    }
    return Refuse(op, "it had written \"" + Excerpt(line ? *line : "") + "\"",
                  "no line that nobody asked for");
  }
  const Status sent = child_->WriteLine(request);
  if (!sent) return Refuse(op, sent.error().message, "a line for each request");
  return Ok();
}

Result<std::string> ProcessLearner::Receive(std::string_view op) {
  auto line = child_->ReadLine();
  if (!line) return Refuse(op, line.error().message, "a line for each request");
  return line;
}

Result<std::string> ProcessLearner::AskText(std::string_view op,
                                            std::string_view request,
                                            std::string_view key) {
  const Status sent = Send(op, request);
  if (!sent) return sent.error();
  while (true) {
    auto line = Receive(op);
    if (!line) return line;
    const Json answer = Parse(*line);
    const Json* text = answer.Find(key);
    if (text != nullptr && text->text() != nullptr) return *text->text();
    if (drops_ > 0 && IsOk(answer)) {
      --drops_;
      continue;
    }
    return Refuse(op, "it answered \"" + Excerpt(*line) + "\"",
                  R"({")" + std::string(key) + R"(":"..."})");
  }
}

Status ProcessLearner::AskOk(std::string_view op, std::string_view request) {
  Status sent = Send(op, request);
  if (!sent) return sent;
  SOTTO_TRY_ASSIGN(const auto line, Receive(op));
  // If this is the late answer to a drop, ours comes before the next answer
  // with a text in it and is taken for the drop's.
  if (IsOk(Parse(line))) return Ok();
  return Refuse(op, "it answered \"" + Excerpt(line) + "\"", R"({"ok":true})");
}

void ProcessLearner::SendDrop(std::uint64_t generation) {
  if (Send("drop", Request("drop", generation) + "}")) ++drops_;
}

ProcessEnsemble::~ProcessEnsemble() { learner_.SendDrop(generation_); }

Result<std::int64_t> ProcessEnsemble::Votes(FeatureView x) {
  SOTTO_TRY_ASSIGN(const auto votes,
                   learner_.AskText("predict",
                                    Request("predict", generation_) +
                                        R"(,"x":)" + FeaturesToJson(x) + "}",
                                    "votes"));
  const auto ones = std::count(votes.begin(), votes.end(), '1');
  const auto zeros = std::count(votes.begin(), votes.end(), '0');
  const std::string expected = std::to_string(copies_) + " votes, each 0 or 1";
  const auto size = static_cast<std::int64_t>(votes.size());
  if (size != copies_) {
    return learner_.Refuse(
        "predict", "it gave " + std::to_string(size) + " votes", expected);
  }
  if (ones + zeros != size) {
    return learner_.Refuse(
        "predict", "it gave \"" + Excerpt(votes) + "\" as votes", expected);
  }
  return ones;
}

Status ProcessEnsemble::Update(std::int64_t copy, FeatureView x, bool y) {
  return learner_.AskOk("learn", Request("learn", generation_) + R"(,"copy":)" +
                                     std::to_string(copy) + R"(,"x":)" +
                                     FeaturesToJson(x) + R"(,"y":)" +
                                     (y ? "1" : "0") + "}");
}

Status ProcessEnsemble::Save(ByteWriter& out) {
  SOTTO_TRY_ASSIGN(const auto state,
                   learner_.AskText("save", R"({"op":"save"})", "state"));
  out.Number(generation_);
  out.Number(copies_);
  out.Text(state);
  return Ok();
}

Status ProcessEnsemble::Load(ByteReader& in) {
  const auto generation = in.Number<std::uint64_t>();
  const auto copies = in.Number<std::int64_t>();
  const std::string_view state = in.Text();
  if (in.failed() || generation != generation_ || copies != copies_) {
    return Corruption("not the state of generation " +
                      std::to_string(generation_) + " with " +
                      std::to_string(copies_) + " copies");
  }
  // Bytes that are not UTF-8 were never an answer to "save".
  return learner_.AskOk("load",
                        R"({"op":"load","state":)" + Json(state).Dump() + "}");
}

}  // namespace sotto
