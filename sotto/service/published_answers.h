#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sotto/data/streams/live_lines.h"
#include "sotto/models/batch/published_model.h"
#include "sotto/service/host.h"
#include "sotto/service/host_request.h"
#include "sotto/service/model_configuration.h"

namespace sotto {

// Answers of one published hypothesis of a served model, computed by a process
// that has nothing of the model but its public configuration.
//
//   auto answers = PublishedAnswers::Make(host.Configuration(), publication);
//   if (auto answer = answers->Answer(request)) answers->Reply(*answer);
//
// Guarantee: post-processing of what is published (session.md, step 9).
// Threads:   thread-safe.
class PublishedAnswers {
 public:
  // Null: the model publishes nothing that answers rows.
  static std::unique_ptr<PublishedAnswers> Make(
      const std::string& configuration, const Host::Publication& publication);

  // The hypothesis's answer to the row of a prediction. Absent: another kind of
  // request, or a row that the model would not answer.
  std::optional<PublishedAnswer> Answer(const HostRequest& request);
  // The same as a reply without a ticket.
  HostReply Reply(const PublishedAnswer& answer) const;

 private:
  PublishedAnswers(OnlineSetup setup, PublishedModel model,
                   std::uint64_t release);

  OnlineSetup setup_;
  const PublishedModel model_;
  const std::uint64_t release_;
  std::mutex mutex_{};  // of the lines in setup_, and of line_
  LiveLine line_{};
};

}  // namespace sotto
