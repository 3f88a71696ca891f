// COUNT queries on what a release says (Section 4.1), by the uniform-spread assumption of LeFevre et al. 2006a.
//
// Eight queries are answered side by side: a group is read once for all of them, and their sums lie next to each
// other in memory, where the compiler adds them in one go. Each sum is made in the order of the groups, so that it
// is the same for every number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "pool.hpp"

namespace pellucid::queries {

inline constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

/// The sides of items on a line: from low to high. A stretch is counted in units, both ends included, or, if the
/// unit is 0, measured by its length.
struct Intervals {
    std::span<const double> low, high;
    double unit;
    /// For each query, the interval that it asks for.
    std::span<const double> from, to;

    std::size_t size() const { return low.size(); }

    double share(std::size_t cell, std::size_t query) const {
        const double first = std::max(low[cell], from[query]), last = std::min(high[cell], to[query]);
        if (first > last) return 0;
        const double whole = high[cell] - low[cell] + unit;
        return whole > 0 ? (last - first + unit) / whole : 1;  // a single real number is covered, or is not
    }
};

/// The sides of items among categories: sets of codes below `kinds`.
struct Sets {
    std::span<const std::int64_t> starts;
    std::span<const std::uint32_t> members;
    std::size_t kinds;
    /// For each query and each category, whether the query asks for it.
    std::span<const std::uint8_t> asked;

    std::size_t size() const { return starts.size() - 1; }

    double share(std::size_t cell, std::size_t query) const {
        const std::uint8_t* const wanted = asked.data() + query * kinds;
        std::size_t covered = 0;
        for (auto i = starts[cell]; i < starts[cell + 1]; ++i) covered += wanted[members[i]];
        return static_cast<double>(covered) / static_cast<double>(starts[cell + 1] - starts[cell]);
    }
};

struct Attribute {
    std::variant<Intervals, Sets> side;
    /// Which side each item has.
    std::span<const std::uint32_t> cells;
};

/// Group g has the items starts[g], ..., starts[g + 1] - 1 and the values from value_starts[g] on.
struct Release {
    std::vector<Attribute> attributes;
    std::span<const std::int64_t> starts, value_starts;
    std::span<const std::uint32_t> values;
    std::size_t kinds;
    /// For each query and each sensitive value, whether the query asks for it.
    std::span<const std::uint8_t> asked;
};

/// What one thread works with: for each attribute and each sensitive value a row of eight numbers, one per query.
struct Scratch {
    std::vector<std::vector<Lanes>> share;
    std::vector<std::array<std::uint16_t, lanes>> matches;
};

inline void prepare(const Release& release, std::size_t first, std::size_t queries, Scratch& scratch) {
    scratch.share.resize(release.attributes.size());
    for (std::size_t i = 0; i < release.attributes.size(); ++i)
        std::visit(
            [&](const auto& side) {
                scratch.share[i].assign(side.size(), Lanes{});
                for (std::size_t cell = 0; cell < side.size(); ++cell)
                    for (std::size_t k = 0; k < queries; ++k) scratch.share[i][cell][k] = side.share(cell, first + k);
            },
            release.attributes[i].side);
    scratch.matches.assign(release.kinds, {});
    for (std::size_t value = 0; value < release.kinds; ++value)
        for (std::size_t k = 0; k < queries; ++k)
            scratch.matches[value][k] = release.asked[(first + k) * release.kinds + value] ? 1 : 0;
}

/// The sum over the group's items of the product over the attributes of the share that the query covers.
inline Lanes covered(const Release& release, const Scratch& scratch, std::int64_t begin, std::int64_t end) {
    Lanes sum{};
    for (auto item = begin; item < end; ++item) {
        Lanes product = scratch.share[0][release.attributes[0].cells[item]];
        for (std::size_t i = 1; i < release.attributes.size(); ++i) {
            const Lanes& share = scratch.share[i][release.attributes[i].cells[item]];
            for (std::size_t k = 0; k < lanes; ++k) product[k] *= share[k];
        }
        for (std::size_t k = 0; k < lanes; ++k) sum[k] += product[k];
    }
    return sum;
}

/// How many of the group's sensitive values each query asks for.
inline Lanes matching(const Release& release, const Scratch& scratch, std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t most = 65535;  // so many ones fit in 16 bits
    Lanes sum{};
    while (begin < end) {
        std::array<std::uint16_t, lanes> part{};
        const auto stop = std::min(end, begin + most);
        for (; begin < stop; ++begin) {
            const auto& match = scratch.matches[release.values[begin]];
            for (std::size_t k = 0; k < lanes; ++k) part[k] = static_cast<std::uint16_t>(part[k] + match[k]);
        }
        for (std::size_t k = 0; k < lanes; ++k) sum[k] += part[k];
    }
    return sum;
}

/// Every query's estimate: over all groups, the share of its items that is covered times its matching values.
inline void estimate(const Release& release, std::span<double> answers, unsigned threads, const Run& run) {
    const std::size_t groups = release.starts.size() - 1;
    const std::size_t blocks = (answers.size() + lanes - 1) / lanes;
    Pool pool(std::max(1u, std::min<unsigned>(threads, static_cast<unsigned>(std::max<std::size_t>(blocks, 1)))), run);
    std::vector<Scratch> scratches(pool.size());
    const auto answer = [&](std::size_t block, unsigned worker) {
        pool.check();
        Scratch& scratch = scratches[worker];
        const std::size_t first = block * lanes, queries = std::min(lanes, answers.size() - first);
        prepare(release, first, queries, scratch);
        Lanes total{};
        for (std::size_t g = 0; g < groups; ++g) {
            const Lanes weight = covered(release, scratch, release.starts[g], release.starts[g + 1]);
            if (std::all_of(weight.begin(), weight.end(), [](double w) { return w == 0; })) continue;
            const Lanes count = matching(release, scratch, release.value_starts[g], release.value_starts[g + 1]);
            const auto items = static_cast<double>(release.starts[g + 1] - release.starts[g]);
            for (std::size_t k = 0; k < lanes; ++k) total[k] += weight[k] * count[k] / items;
        }
        std::copy_n(total.begin(), queries, answers.begin() + static_cast<std::ptrdiff_t>(first));
    };
    pool.run([&](unsigned worker) {
        pool.each(release.values.size() * std::max<std::size_t>(blocks, 1), blocks, worker, answer);
    });
}

}  // namespace pellucid::queries
