#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <vector>

#include "extension/field.h"
#include "sotto/base/label.h"
#include "sotto/data/streams/label_parser.h"

namespace sotto::python {

// False, and the fault, if it is not a label. A missing one counts as none.
bool ParseLabel(const LabelParser& parser, const Field& field,
                std::optional<Label>& y, RowError& fault);
// Names of labels: 0 and 1, texts, or integers if all are; nothing
// for numbers.
std::vector<pybind11::object> LabelObjects(const LabelType& type);

}  // namespace sotto::python
