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

bool HasCommand(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return true;
  }
  return false;
}

std::string CommandNames(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

// A report that could not be written is a failure, not a success.
int Flushed(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::perror("sotto: cannot write the output");
  return exit_code == sotto::app::kDone ? sotto::app::kFailed : exit_code;
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
  sotto::app::AddFitCommand(app, exit_code);
  sotto::app::AddGenerateCommand(app, exit_code);
  sotto::app::AddMonitorCommand(app, exit_code);
  sotto::app::AddPlanCommand(app, exit_code);
  sotto::app::AddPredictCommand(app, exit_code);
  sotto::app::AddQuantileCommand(app, exit_code);
  sotto::app::AddRunCommand(app, exit_code);
  sotto::app::AddShowCommand(app, exit_code);
  if (argc > 1 && argv[1][0] != '-' && !HasCommand(app, argv[1])) {
    std::fprintf(stderr,
                 "sotto: no command %s; there are %s\nTry 'sotto --help'.\n",
                 sotto::app::Quote(argv[1]).c_str(), CommandNames(app).c_str());
    return sotto::app::kUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return Flushed(app.exit(error));
    const std::string name = CalledName(app);
    std::fprintf(stderr, "%s: %s\nTry '%s --help'.\n", name.c_str(),
                 error.what(), name.c_str());
    return sotto::app::kUsage;
  }
  return Flushed(exit_code);
}
