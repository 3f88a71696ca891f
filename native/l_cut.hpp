// The canonical l-cut of a QI-group (Defs. 9 and 10).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "perimeter.hpp"
#include "pool.hpp"
#include "records.hpp"

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
};

/// From this cut on, the box in question has this width.
struct Step {
    std::size_t cut;
    std::uint64_t width;
};

/// Scratch for the search in one dimension.
template <unsigned W>
struct alignas(64) CutSearch {  // aligned, so that workers share no cache line
    explicit CutSearch(const Records<W>& records) : box(records) {}

    Box<W> box;
    std::vector<Step> before, behind;
};

/// The first p in (from, to] where the attribute of the order has another code than at p - 1; else `to`.
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

/// The best l-cut of a group on dimension i, among those that leave at least `least` tuples on either side.
///
/// The perimeter of the cut at k is f(k) = k W_a(k) + (n - k) W_b(k), where W_a is the width of the box of the
/// first k records of order i, and W_b that of the others. W_a never decreases and W_b never increases. Where
/// both stay as they are f is linear in k, so that the smallest of its smallest values is at an end of such a
/// stretch. Stretches end where attribute i changes its value, or where another attribute's box grows; and in a
/// large group those other boxes are as large as the group's own after a few hundred records from either end.
template <unsigned W>
Cut best_l_cut(const Records<W>& records, Range group, std::size_t least, std::size_t i, CutSearch<W>& search) {
    const auto* order = records.order(i) + group.first;
    const std::size_t n = group.size, lowest = least, highest = n - least;
    std::uint64_t full = 0;  // the width of the group's box in all attributes but i
    for (std::size_t j = 0; j < records.dimensions(); ++j) {
        if (j == i) continue;
        const auto* other = records.order(j) + group.first;
        full += records.distance(j, records.code(other[0], j), records.code(other[n - 1], j));
    }

    Box<W>& box = search.box;
    const auto take = [&](std::size_t record) {  // says whether the box is wider now
        if (box.contains(order[record])) return false;
        const std::uint64_t width = box.width();
        box.grow(order[record]);
        return box.width() > width;
    };

    auto& before = search.before;  // W_a without attribute i: "from this cut on"
    before.clear();
    box.start(order[0], i);
    std::size_t record = 1;
    for (; record < lowest && box.width() < full; ++record) take(record);
    before.push_back({lowest, box.width()});
    for (; record < highest && box.width() < full; ++record)
        if (take(record)) before.push_back({record + 1, box.width()});

    auto& behind = search.behind;  // W_b without attribute i, likewise, but found from the last cut backwards
    behind.clear();
    box.start(order[n - 1], i);
    record = n - 1;  // the box holds the records from this one on
    for (; record > highest && box.width() < full; --record) take(record - 1);
    for (; record > lowest && box.width() < full; --record) {
        const std::uint64_t width = box.width();
        if (take(record - 1)) behind.push_back({record, width});
    }
    behind.push_back({lowest, box.width()});

    const std::int64_t* position = records.positions(i);
    const auto at = [&](std::size_t k) { return position[records.code(order[k], i)]; };
    const std::int64_t smallest = at(0), largest = at(n - 1);
    Cut best;
    const auto consider = [&](std::size_t k, std::uint64_t width_a, std::uint64_t width_b) {
        width_a += static_cast<std::uint64_t>(at(k - 1) - smallest);
        width_b += static_cast<std::uint64_t>(largest - at(k));
        const std::uint64_t perimeter = k * width_a + (n - k) * width_b;
        if (perimeter < best.perimeter) best = {perimeter, i, k};  // cuts are considered in ascending order
    };
    auto a = before.begin();
    auto b = behind.rbegin();
    for (std::size_t k = lowest; k <= highest;) {
        std::size_t last = highest;  // of this stretch
        if (a + 1 != before.end()) last = std::min(last, a[1].cut - 1);
        if (b + 1 != behind.rend()) last = std::min(last, b[1].cut - 1);
        consider(k, a->width, b->width);
        while (k < last) {
            k = end_of_run(records, order, i, k, last);
            consider(k, a->width, b->width);
        }
        ++k;
        if (a + 1 != before.end() && a[1].cut == k) ++a;
        if (b + 1 != behind.rend() && b[1].cut == k) ++b;
    }
    return best;
}

/// The canonical l-cut of a group that is 2l-diverse, if `least` is l times its largest count c. This is all
/// that the cut may know about the sensitive values (Lemma 2). `search` has one element per worker.
template <unsigned W>
Cut canonical_l_cut(const Records<W>& records, Penalty penalty, Range group, std::size_t least,
                    std::vector<CutSearch<W>>& search, Pool& pool, unsigned worker) {
    // |G_a|^2 + |G_b|^2 does not depend on the dimension and is smallest in the middle.
    if (penalty == Penalty::discernibility) return {0, 0, group.size / 2};
    std::array<Cut, 64> best;
    Cut canonical;
    for (std::size_t first = 0; first < records.dimensions(); first += best.size()) {
        const std::size_t count = std::min(best.size(), records.dimensions() - first);
        pool.each(group.size, count, worker, [&](std::size_t i, unsigned who) {
            best[i] = best_l_cut(records, group, least, first + i, search[who]);
        });
        for (std::size_t i = 0; i < count; ++i)
            if (best[i].precedes(canonical)) canonical = best[i];
    }
    return canonical;
}

}  // namespace pellucid
