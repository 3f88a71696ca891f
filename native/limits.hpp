// Sizes at which the kernels change their ways. They change the time a run takes and nothing else, which the
// tests show by making them so small that little tables go every way.
#pragma once

#include <cstddef>

namespace pellucid {

struct Limits {
    /// From this many rows on, a part of a group or bucket becomes a task of its own.
    static inline std::size_t task = std::size_t{1} << 14;
    /// From this many rows on, the attributes of one group are spread over idle threads.
    static inline std::size_t fork = std::size_t{1} << 17;
    /// Up to this many rows, a bucket is sliced inside the first-level cache; at most 2^15.
    static inline std::size_t small = std::size_t{1} << 12;
};

}  // namespace pellucid
