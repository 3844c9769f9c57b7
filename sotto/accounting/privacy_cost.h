#pragma once

namespace sotto {

// Parameters of the notions of privacy. composition.h and group_privacy.h
// compute with them.
struct PureDp {
  double epsilon = 0;
  friend bool operator==(const PureDp&, const PureDp&) = default;
};
struct ApproximateDp {
  double epsilon = 0;
  double delta = 0;
  friend bool operator==(const ApproximateDp&, const ApproximateDp&) = default;
};
struct Zcdp {
  double rho = 0;
  friend bool operator==(const Zcdp&, const Zcdp&) = default;
};

}  // namespace sotto
