#pragma once

// A model of the registry at work: users, predictions, tickets, delayed labels,
// saving and loading.
#include "sotto/models/registry/registry.h"
#include "sotto/online/session.h"
