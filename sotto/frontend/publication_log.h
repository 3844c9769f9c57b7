#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/online/session.h"
#include "sotto/report/run_report.h"

namespace sotto {

// The publications of a model on the way, for the page of a run: few enough to
// be read, ever further apart, and the last.
//
//   PublicationLog log(session, published_row->show);
//   ... play ...
//   report.published = log.Entries();
//
// Watches the session's phases for as long as it lives.
// Threads: not thread-safe.
class PublicationLog {
 public:
  using Show = std::function<Result<std::string>(const Json& model)>;
  // `show` may be empty: nothing is published. The session must outlive it.
  PublicationLog(Session& session, Show show);
  ~PublicationLog();
  PublicationLog(const PublicationLog&) = delete;
  PublicationLog& operator=(const PublicationLog&) = delete;

  std::vector<Publication> Entries() const;

 private:
  void Note();
  void Keep(std::vector<Publication>& entries) const;

  Session& session_;
  Show show_;
  std::vector<Publication> entries_;
  bool passed_over_ = false;  // since the last that was kept
};

}  // namespace sotto
