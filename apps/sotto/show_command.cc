#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.h"
#include "cover_table.h"
#include "sotto/accounting/rounding.h"
#include "sotto/models/greedy_cover/cover_model.h"

namespace sotto::app {
namespace {

struct ShowFlags {
  std::string model;
  bool all = false;
  bool json = false;
};

int RunShow(const ShowFlags& flags) {
  const auto text = ReadText(flags.model);
  if (!text) return Report(text.error());
  const auto model = CoverModel::FromJson(*text, flags.model);
  if (!model) return Report(model.error());
  CoverModel shown = *model;
  // Shares are those of a list that is simple already.
  if (!flags.all && shown.shares.empty()) {
    shown.list = shown.list.Simplified();
  }
  if (flags.json) {
    std::printf("%s", shown.ToJson().c_str());
    return kDone;
  }
  std::printf(
      "%s",
      shown.list.Text(shown.labels, shown.shares, shown.share_scale).c_str());
  if (!shown.shares.empty()) {
    std::fprintf(stderr,
                 "Shares: rows of the training table, with noise of scale %s "
                 "on each count of a rule and a label; covered below.\n",
                 TextUp(shown.share_scale).c_str());
  }
  std::fprintf(stderr, "%s%s\n",
               shown.is_private ? "Privacy: "
                                : "NOT PRIVATE: made with a seed. Without it: ",
               shown.guarantee.Describe().c_str());
  return kDone;
}

}  // namespace

void AddShowCommand(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("show", "Print a model as a person would read it");
  command->footer(
      "Rules that can never be reached or change nothing are left out.\n"
      "Example: sotto show model.json");
  auto flags = std::make_shared<ShowFlags>();
  command->add_option("model", flags->model, "the model, JSON")->required();
  command->add_flag("--all", flags->all, "every rule, as it was drawn");
  command->add_flag("--json", flags->json, "the simplified model, as JSON");
  command->callback([flags, &exit_code] { exit_code = RunShow(*flags); });
}

}  // namespace sotto::app
