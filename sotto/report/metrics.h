#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/base/label.h"
#include "sotto/online/label_metrics.h"

namespace sotto {

// The confusion matrix and the area under the ROC curve: for the operator only.
// Adds "confusion", a list for each label with the number of rows for each
// prediction, "labels", their names, and "auc". Nothing if there is nothing.
void AddMetrics(const LabelMetrics& metrics, const LabelType& type, Json& json);

// The same as lines of a report: the matrix of two labels, and the area.
std::string MetricsText(const LabelMetrics& metrics, const LabelType& type);

}  // namespace sotto
