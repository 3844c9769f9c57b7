#include <cstdio>

#include "command.h"

namespace {

constexpr const char* kDescription =
    "Private interactive learning: each answer is heard by one person only.";
constexpr const char* kFooter =
    "Example: sotto account --mechanism gaussian --noise-scale 50 "
    "--compositions 1000 --delta 1e-6\n"
    "Exit code: 0 done, 1 failed, 2 wrong usage or bad input.";

// The words after which help is offered: "sotto account", or "sotto".
std::string CalledName(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    return "sotto " + command->get_name();
  }
  return "sotto";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(kDescription, "sotto");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("sotto ") + SOTTO_VERSION);
  int exit_code = sotto::app::kDone;
  sotto::app::AddAccountCommand(app, exit_code);
  sotto::app::AddCountCommand(app, exit_code);
  sotto::app::AddMonitorCommand(app, exit_code);
  sotto::app::AddQuantileCommand(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string name = CalledName(app);
    std::fprintf(stderr, "%s: %s\nTry '%s --help'.\n", name.c_str(),
                 error.what(), name.c_str());
    return sotto::app::kUsage;
  }
  return exit_code;
}
