#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "command.h"
#include "commands.h"
#include "ldim_report.h"
#include "sotto/data/files/distinct_files.h"
#include "sotto/data/files/output_file.h"
#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/decomposition.h"
#include "sotto/learners/classes/named_class.h"

namespace sotto::app {
namespace {

// Beyond these the exact decomposition takes too long, a tree is too long to
// write down, and a search for fewest points gives up.
constexpr std::size_t kMaxDecomposed = 24;
constexpr int kMaxTreeDepth = 20;
constexpr std::uint64_t kReductionSteps = 1'000'000;

const OptionTable& LdimOptions() {
  static const OptionTable kTable = {
      {.name = "class",
       .help = "a file with a function a line, a 0 or 1 for each point (or "
               "the compact form of --save), or a name: see below",
       .required = true},
      {.name = "tree",
       .type = OptionType::kFlag,
       .help = "all of the optimal tree, not only its top"},
      {.name = "dot",
       .help = "write the tree for Graphviz to this file; - is standard "
               "output"},
      {.name = "irreducible",
       .type = OptionType::kFlag,
       .help = "the fewest points that reduce the class"},
      {.name = "decompose",
       .type = OptionType::kWhole,
       .help = "the (p, d)-decomposition dimension and essential hypotheses, "
               "for this p",
       .low = 1,
       .high = 0x1p20},
      {.name = "for-dimension",
       .type = OptionType::kWhole,
       .help = "d of --decompose; left out: the dimension of the class",
       .high = 20},
      {.name = "nodes",
       .type = OptionType::kWhole,
       .help = "give up after about so many nodes of the search, with an "
               "interval; left out: 2e7, fewer the larger the class",
       .low = 1,
       .high = 0x1p53},
      {.name = "threads",
       .type = OptionType::kWhole,
       .fallback = "2",
       .help = "of the search",
       .low = 1,
       .high = 64},
      {.name = "save", .help = "write the class in compact form to this file"},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help = "progress although standard error is no terminal"},
      {.name = "json", .type = OptionType::kFlag, .help = "a JSON report"}};
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

// A node takes time in proportion to the matrix: some ten seconds for all.
std::uint64_t UsualNodes(const FiniteClass& functions) {
  constexpr std::uint64_t kMost = 20'000'000;
  constexpr std::uint64_t kWork = 4'000'000'000'000;
  return std::min(kMost, 1 + kWork / functions.size() / functions.points());
}

DimensionBounds Search(const Settings& settings, const FiniteClass& functions) {
  const bool verbose =
      settings.Flag("progress") || ::isatty(STDERR_FILENO) != 0;
  DimensionSearchOptions options{
      .max_nodes =
          settings.GetOptionalInt("nodes").value_or(UsualNodes(functions)),
      .threads = static_cast<std::size_t>(settings.GetInt("threads"))};
  if (verbose) {
    options.progress = [](const DimensionBounds& bounds) {
      std::fprintf(stderr, "%llu nodes: between %d and %d\n",
                   static_cast<unsigned long long>(bounds.nodes), bounds.lo,
                   bounds.hi);
    };
  }
  return SearchDimension(functions, options);
}

LdimReport::Decomposed Decompose(const Settings& settings, int dimension,
                                 LittlestoneDimension& search) {
  const FiniteClass& functions = search.functions();
  const auto asked = settings.GetOptionalInt("for-dimension");
  LdimReport::Decomposed made{.p = settings.GetInt("decompose"),
                              .d = asked ? static_cast<int>(*asked) : dimension,
                              .exact = functions.size() <= kMaxDecomposed &&
                                       functions.points() <= kMaxDecomposed};
  Decomposition decomposition(search, {.p = made.p, .d = made.d});
  const auto all = functions.All();
  const DecompositionTree tree =
      made.exact ? decomposition.Optimal(all) : decomposition.Greedy(all);
  made.degree = tree.degree();
  made.leaves = tree.leaves();
  made.top = made.exact ? decomposition.Essential(all)
                        : decomposition.TopLabels(tree, tree.nodes.size());
  return made;
}

// Irreducibility and decomposition, of a class whose dimension is known.
Status Explore(const Settings& settings, const FiniteClass& functions,
               LdimReport& report) {
  if (!settings.Flag("irreducible") && !settings.Has("decompose")) return Ok();
  if (report.bounds.lo < report.bounds.hi) {
    return InvalidArgument(
        "--irreducible and --decompose need the dimension; allow more --nodes");
  }
  const auto d = settings.GetOptionalInt("for-dimension");
  if (d && static_cast<int>(*d) < report.bounds.lo) {
    return InvalidArgument("--for-dimension: expected at least " +
                           std::to_string(report.bounds.lo) +
                           ", the dimension of the class");
  }
  LittlestoneDimension search(functions);
  if (settings.Flag("irreducible")) {
    report.fewest =
        Irreducibility(search).Search(functions.All(), kReductionSteps);
  }
  if (settings.Has("decompose")) {
    report.decomposed = Decompose(settings, report.bounds.lo, search);
  }
  return Ok();
}

// By the closed form alone, if there is one with a tree or a class too large.
bool IsKnown(const NamedClass& named) {
  return named.dimension && *named.dimension <= kMaxTreeDepth &&
         (named.tree || named.points > FiniteClass::kMaxBits / named.size);
}

Status FromClosedForm(const NamedClass& named, LdimReport& report) {
  report.functions = named.size;
  report.points = named.points;
  report.closed_form = true;
  report.bounds = {.lo = *named.dimension, .hi = *named.dimension};
  if (!named.tree || *named.dimension > kMaxTreeDepth) return Ok();
  report.tree = named.tree();
  return CheckMistakeTree(*report.tree, named.size, named.points, named.rule);
}

Status FromSearch(const Settings& settings, const FiniteClass& functions,
                  LdimReport& report) {
  report.functions = functions.size();
  report.points = functions.points();
  report.bounds = Search(settings, functions);
  report.tree = std::move(report.bounds.tree);
  SOTTO_TRY(CheckMistakeTree(*report.tree, functions));
  return Explore(settings, functions, report);
}

bool WantsMatrix(const Settings& settings) {
  return settings.Flag("irreducible") || settings.Has("decompose") ||
         settings.Has("save");
}

Result<LdimReport> FindOut(const Settings& settings) {
  const std::string& text = settings.Text("class");
  LdimReport report{.name = text};
  if (NamesClass(text)) {
    SOTTO_TRY_ASSIGN(const auto named, NamedClass::Parse(text));
    const bool huge =
        named.dimension && named.points > FiniteClass::kMaxBits / named.size;
    if ((IsKnown(named) || huge) && !WantsMatrix(settings)) {
      const Status done = FromClosedForm(named, report);
      if (!done) return done.error();
      return report;
    }
  }
  SOTTO_TRY_ASSIGN(const auto functions, ReadClass(text));
  if (settings.Has("save")) {
    const Status saved =
        WriteFile(settings.Text("save"), CompactClass(functions));
    if (!saved) return saved.error();
  }
  const Status done = FromSearch(settings, functions, report);
  if (!done) return done.error();
  return report;
}

// Before the class is read: an output that would replace it.
Status CheckFiles(const Settings& settings) {
  const std::string& name = settings.Text("class");
  const NamedFile input{"the class", NamesClass(name) ? "" : name};
  return CheckDistinct(std::array{input},
                       std::array{NamedFile{"--dot", settings.Text("dot")},
                                  NamedFile{"--save", settings.Text("save")}});
}

int RunLdim(const Settings& settings) {
  if (Status good = CheckFiles(settings); !good) return Report(good.error());
  if (settings.Flag("json") && settings.Text("dot") == "-") {
    return Report(InvalidArgument(
        "--dot - and --json both want standard output: name a file for one"));
  }
  const auto start = std::chrono::steady_clock::now();
  auto report = FindOut(settings);
  if (!report) return Report(report.error());
  report->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
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
    Print(LdimJson(*report, whole));
  } else {
    Print(LdimText(*report, whole ? kMaxTreeDepth : 3));
  }
  return kDone;
}

}  // namespace

Command LdimCommand() {
  return {.name = "ldim",
          .help =
              "The Littlestone dimension of a finite class, with a tree "
              "that proves it",
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
