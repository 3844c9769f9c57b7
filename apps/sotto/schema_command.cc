#include <cstdio>
#include <string>

#include "command.h"
#include "commands.h"
#include "sotto/base/printable.h"
#include "sotto/data/schemas/schema_text.h"
#include "sotto/frontend/schema_options.h"

namespace sotto::app {
namespace {

int CallSchema(const Settings& settings) {
  const auto made = MakeSchema(settings);
  if (!made) return Report(made.error());
  std::fputs(made->notes.c_str(), stderr);
  const bool check = settings.Has("check");
  if (!check) std::fputs(SchemaText(made->schema).c_str(), stdout);
  if (check || !settings.Flag("quiet")) {
    for (const std::string& line : Explain(made->schema)) {
      std::fprintf(check ? stdout : stderr, "%s\n", Printable(line).c_str());
    }
  }
  return kDone;
}

}  // namespace

Command SchemaCommand() {
  return {.name = "schema",
          .help = "Write, explain or check the public description of a table",
          .footer =
              "Examples:\n"
              "  sotto schema --header table.csv --facts 'age=0..120' > "
              "table.schema.json\n"
              "  sotto schema --private-ranges table.csv --epsilon 0.1 > "
              "table.schema.json\n"
              "  sotto schema table.schema.json\n"
              "The schema goes to standard output, what its lines mean to "
              "standard error. Nothing in a schema may come from private rows, "
              "but for ranges found privately, whose guarantee adds to that of "
              "what is run with them.",
          .options = SchemaOptions(),
          .argument = "check",
          .call = CallSchema};
}

}  // namespace sotto::app
