#pragma once

// Predictions and labels of a running service.
#include "sotto/service/client/service_client.h"
