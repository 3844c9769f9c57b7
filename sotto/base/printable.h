#pragma once

#include <string>
#include <string_view>

namespace sotto {

// Text that a terminal shows and does not act on: names of columns, learners
// and files come from others. Control characters (but for the ends of lines),
// what turns the direction of writing, and bytes that are not UTF-8 become '?'.
std::string Printable(std::string_view text);
// The same, with the ends of lines replaced, too.
std::string PrintableLine(std::string_view text);
// The text of a JSON document, with what a terminal acts on as \uXXXX.
std::string PrintableJson(std::string_view json);

// The beginning of a text in quotes, for errors: at most 40 characters, '?' for
// what is not ASCII.
std::string Quoted(std::string_view text);

}  // namespace sotto
