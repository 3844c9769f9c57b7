#pragma once

#include <csignal>
#include <memory>
#include <optional>

#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/files/output_file.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/frontend/text_out.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Refuses, before anybody is answered, outputs that cannot be written or that
// are inputs or each other.
Status CheckRunFiles(const Settings& settings);

// Where text goes: standard error if predictions or replies go to standard
// output; nowhere with --quiet and --json.
TextOut OpenTextOut(const Settings& settings,
                    const volatile std::sig_atomic_t* stop);

// The file of predictions. With a state that is saved on the way it is under
// its name from the first save on, so that it has what the state covers.
class Predictions {
 public:
  // Nothing if none are wanted. Fails with kInvalidArgument.
  // `stop` is set by an interrupt.
  static Result<std::unique_ptr<Predictions>> Open(
      const Settings& settings, const volatile std::sig_atomic_t* stop);

  LineWriter& lines() { return lines_; }
  // Gives out what is ready. Fails with kUnavailable, naming the file.
  Status Release();
  Status Commit() { return file_.Commit(); }

 private:
  Predictions(OutputFile file, bool saving,
              const volatile std::sig_atomic_t* stop)
      : file_(std::move(file)), lines_(file_.fd(), stop), saving_(saving) {}

  OutputFile file_;
  LineWriter lines_;
  bool saving_;
};

}  // namespace sotto
