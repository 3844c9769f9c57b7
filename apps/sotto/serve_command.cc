#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "command.h"
#include "commands.h"
#include "sotto/service/serve/demo.h"
#include "sotto/service/serve/event_log.h"
#include "sotto/service/serve/serve_options.h"
#include "sotto/service/serve/service.h"
#include "sotto/service/serve/service_config.h"

namespace sotto::app {
namespace {

// A new folder for a demonstration without --dir.
Result<std::string> MakeFolder() {
  std::string path =
      std::filesystem::temp_directory_path() / "sotto-demo-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return Unavailable("cannot make a folder for the demonstration");
  }
  return path;
}

Result<std::unique_ptr<RunningService>> StartDemo(ServiceConfig config,
                                                  EventLog& log) {
  auto service = RunningService::Start(config, log);
  const bool taken =
      !service && service.error().code == ErrorCode::kUnavailable;
  if (!taken) return service;
  // The usual ports may be in use: any others do for a demonstration.
  config.listen = config.operator_address = "127.0.0.1:0";
  return RunningService::Start(config, log);
}

// Serves with its own users, and restarts once in between.
int ServeDemo(ServiceConfig config, const Settings& settings, EventLog& log) {
  auto started = StartDemo(config, log);
  if (!started) return Report(started.error());
  std::unique_ptr<RunningService> service = *std::move(started);
  Print(DemoCommands(service->user_url(), service->operator_url()));
  std::fflush(stdout);  // for those who read it from a pipe
  const DemoUsers users(service->user_url(), settings.GetDouble("demo-rate"));
  const double seconds = settings.GetDouble("demo-restart");
  if (seconds > 0) {
    DemoRestart restart([&] { service->Drain(); }, seconds);
    service->Run();
    if (!restart.Came()) return kDone;
    config.listen = service->user_address();
    config.operator_address = service->operator_address();
    service.reset();
    auto again = RunningService::Start(config, log);
    if (!again) return Report(again.error());
    service = *std::move(again);
  }
  service->Run();
  return kDone;
}

int Serve(const Settings& settings) {
  auto config = MakeServiceConfig(settings);
  if (!config) return Report(config.error());
  config->version = SOTTO_VERSION;
  const bool demo = settings.Flag("demo");
  if (settings.Flag("check-config")) {
    const Status good = RunningService::Check(*config);
    if (!good) return Report(good.error());
    Print(std::string("the configuration is good\n"));
    return kDone;
  }
  if (config->folder.empty() && demo) {
    auto folder = MakeFolder();
    if (!folder) return Report(folder.error());
    config->folder = *folder;
  }
  if (config->folder.empty()) {
    return Report(
        InvalidArgument("missing folder. Give --dir DIR, or --demo."));
  }
  EventLog log(STDERR_FILENO);
  if (demo) return ServeDemo(*config, settings, log);
  const auto service = RunningService::Start(*config, log);
  if (!service) return Report(service.error());
  (*service)->Run();
  return kDone;
}

}  // namespace

Command ServeCommand() {
  return {.name = "serve",
          .help = "Serve models over HTTP: predict now, label later",
          .footer =
              "Examples:\n"
              "  sotto serve --demo\n"
              "  sotto serve --dir shop --model tide --epsilon 1 --delta 1e-6 "
              "--horizon 1e5 --schema s.json\n"
              "  sotto serve --dir shop\n"
              "Events are lines of JSON on standard error. SIGTERM drains.",
          .options = ServeOptions(),
          .call = Serve};
}

}  // namespace sotto::app
