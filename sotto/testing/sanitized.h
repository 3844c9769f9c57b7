#pragma once

namespace sotto {

// In a build with AddressSanitizer long tests repeat less; in release they do
// all of it.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace sotto
