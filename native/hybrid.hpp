// Hybrid (Fig. 10), the algorithms it is made of on their own, and Weave: a cutter, a planner and a refiner each.
#pragma once

#include <cstdint>
#include <utility>

#include "ace.hpp"
#include "tailor.hpp"
#include "weave_plan.hpp"

namespace pellucid {

/// Weave for sensitive values whose order means something (rule 2), and for others (rule 0). Weave alone makes no cuts.
enum class Algorithm { tailor, ace, hybrid, weave, weave_unordered, weave_alone, weave_alone_unordered };

template <unsigned W>
void solve(Algorithm algorithm, const QuasiIdentifiers& table, Layout layout, const Sensitive& sensitive, Keys keys,
           std::uint64_t l, Pool& pool, Output& output) {
    Records<W> records(table, std::move(layout), pool);
    const auto tailor = [&](auto leaf) {
        Tailor<W, decltype(leaf)>(records, sensitive, table.penalty, l, pool, leaf).run();
    };
    const auto everything = [&](auto leaf) {
        pool.run([&](unsigned worker) { leaf({0, records.rows()}, worker); });
    };
    const auto deal = [&](auto cut, std::unique_ptr<Planner> (*planner)(), Refiner refiner) {
        Ace<W> ace(records, table, sensitive, keys, l, planner, refiner, pool, output);
        cut([&](Range group, unsigned worker) { ace.refine(group, worker); });
    };
    const auto by_assign = []() -> std::unique_ptr<Planner> { return std::make_unique<AssignPlanner>(); };
    const auto by_rule_2 = []() -> std::unique_ptr<Planner> { return std::make_unique<WeavePlanner>(true); };
    const auto by_rule_0 = []() -> std::unique_ptr<Planner> { return std::make_unique<WeavePlanner>(false); };
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
        case Algorithm::ace: deal(everything, by_assign, Refiner::slice); break;
        case Algorithm::hybrid: deal(tailor, by_assign, Refiner::slice); break;  // lines 7-9
        case Algorithm::weave: deal(tailor, by_rule_2, Refiner::slice_and_swaps); break;
        case Algorithm::weave_unordered: deal(tailor, by_rule_0, Refiner::slice_and_swaps); break;
        case Algorithm::weave_alone: deal(everything, by_rule_2, Refiner::slice_and_swaps); break;
        case Algorithm::weave_alone_unordered: deal(everything, by_rule_0, Refiner::slice_and_swaps); break;
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
