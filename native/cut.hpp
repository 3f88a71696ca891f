// What the canonical l-cut (Def. 10) and the canonical division (Def. 12) have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "perimeter.hpp"

namespace pellucid {

/// A cut or division: the first `left` records of order `dimension` (of each column) go to the first part.
struct Cut {
    std::uint64_t perimeter = std::numeric_limits<std::uint64_t>::max();
    std::size_t dimension = 0;
    std::size_t left = 0;

    /// Conditions 1 and 2 of Defs. 10 and 12: of equal perimeters, the smaller dimension, then the smaller part.
    bool precedes(const Cut& other) const {
        if (perimeter != other.perimeter) return perimeter < other.perimeter;
        if (dimension != other.dimension) return dimension < other.dimension;
        return left < other.left;
    }

    /// Whether no division makes a box smaller, if this is the canonical one of a bucket whose columns have n tuples,
    /// and whose box has this width.
    ///
    /// Then the first tuples of the columns span the whole box, in every order i, and so do the last. So there is a
    /// column with nothing but the largest value of A_i^q, and one with nothing but the smallest. Every part has a
    /// tuple of both, which makes its box as large, and no division of it makes one smaller either. Of equals the
    /// first is canonical: all along, it takes the first tuples of order 0 away, and a bucket of n tuples per column
    /// would be gone through n times.
    bool gains_nothing(std::size_t n, std::uint64_t width) const { return perimeter == n * width; }
};

/// The search for the best cut in one dimension i.
///
/// Let n be the size of the group (of its columns). The perimeter of the cut at k is, but for a common factor,
/// f(k) = k W_a(k) + (n - k) W_b(k), where W_a is the width of the box of the first k records of order i, and
/// W_b that of the others. W_a never decreases and W_b never increases. Where both stay as they are f is linear
/// in k, so that the first of its smallest values is at an end of such a stretch. Stretches end where attribute
/// i changes its value, or where another attribute's box grows; and in a large group those other boxes are as
/// large as the group's own after a few hundred records from either end.
template <unsigned W>
class alignas(64) CutSearch {  // aligned, so that threads share no cache line
public:
    explicit CutSearch(const Records<W>& records) : box(records) {}

    Box<W> box;
    std::vector<std::size_t> changes;

    /// Walks inwards from both ends and notes where the boxes grow in attributes other than i; `full` is their
    /// width for the whole group. Only cuts in [lowest, highest] matter. The box is used to hold the records at
    /// `first` or at `last`, and `take(k)` adds those at k.
    template <class Take>
    void find_steps(const typename Records<W>::Record& first, const typename Records<W>::Record& last, std::size_t i,
                    std::size_t n, std::size_t lowest, std::size_t highest, std::uint64_t full, Take take) {
        before_.clear();
        box.start(first, i);
        std::size_t k = 0;  // the box holds the records before k
        for (; k < lowest && box.width() < full; ++k) take(k);
        before_.push_back({lowest, box.width()});
        for (; k < highest && box.width() < full; ++k) {
            const std::uint64_t width = box.width();
            take(k);
            if (box.width() > width) before_.push_back({k + 1, box.width()});
        }
        behind_.clear();
        box.start(last, i);
        k = n;  // the box holds the records from k on
        for (; k > highest && box.width() < full; --k) take(k - 1);
        for (; k > lowest && box.width() < full; --k) {
            const std::uint64_t width = box.width();
            take(k - 1);
            if (box.width() > width) behind_.push_back({k, width});
        }
        behind_.push_back({lowest, box.width()});
    }

    /// The best cut in [lowest, highest]. `next_change(k, last)` is the next k where attribute i changes, but at
    /// most `last`; `extents(k)` are the extents of attribute i before and behind k.
    template <class NextChange, class Extents>
    Cut best(std::size_t i, std::size_t n, std::size_t lowest, std::size_t highest, NextChange next_change,
             Extents extents) const {
        Cut best;
        auto a = before_.begin();
        auto b = behind_.rbegin();
        const auto consider = [&](std::size_t k) {
            const auto [extent_a, extent_b] = extents(k);
            const std::uint64_t perimeter = k * (a->width + extent_a) + (n - k) * (b->width + extent_b);
            if (perimeter < best.perimeter) best = {perimeter, i, k};  // k only grows, and the first one is wanted
        };
        for (std::size_t k = lowest; k <= highest; ++k) {
            if (a + 1 != before_.end() && a[1].cut == k) ++a;
            if (b + 1 != behind_.rend() && b[1].cut == k) ++b;
            std::size_t last = highest;  // of this stretch of the other attributes
            if (a + 1 != before_.end()) last = std::min(last, a[1].cut - 1);
            if (b + 1 != behind_.rend()) last = std::min(last, b[1].cut - 1);
            consider(k);
            while (k < last) {
                k = next_change(k, last);
                consider(k);
            }
        }
        return best;
    }

private:
    /// From this cut on, the box has this width, without attribute i.
    struct Step {
        std::size_t cut;
        std::uint64_t width;
    };
    std::vector<Step> before_;  // W_a, ascending
    std::vector<Step> behind_;  // W_b, descending
};

/// The first p in (from, to] where the attribute of the order has another code than at `from`; else `to`.
/// Runs of equal codes are long in large groups, so the steps double.
template <unsigned W>
std::size_t end_of_run(const Records<W>& records, const typename Records<W>::Record* order, std::size_t dimension,
                       std::size_t from, std::size_t to) {
    const std::uint32_t code = records.code(order[from], dimension);
    std::size_t inside = from, step = 1;  // order[inside] has the code
    while (to - inside > step && records.code(order[inside + step], dimension) == code) {
        inside += step;
        step *= 2;
    }
    std::size_t outside = std::min(to, inside + step);
    while (outside - inside > 1) {
        const std::size_t middle = inside + (outside - inside) / 2;
        (records.code(order[middle], dimension) == code ? inside : outside) = middle;
    }
    return outside;
}

}  // namespace pellucid
