#include "sotto/service/published_answers.h"

#include <utility>

#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/online/conversation.h"
#include "sotto/service/reply_text.h"

namespace sotto {
namespace {

Result<OnlineSetup> ReadSetup(const std::string& configuration) {
  SOTTO_TRY_ASSIGN(const Json json, Json::Parse(configuration));
  SOTTO_TRY_ASSIGN(const auto read, ModelConfiguration::Parse(json));
  return OnlineSetup::Make(read);
}

}  // namespace

PublishedAnswers::PublishedAnswers(OnlineSetup setup, PublishedModel model,
                                   std::uint64_t release)
    : setup_(std::move(setup)), model_(std::move(model)), release_(release) {}

std::unique_ptr<PublishedAnswers> PublishedAnswers::Make(
    const std::string& configuration, const Host::Publication& publication) {
  auto setup = ReadSetup(configuration);
  if (!setup || setup->entry->file == nullptr || setup->slots) return nullptr;
  const auto json = Json::Parse(publication.json);
  const Json* const release = json ? json->Find("releases") : nullptr;
  if (release == nullptr || !release->natural()) return nullptr;
  auto model = setup->entry->file->read(*json);
  if (!model) return nullptr;
  return std::unique_ptr<PublishedAnswers>(new PublishedAnswers(
      *std::move(setup), *std::move(model), *release->natural()));
}

// A row is read as the model's own requests are (OnlineServed::ReadRound).
std::optional<PublishedAnswer> PublishedAnswers::Answer(
    const HostRequest& request) {
  if (request.kind != HostRequest::Kind::kPredict || request.unusable ||
      request.body.size() > Conversation::kMaxLine ||
      request.user.size() > kMaxUserBytes) {
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  RowError error;
  const bool good = setup_.lines.Parse(request.body, line_, error);
  if (!good || line_.label || !line_.round.present()) return std::nullopt;
  const auto answer = model_.predict(line_.round.x);
  PublishedAnswer made{release_, answer.prediction, answer.probability};
  const auto threshold = setup_.settings.GetOptionalDouble("threshold");
  if (threshold && made.probability) {
    made.prediction = Label(*made.probability >= *threshold);
  }
  return made;
}

HostReply PublishedAnswers::Reply(const PublishedAnswer& answer) const {
  return AnsweredReply({.kind = RoundOutcome::Kind::kAnswered,
                        .prediction = answer.prediction,
                        .probability = answer.probability,
                        .release = answer.release},
                       setup_.inputs.label, "");
}

}  // namespace sotto
