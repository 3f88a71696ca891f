// Hybrid (Fig. 10), and the algorithms it is made of on their own.
#pragma once

#include <cstdint>
#include <utility>

#include "ace.hpp"
#include "tailor.hpp"

namespace pellucid {

enum class Algorithm { tailor, ace, hybrid };

template <unsigned W>
void solve(Algorithm algorithm, const QuasiIdentifiers& table, Layout layout, const Sensitive& sensitive, Keys keys,
           std::uint64_t l, Pool& pool, Output& output) {
    Records<W> records(table, std::move(layout), pool);
    const auto tailor = [&](auto leaf) {
        Tailor<W, decltype(leaf)>(records, sensitive, table.penalty, l, pool, leaf).run();
    };
    switch (algorithm) {
        case Algorithm::tailor:
            tailor([&](Range group, unsigned) {
                const auto* record = records.order(0) + group.first;
                Row* const members = output.place(group.first);
                for (std::size_t r = 0; r < group.size; ++r) members[r] = records.row(record[r]);
                output.settle(group.first, group.size);
                output.report(group.size);
            });
            break;
        case Algorithm::ace: {
            Ace<W> ace(records, sensitive, keys, table.penalty, l, pool, output);
            pool.run([&](unsigned worker) { ace.refine({0, records.rows()}, worker); });
            break;
        }
        case Algorithm::hybrid: {
            Ace<W> ace(records, sensitive, keys, table.penalty, l, pool, output);
            tailor([&](Range group, unsigned worker) { ace.refine(group, worker); });  // lines 7-9
            break;
        }
    }
}

/// The table must be l-eligible.
inline Partition anonymize(Algorithm algorithm, const QuasiIdentifiers& table, const Sensitive& sensitive, Keys keys,
                           std::uint64_t l, unsigned threads, Run& run) {
    Output output(table.rows, run);
    Pool pool(threads, run);
    Layout layout(table);
    const auto solve_with = [&]<unsigned W>(std::integral_constant<unsigned, W>) {
        solve<W>(algorithm, table, std::move(layout), sensitive, keys, l, pool, output);
    };
    // Every attribute's order repeats the records, which gets too much when both are many.
    const unsigned in_place = layout.words * table.attributes.size() <= 64 ? layout.words : 0;
    switch (in_place) {
        case 1: solve_with(std::integral_constant<unsigned, 1>{}); break;
        case 2: solve_with(std::integral_constant<unsigned, 2>{}); break;
        case 3: solve_with(std::integral_constant<unsigned, 3>{}); break;
        case 4: solve_with(std::integral_constant<unsigned, 4>{}); break;
        default: solve_with(std::integral_constant<unsigned, 0>{});
    }
    return std::move(output).partition();
}

}  // namespace pellucid
