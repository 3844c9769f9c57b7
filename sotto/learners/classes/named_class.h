#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/learners/classes/mistake_tree.h"

namespace sotto {

// A class given by its rule instead of a matrix. It may be too large for a
// matrix, and closed forms need no search.
//
//   auto thresholds = NamedClass::Parse("thresholds:65536");
//   thresholds->dimension;         // 16, without a search
//   auto grid = NamedClass::Parse("rectangles:4x4");
//   auto functions = grid->Matrix();
//
// Proof:   classes.md, "Closed forms".
// Threads: immutable; const calls may run at the same time.
struct NamedClass {
  std::string name = {};
  std::uint64_t size = 0;
  std::uint64_t points = 0;
  FiniteClass::Rule rule = nullptr;  // no two functions are equal
  // The Littlestone dimension where a closed form is proved, and a tree of that
  // depth where one has a closed form.
  std::optional<int> dimension = {};
  std::function<MistakeTree()> tree = nullptr;

  // KIND:N or KIND:AxBx..., an entry of NamedKinds(). Fails with
  // kInvalidArgument and lists the kinds.
  static Result<NamedClass> Parse(std::string_view text);
  // Fails with kInvalidArgument above FiniteClass::kMaxBits.
  Result<FiniteClass> Matrix() const;
};

struct NamedKind {
  std::string_view name;
  std::string_view sides;  // what comes after the colon: "N", "K", "AxBx..."
  std::string_view help;
  Result<NamedClass> (*make)(std::span<const std::uint64_t> sides);
  bool grid = false;  // several numbers
};
const std::vector<NamedKind>& NamedKinds();

// True if the text begins with the name of a kind and a colon.
bool NamesClass(std::string_view text);
// "points:N, thresholds:N, ...", for messages.
std::string KindsInWords();

}  // namespace sotto
