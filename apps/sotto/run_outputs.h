#pragma once

#include <cstdio>
#include <memory>
#include <optional>

#include "interrupt.h"
#include "sotto/base/result.h"
#include "sotto/files/output_file.h"
#include "sotto/model/model_row.h"
#include "sotto/model/settings.h"
#include "sotto/streams/line_io.h"

namespace sotto::app {

// Refuses, before anybody is answered, outputs that cannot be written or that
// are inputs or each other.
Status CheckRunFiles(const Settings& settings);

// Where text goes: null if nowhere; beside predictions on standard output there
// is no room.
std::FILE* TextOut(const Settings& settings);

// The file of predictions. With a state that is saved on the way it is under
// its name from the first save on, so that it has what the state covers.
class Predictions {
 public:
  // Nothing if none are wanted. Fails with kInvalidArgument.
  static Result<std::unique_ptr<Predictions>> Open(const Settings& settings);

  LineWriter& lines() { return lines_; }
  // Gives out what is ready. Fails with kUnavailable, naming the file.
  Status Release();
  Status Commit() { return file_.Commit(); }

 private:
  Predictions(OutputFile file, bool saving)
      : file_(std::move(file)),
        lines_(file_.fd(), StopFlag()),
        saving_(saving) {}

  OutputFile file_;
  LineWriter lines_;
  bool saving_;
};

}  // namespace sotto::app
