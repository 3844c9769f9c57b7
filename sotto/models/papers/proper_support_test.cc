#include "sotto/models/papers/proper_support.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sotto/learners/classes/class_file.h"
#include "sotto/models/papers/teacher_lists.h"

namespace sotto {
namespace {

using Labels = TeacherLists::Labels;

std::shared_ptr<const FiniteClass> Class(const char* name) {
  return std::make_shared<const FiniteClass>(*ReadClass(name));
}

TEST(ProperSupportTest, StandsForAFunctionOutsideTheClass) {
  const auto points = Class("points:16");
  EXPECT_EQ(ProperSupport(*points, GetLabels(*points, 3)),
            std::vector<std::size_t>{3});
  // Each of the picks is wrong at its own point. Together they are rarely wrong
  // at any.
  EXPECT_EQ(ProperSupport(*points, Labels(16, false)).size(), 16U);
  const auto thresholds = Class("thresholds:8");
  Labels nearly = GetLabels(*thresholds, 4);
  nearly[7] = !nearly[7];
  EXPECT_FALSE(ProperSupport(*thresholds, nearly).empty());
}

}  // namespace
}  // namespace sotto
