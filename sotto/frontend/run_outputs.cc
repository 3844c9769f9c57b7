#include "sotto/frontend/run_outputs.h"

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "sotto/data/files/distinct_files.h"
#include "sotto/data/files/state_file.h"

namespace sotto {
namespace {

std::string Name(const Settings& settings, std::string_view option) {
  return settings.Has(option) ? settings.Text(option) : "";
}

}  // namespace

Status CheckRunFiles(const Settings& settings) {
  const std::vector<NamedFile> inputs = {
      {"--data", Name(settings, "data")},
      {"--schema", Name(settings, "schema")},
      {"--train", Name(settings, "train")},
      {"--class", Name(settings, "class")},
      {"--load", Name(settings, "load"), true}};
  const std::vector<NamedFile> outputs = {
      {"--predictions", Name(settings, "predictions")},
      {"--report", Name(settings, "report")},
      {"--publish", Name(settings, "publish")},
      {"--save", Name(settings, "save"), true}};
  SOTTO_TRY(CheckDistinct(inputs, outputs));
  if (Name(settings, "predictions") == "-" && settings.Flag("json")) {
    return InvalidArgument("-p - and --json both want standard output");
  }
  for (const char* option : {"report", "publish"}) {
    const std::string path = Name(settings, option);
    if (path.empty()) continue;
    if (path == "-") {
      return InvalidArgument("--" + std::string(option) +
                             " needs the name of a file");
    }
    SOTTO_TRY(OutputFile::Create(path));
  }
  const std::string state = Name(settings, "save");
  if (state.empty()) return Ok();
  Status writable = CheckStateCanBeWritten(state);
  return writable ? writable : InvalidArgument(writable.error().message);
}

TextOut OpenTextOut(const Settings& settings,
                    const volatile std::sig_atomic_t* stop) {
  if (settings.Flag("quiet") || settings.Flag("json")) return {-1, stop};
  const bool taken =
      settings.Flag("live") || Name(settings, "predictions") == "-";
  return {taken ? STDERR_FILENO : STDOUT_FILENO, stop};
}

Result<std::unique_ptr<Predictions>> Predictions::Open(
    const Settings& settings, const volatile std::sig_atomic_t* stop) {
  if (!settings.Has("predictions")) return std::unique_ptr<Predictions>();
  SOTTO_TRY_ASSIGN(auto file, OutputFile::Create(settings.Text("predictions")));
  return std::unique_ptr<Predictions>(
      new Predictions(std::move(file), settings.Has("save"), stop));
}

Status Predictions::Release() {
  if (Status flushed = lines_.Flush(); !flushed) {
    return Error{flushed.error().code,
                 file_.path() + ": " + flushed.error().message};
  }
  return saving_ ? file_.Commit() : Ok();
}

}  // namespace sotto
