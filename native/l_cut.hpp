// The canonical l-cut of a QI-group (Defs. 9 and 10).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "cut.hpp"
#include "pool.hpp"

namespace pellucid {

/// The best l-cut of a group on dimension i, among those that leave at least `least` tuples on either side.
template <unsigned W>
Cut best_l_cut(const Records<W>& records, Range group, std::size_t least, std::size_t i, CutSearch<W>& search) {
    const auto* const order = records.order(i) + group.first;
    const std::size_t n = group.size, lowest = least, highest = n - least;
    std::uint64_t full = 0;  // the width of the group's box in all attributes but i
    for (std::size_t j = 0; j < records.dimensions(); ++j) {
        if (j == i) continue;
        const auto* const other = records.order(j) + group.first;
        full += records.distance(j, records.code(other[0], j), records.code(other[n - 1], j));
    }
    search.find_steps(order[0], order[n - 1], i, n, lowest, highest, full, [&](std::size_t k) {
        if (!search.box.contains(order[k])) search.box.grow(order[k]);
    });
    const std::uint32_t smallest = records.code(order[0], i), largest = records.code(order[n - 1], i);
    return search.best(
        i, n, lowest, highest,
        [&](std::size_t k, std::size_t last) { return end_of_run(records, order, i, k, last); },
        [&](std::size_t k) {
            return std::pair(records.distance(i, smallest, records.code(order[k - 1], i)),
                             records.distance(i, records.code(order[k], i), largest));
        });
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
