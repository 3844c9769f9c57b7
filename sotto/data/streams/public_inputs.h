#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/label.h"
#include "sotto/data/streams/encoding.h"

namespace sotto {

// The names of the first features: "age", or "color=red" for the value of a
// category. Buckets have no names and come behind these. Empty where indices
// are all there is (libsvm, vw, lists), and beyond kMostNames.
inline constexpr std::size_t kMostNames = std::size_t{1} << 20;
std::vector<std::string> FeatureNames(const Encoding& encoding);

// 64 hexadecimal digits that stand for everything public about how rows become
// features and labels: columns in their order, types, values, ranges, dense
// indices and buckets, what the label is called and which type it has. Two
// streams have one print just if the same index and the same label mean the
// same in both; the format does not matter where it changes nothing.
std::string InputFingerprint(const Encoding& encoding,
                             std::string_view label_name,
                             const LabelType& label);

}  // namespace sotto
