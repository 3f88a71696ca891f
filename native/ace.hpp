// Ace (Fig. 5): Assign makes buckets, Slice divides them. Weave is the same with other plans, and with swaps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "assign.hpp"
#include "slice.hpp"

namespace pellucid {

template <unsigned W>
class Ace {
public:
    using Record = typename Records<W>::Record;
    using Bucket = typename Slice<W>::Bucket;

    Ace(Records<W>& records, const QuasiIdentifiers& table, const Sensitive& sensitive, Keys keys, std::uint64_t l,
        std::unique_ptr<Planner> (*planner)(), Refiner refiner, Pool& pool, Output& output)
        : records_(records), sensitive_(sensitive), keys_(keys), l_(l), pool_(pool), output_(output),
          slice_(records, table, refiner, pool, output), scratch_(pool.size()) {
        for (Scratch& scratch : scratch_) scratch.planner = planner();
    }

    /// Refines one l-eligible group, which is a range of all orders of the records.
    void refine(Range group, unsigned worker) {
        if (group.size <= Limits::small)
            refine_small(group, worker);
        else
            refine_large(group, worker);
    }

private:
    struct alignas(64) Scratch {
        std::unique_ptr<Planner> planner;
        Plan plan;
        std::vector<std::uint64_t> counter;  // per value: how many tuples, then where its next holder is
        std::vector<Frequency> present;
        Buffer<Holder> holders;  // value by value
        Buffer<Holder> drawn;    // the same, in the order of the draw
        std::vector<std::uint32_t> column_of;  // per place: the column of that tuple, counted through all buckets
        std::vector<std::uint32_t> next;       // per column: where its next tuple goes
    };

    /// Lines 3-13 of Fig. 6: plan and draw. Afterwards `column(place)` says where each tuple belongs.
    template <class ColumnOf>
    void assign(Range group, unsigned worker, ColumnOf column_of) {
        Scratch& scratch = scratch_[worker];
        const Record* const records = records_.order(0) + group.first;
        Planner& planner = *scratch.planner;
        auto& plan = scratch.plan;
        auto& counter = scratch.counter;
        auto& present = scratch.present;
        Holder* const holders = scratch.holders.room(group.size);
        Holder* const drawn = scratch.drawn.room(group.size);
        counter.resize(sensitive_.values);
        present.clear();
        std::visit(
            [&](auto codes) {
                for (std::size_t p = 0; p < group.size; ++p) {
                    pool_.check_at(p);
                    const auto value = codes[records_.row(records[p])];
                    if (counter[value]++ == 0) present.push_back({0, value});
                }
            },
            sensitive_.codes);
        std::uint64_t first = 0;
        for (Frequency& frequency : present) {
            frequency.n = counter[frequency.value];
            counter[frequency.value] = first;
            first += frequency.n;
        }
        std::visit(
            [&](auto codes) {
                for (std::size_t p = 0; p < group.size; ++p) {
                    pool_.check_at(p);
                    const Row row = records_.row(records[p]);
                    if (p + far_ahead < group.size) {
                        const Row later = records_.row(records[p + far_ahead]);
                        fetch(&keys_[later]);
                        fetch(&codes[later]);
                    }
                    holders[counter[codes[row]]++] = {keys_[row], row, static_cast<std::uint32_t>(p)};
                }
            },
            sensitive_.codes);
        // The holders of each value, in the order in which they are drawn.
        pool_.each(group.size, present.size(), worker, [&](std::size_t v, unsigned) {
            const auto [n, value] = present[v];
            pool_.check();
            const std::size_t first = counter[value] - n;
            put_in_order_of_draw(holders + first, n, drawn + first);
        });
        for (const Frequency& frequency : present) counter[frequency.value] -= frequency.n;
        planner.plan(present, l_, plan);
        std::uint32_t column = 0;  // of the first column of the bucket
        const Plan::Take* take = plan.takes.data();
        for (const Plan::Bucket& bucket : plan.buckets) {
            pool_.check();
            for (std::size_t t = 0; t < bucket.takes; ++t, ++take)
                for (std::uint64_t a = 0; a < take->amount; ++a)
                    column_of(drawn[counter[take->value]++], column + take->column);
            column += static_cast<std::uint32_t>(bucket.columns);
        }
        for (const Frequency& frequency : present) counter[frequency.value] = 0;
    }

    /// Where each column starts, if buckets and their columns follow each other.
    static void column_starts(const Plan& plan, std::vector<std::uint32_t>& starts) {
        starts.clear();
        std::uint32_t start = 0;
        for (const Plan::Bucket& bucket : plan.buckets)
            for (std::size_t column = 0; column < bucket.columns; ++column) {
                starts.push_back(start);
                start += static_cast<std::uint32_t>(bucket.alpha);
            }
    }

    void refine_small(Range group, unsigned worker) {
        Scratch& scratch = scratch_[worker];
        auto& column_of = scratch.column_of;
        column_of.resize(group.size);
        assign(group, worker, [&](const Holder& holder, std::uint32_t column) { column_of[holder.place] = column; });

        const Record* const records = records_.order(0) + group.first;
        Patch& patch = slice_.start_patch(
            group.size, [&](std::size_t t) -> const Record& { return records[t]; },
            [&](std::size_t i) {
                const Record* const order = records_.order(i) + group.first;
                return std::pair(records_.code(order[0], i), records_.code(order[group.size - 1], i));
            },
            worker);
        // Every order of the group is already sorted: dealing it out to the columns leaves each of them sorted.
        auto& next = scratch.next;
        Lookup& lookup = slice_.lookup(worker);
        lookup.start(group.size);
        column_starts(scratch.plan, next);
        for (std::size_t t = 0; t < group.size; ++t) {
            lookup.insert(patch.rows[t], t);
            patch.order(0)[next[column_of[t]]++] = static_cast<Patch::Local>(t);
        }
        for (std::size_t j = 1; j < records_.dimensions(); ++j) {
            column_starts(scratch.plan, next);
            const Record* const order = records_.order(j) + group.first;
            for (std::size_t p = 0; p < group.size; ++p) {
                const Patch::Local t = lookup(records_.row(order[p]), patch.rows);
                patch.order(j)[next[column_of[t]]++] = t;
            }
        }
        std::size_t first = 0;
        for (const Plan::Bucket& bucket : scratch.plan.buckets) {
            slice_.slice(patch, first, {group.first + first, bucket.columns, bucket.alpha, group.first + first}, worker);
            first += bucket.columns * bucket.alpha;
        }
        output_.report(group.size);
    }

    void refine_large(Range group, unsigned worker) {
        std::call_once(once_, [&] { column_of_row_.room(records_.rows()); });
        std::uint32_t* const column_of = column_of_row_.data();
        assign(group, worker, [&](const Holder& holder, std::uint32_t column) { column_of[holder.row] = column; });
        // Scratch for most of the table is given back at once; for less, it is kept for the next group.
        const bool is_most = group.size > records_.rows() / 4;
        if (is_most) {
            scratch_[worker].holders.release();
            scratch_[worker].drawn.release();
        }
        const Plan& plan = scratch_[worker].plan;

        pool_.each(group.size, records_.dimensions(), worker, [&](std::size_t j, unsigned who) {
            pool_.check();
            std::vector<std::uint32_t> next;
            column_starts(plan, next);
            Record* const order = records_.order(j) + group.first;
            Record* const dealt = slice_.scratch(who).room(group.size);
            for (std::size_t p = 0; p < group.size; ++p) {
                pool_.check_at(p);
                if (p + far_ahead < group.size) fetch(column_of + records_.row(order[p + far_ahead]));
                dealt[next[column_of[records_.row(order[p])]]++] = order[p];
            }
            std::copy_n(dealt, group.size, order);
            if (is_most) slice_.scratch(who).release();
        });

        // Consecutive buckets that are small become one task.
        std::vector<Bucket> batch;
        std::size_t first = group.first, size = 0;
        for (const Plan::Bucket& planned : plan.buckets) {
            const Bucket bucket{first, planned.columns, planned.alpha, first};
            batch.push_back(bucket);
            first += bucket.columns * bucket.alpha;
            size += bucket.columns * bucket.alpha;
            if (size < Limits::task && first < group.first + group.size) continue;
            pool_.submit([this, batch = std::move(batch)](unsigned who) {
                for (const Bucket& bucket : batch) slice_.slice(bucket, who);
            });
            batch.clear();
            size = 0;
        }
    }

    Records<W>& records_;
    const Sensitive& sensitive_;
    Keys keys_;
    std::uint64_t l_;
    Pool& pool_;
    Output& output_;
    Slice<W> slice_;
    std::vector<Scratch> scratch_;  // per worker
    std::once_flag once_;
    Buffer<std::uint32_t> column_of_row_;  // by row number; only for groups that are too large for a patch
};

}  // namespace pellucid
