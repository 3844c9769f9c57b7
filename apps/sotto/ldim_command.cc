#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "command.h"
#include "commands.h"
#include "sotto/data/files/distinct_files.h"
#include "sotto/data/files/output_file.h"
#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/class_report.h"
#include "sotto/learners/classes/named_class.h"

namespace sotto::app {
namespace {

const OptionTable& LdimOptions() {
  static const OptionTable kTable = {
      {.name = "class",
       .help = "Finite class: a file with one function per line (a 0 or 1 per "
               "point), or a built-in name below.",
       .required = true},
      {.name = "tree",
       .type = OptionType::kFlag,
       .help = "Print the whole optimal tree, not only its top."},
      {.name = "dot",
       .help = "Write the tree for Graphviz; - is standard output.",
       .value = "FILE"},
      {.name = "irreducible",
       .type = OptionType::kFlag,
       .help = "Find the fewest points that reduce the class."},
      {.name = "decompose",
       .type = OptionType::kWhole,
       .help = "Compute the (p, d)-decomposition dimension and the essential "
               "hypotheses for this p.",
       .low = 1,
       .high = 0x1p20},
      {.name = "for-dimension",
       .type = OptionType::kWhole,
       .help = "The d of --decompose. Default: the dimension of the class.",
       .high = 20},
      {.name = "nodes",
       .type = OptionType::kWhole,
       .help = "Stop after about N search nodes and report an interval. "
               "Default: 2e7, fewer for large classes.",
       .low = 1,
       .high = 0x1p53},
      {.name = "threads",
       .type = OptionType::kWhole,
       .fallback = "2",
       .help = "Number of search threads.",
       .low = 1,
       .high = 64},
      {.name = "save",
       .help = "Write the class in compact form.",
       .value = "FILE"},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help = "Show progress even if standard error is not a terminal."},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a JSON report."}};
  return kTable;
}

std::string ListOfKinds() {
  std::string list;
  for (const NamedKind& kind : NamedKinds()) {
    std::string name = std::string(kind.name) + ":" + std::string(kind.sides);
    name.resize(std::max<std::size_t>(name.size() + 1, 26), ' ');
    list += "  " + name + std::string(kind.help) + "\n";
  }
  return list;
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  SOTTO_TRY_ASSIGN(auto file, OutputFile::Create(path));
  const Status written = WriteWhole(RealFiles(), file.fd(), bytes);
  return written ? file.Commit() : written;
}

// Before the class is read: an output that would replace it.
Status CheckFiles(const Settings& settings) {
  const std::string& name = settings.Text("class");
  const NamedFile input{"the class", NamesClass(name) ? "" : name};
  return CheckDistinct(std::array{input},
                       std::array{NamedFile{"--dot", settings.Text("dot")},
                                  NamedFile{"--save", settings.Text("save")}});
}

ClassQuestions MakeQuestions(const Settings& settings) {
  ClassQuestions questions{
      .irreducible = settings.Flag("irreducible"),
      .decompose = settings.GetOptionalInt("decompose"),
      .nodes = settings.GetOptionalInt("nodes"),
      .threads = static_cast<std::size_t>(settings.GetInt("threads"))};
  if (const auto d = settings.GetOptionalInt("for-dimension")) {
    questions.for_dimension = static_cast<int>(*d);
  }
  if (settings.Flag("progress") || ::isatty(STDERR_FILENO) != 0) {
    questions.progress = [](const DimensionBounds& bounds) {
      std::fprintf(stderr, "%llu nodes: between %d and %d\n",
                   static_cast<unsigned long long>(bounds.nodes), bounds.lo,
                   bounds.hi);
    };
  }
  if (settings.Has("save")) {
    questions.take_class = [&settings](const FiniteClass& functions) {
      return WriteFile(settings.Text("save"), CompactClass(functions));
    };
  }
  return questions;
}

int RunLdim(const Settings& settings) {
  if (Status good = CheckFiles(settings); !good) return Report(good.error());
  if (settings.Flag("json") && settings.Text("dot") == "-") {
    return Report(InvalidArgument(
        "--dot - and --json both want standard output: name a file for one"));
  }
  const auto report =
      ExamineClass(settings.Text("class"), MakeQuestions(settings));
  if (!report) return Report(report.error());
  if (settings.Has("dot")) {
    if (!report->tree) {
      return Report(InvalidArgument("--dot: this tree is too large to write"));
    }
    const Status written =
        WriteFile(settings.Text("dot"), TreeDot(*report->tree));
    if (!written) return Report(written.error());
    if (settings.Text("dot") == "-") return kDone;
  }
  const bool whole = settings.Flag("tree");
  if (settings.Flag("json")) {
    Print(ClassReportJson(*report, whole));
  } else {
    Print(ClassReportText(*report, whole ? ClassReport::kMaxTreeDepth : 3));
  }
  return kDone;
}

}  // namespace

Command LdimCommand() {
  return {.name = "ldim",
          .help = "Compute the Littlestone dimension of a finite class",
          .footer = "Classes by name:\n" + ListOfKinds() +
                    "Examples:\n"
                    "  sotto ldim thresholds:256\n"
                    "  sotto ldim class.txt --irreducible --decompose 2\n"
                    "  sotto ldim intervals:32 --json --tree",
          .options = LdimOptions(),
          .argument = "class",
          .call = RunLdim};
}

}  // namespace sotto::app
