// Mask (Wong et al. 2007; electronic appendix, Fig. 1): see reference/mask.py. Not transparent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "table.hpp"

namespace pellucid {

/// Lines 2-9: changes `values`, the sensitive value of every row, in the groups that would say too much of a
/// protected one. Returns false if no group may stay as it is, so that there is no distribution to copy.
inline bool mask(const Partition& partition, std::vector<std::uint32_t>& values,
                 const std::vector<std::uint8_t>& is_protected, std::uint64_t l, Keys keys) {
    using Counts = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
    const auto members = [&](std::size_t g) {
        return std::span<const Row>(partition.members.get() + partition.starts[g],
                                    static_cast<std::size_t>(partition.starts[g + 1] - partition.starts[g]));
    };
    std::vector<std::uint32_t> sorted;
    const auto count = [&](std::size_t g) {
        sorted.clear();
        for (Row row : members(g)) sorted.push_back(values[row]);
        std::sort(sorted.begin(), sorted.end());
        Counts counts;
        for (auto value : sorted) {
            if (counts.empty() || counts.back().first != value) counts.emplace_back(value, 0);
            ++counts.back().second;
        }
        return counts;
    };
    std::vector<std::size_t> loud, quiet;  // P_1 and P_2
    for (std::size_t g = 0; g + 1 < partition.starts.size(); ++g) {
        bool too_much = false;
        for (auto [value, times] : count(g)) too_much |= is_protected[value] && times > members(g).size() / l;
        (too_much ? loud : quiet).push_back(g);
    }
    if (quiet.empty()) return false;
    for (auto g : loud) {
        const auto rows = members(g);
        const auto choice = static_cast<std::size_t>((static_cast<unsigned __int128>(keys[rows[0]]) * quiet.size()) >> 64);
        auto counts = count(quiet[choice]);
        const std::uint64_t total = members(quiet[choice]).size(), size = rows.size();
        // Where whole numbers do not divide, the largest remainders are rounded up; the smaller value goes first.
        std::vector<std::pair<std::uint64_t, std::size_t>> remainders;
        std::uint64_t given = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            remainders.emplace_back(total - size * counts[i].second % total, i);
            given += counts[i].second = size * counts[i].second / total;
        }
        std::sort(remainders.begin(), remainders.end());
        for (std::size_t i = 0; given < size; ++i, ++given) ++counts[remainders[i].second].second;
        std::size_t next = 0;
        for (auto [value, times] : counts)
            for (; times > 0; --times) values[rows[next++]] = value;
    }
    return true;
}

}  // namespace pellucid
