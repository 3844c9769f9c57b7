#pragma once

#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/learners/classes/finite_class.h"

namespace sotto {

// Files of classes: text as FiniteClass::Parse reads it, or compact, eight
// labels a byte.
//
//   auto functions = ReadClassFile("class.txt");
//   auto bytes = CompactClass(*functions);
//
// The compact form: the bytes "SOTTOBIT", the numbers of functions and of
// points, 8 bytes each, little-endian, and for each point the functions that
// are 1 there, function h being bit h % 64 of the (h / 64)-th number of 8
// bytes. Duplicate functions are merged.
//
// Threads: pure functions.
std::string CompactClass(const FiniteClass& functions);
// Fails with kCorruption.
Result<FiniteClass> ParseCompactClass(std::string_view bytes);

// Either form; failures begin with the name of the file.
Result<FiniteClass> ReadClassFile(const std::string& path);
// A name of named_class.h as a matrix, or a file.
Result<FiniteClass> ReadClass(const std::string& text);

}  // namespace sotto
