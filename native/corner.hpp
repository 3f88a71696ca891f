// Corners of boxes: four attributes at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace pellucid {

/// Eight numbers.
template <class Lane>
struct Lanes {
    Lane at[8];
    Lane& operator[](std::size_t lane) { return at[lane]; }
    Lane operator[](std::size_t lane) const { return at[lane]; }
};

template <class Lane>
Lanes<Lane> larger(Lanes<Lane> a, const Lanes<Lane>& b) {
    for (int lane = 0; lane < 8; ++lane) a[lane] = std::max(a[lane], b[lane]);
    return a;
}

template <class Lane>
Lanes<Lane> smaller(Lanes<Lane> a, const Lanes<Lane>& b) {
    for (int lane = 0; lane < 8; ++lane) a[lane] = std::min(a[lane], b[lane]);
    return a;
}

/// Where `a` equals `b`, what `then` has there; elsewhere `b`.
template <class Lane>
Lanes<Lane> replaced(const Lanes<Lane>& a, Lanes<Lane> b, const Lanes<Lane>& then) {
    for (int lane = 0; lane < 8; ++lane) b[lane] = a[lane] == b[lane] ? then[lane] : b[lane];
    return b;
}

/// Eight 16-bit numbers, which fit into one register.
#if defined(__GNUC__)
using Eight = std::int16_t __attribute__((vector_size(16)));
inline Eight larger(Eight a, Eight b) { return a > b ? a : b; }
inline Eight smaller(Eight a, Eight b) { return a < b ? a : b; }
inline Eight replaced(Eight a, Eight b, Eight then) { return a == b ? then : b; }
#else
using Eight = Lanes<std::int16_t>;
#endif

/// Some floats that fit into one register.
#if defined(__GNUC__)
using Floats = float __attribute__((vector_size(16)));
inline Floats larger(Floats a, Floats b) { return a > b ? a : b; }
inline Floats smaller(Floats a, Floats b) { return a < b ? a : b; }
inline Floats replaced(Floats a, Floats b, Floats then) { return a == b ? then : b; }
inline Floats sum(Floats a, Floats b) { return a + b; }
#else
using Floats = Lanes<float>;
inline Floats sum(Floats a, const Floats& b) {
    for (int lane = 0; lane < 8; ++lane) a[lane] += b[lane];
    return a;
}
#endif

/// A corner holds the ranks of four attributes and the same ranks negated, so that the largest of each, over the
/// corners of some tuples, gives both ends of their box.
template <class Lane>
using Corner = std::conditional_t<std::is_same_v<Lane, std::int16_t>, Eight, Lanes<Lane>>;

/// Tells a corner the rank of attribute i, which must be below half of what a lane can count.
template <class V>
void set_rank(V& corner, std::size_t i, std::size_t rank) {
    using Lane = std::remove_cvref_t<decltype(corner[0])>;
    corner[i % 4] = static_cast<Lane>(rank);
    corner[i % 4 + 4] = static_cast<Lane>(-static_cast<std::int64_t>(rank));
}

/// The sum of the extents of a box's four attributes, by the positions (Eq. 4) of their ranks.
template <class V>
std::int64_t width(const V& box, const std::int64_t* const* positions) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 4; ++i)
        sum += positions[i][box[i]] - positions[i][-static_cast<std::int64_t>(box[i + 4])];
    return sum;
}

}  // namespace pellucid
