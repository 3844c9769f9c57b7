// Figures of the five papers' claims: docs/gallery.md.
//
//   gallery [--check] [--out=FOLDER] [figure...]
//
// Each figure ends in an assertion of its conclusion; the exit code is 1 if one
// fails. --check makes small ones and writes nothing.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/gallery/figure.h"

namespace sotto::gallery {
namespace {

constexpr std::string_view kHead =
    R"(# Gallery: what the papers say, in pictures

`./run gallery` draws these figures (`./run gallery NAME` one of them), with fixed seeds, from the code that the program
runs. Each figure ends in an assertion of its conclusion; a small form of all runs with the tests. [The index of the
five papers](papers.md) says how near the code is to the printed lines.

)";
constexpr std::string_view kNotShown =
    R"(## Not shown, and why

* *POP beside DP-OL*: a table of [littlestone](models/littlestone.md) has it, for seven classes.
* *Winnow with sparse features*: there a perceptron's mistakes do not grow with d either, and nothing is to be compared.
* *Learners that publish a point* beside the predictors: measured in [points](models/points.md), where the figure has them.
* POP's doubly exponential gap to earlier work: no code of that at any size.
* Rates in the dimension (d^2, d^5, d^9.5) with printed constants: nothing happens at any size that can be run.
* Theorem 1.9 of the counters paper: its data set comes from Ramsey's theorem.
* That thresholds over the reals cannot be learned privately: log* of the domain is at most 5.
* Lower bounds as such: a figure can only be consistent with one.
)";

struct Arguments {
  bool check = false;
  std::string out = "docs/gallery";
  std::vector<std::string> names;
};

Arguments Parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--check") {
      arguments.check = true;
    } else if (word.starts_with("--out=")) {
      arguments.out = word.substr(6);
    } else {
      arguments.names.push_back(word);
    }
  }
  return arguments;
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::cerr << "gallery: cannot write " << path << "\n";
  return static_cast<bool>(file);
}

// One section of the page.
std::string Section(const GalleryEntry& entry, const Figure& figure) {
  const std::string name(entry.name);
  return "## " + figure.title + "\n\n![" + figure.title + "](gallery/" + name +
         ".svg)\n\n" + std::string(entry.paragraph) + "\n\n**Seen.** " +
         std::string(entry.conclusion) + "\n\n" + std::string(entry.claim) +
         " · `./run gallery " + name + "` · [numbers](gallery/" + name +
         ".csv)\n\n";
}

bool Make(const GalleryEntry& entry, const Arguments& arguments,
          std::string& page) {
  const Figure figure = entry.make(arguments.check);
  const Failures failures = entry.check(figure);
  for (const std::string& failure : failures) {
    std::cerr << "gallery: " << entry.name << ": " << failure << "\n";
  }
  std::cout << entry.name << ": " << (failures.empty() ? "holds" : "FAILS")
            << "\n";
  if (arguments.check) return failures.empty();
  const std::string path = arguments.out + "/" + std::string(entry.name);
  page += Section(entry, figure);
  return Write(path + ".svg", DrawSvg(figure)) &&
         Write(path + ".csv", WriteCsv(figure)) && failures.empty();
}

int Run(const Arguments& arguments) {
  bool good = true;
  std::size_t made = 0;
  std::string page;
  for (const GalleryEntry& entry : Gallery()) {
    if (!arguments.names.empty() &&
        !std::ranges::count(arguments.names, entry.name)) {
      continue;
    }
    ++made;
    good = Make(entry, arguments, page) && good;
  }
  if (made < std::max<std::size_t>(arguments.names.size(), 1)) {
    std::cerr << "gallery: no such figure; there are:";
    for (const GalleryEntry& entry : Gallery()) std::cerr << " " << entry.name;
    std::cerr << "\n";
    return 2;
  }
  if (!arguments.check && arguments.names.empty()) {
    page = std::string(kHead) + page + std::string(kNotShown);
    good = Write(arguments.out + ".md", page) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace sotto::gallery

int main(int count, char** words) {
  return sotto::gallery::Run(sotto::gallery::Parse(count, words));
}
