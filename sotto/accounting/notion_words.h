#pragma once

#include <string>

#include "sotto/accounting/guarantee.h"

namespace sotto {

// "joint differential privacy".
std::string NotionInWords(Notion notion);

}  // namespace sotto
