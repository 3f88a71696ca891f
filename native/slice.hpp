// Slice (Fig. 8), for buckets of any size.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "output.hpp"
#include "slice_small.hpp"
#include "swaps.hpp"

namespace pellucid {

/// Finds the tuple of a patch that has a given row number.
class Lookup {
public:
    void start(std::size_t size) {
        const unsigned bits = static_cast<unsigned>(std::bit_width(size)) + 2;
        shift_ = 64 - bits;
        mask_ = (std::size_t{1} << bits) - 1;
        slots_.assign(mask_ + 1, 0);
    }
    void insert(Row row, std::size_t tuple) {
        std::size_t slot = hash(row);
        while (slots_[slot]) slot = (slot + 1) & mask_;
        slots_[slot] = static_cast<std::uint16_t>(tuple + 1);
    }
    Patch::Local operator()(Row row, const std::vector<Row>& rows) const {
        std::size_t slot = hash(row);
        while (rows[slots_[slot] - 1U] != row) slot = (slot + 1) & mask_;
        return static_cast<Patch::Local>(slots_[slot] - 1);
    }

private:
    std::size_t hash(Row row) const { return row * std::uint64_t{0x9E3779B97F4A7C15} >> shift_; }

    unsigned shift_ = 0;
    std::size_t mask_ = 0;
    std::vector<std::uint16_t> slots_;  // tuple + 1, or 0
};

/// What makes groups of a bucket: Slice, or Slice and swaps.
enum class Refiner { slice, slice_and_swaps };

/// Slices buckets whose columns lie one after the other in every order of the records, each sorted.
/// It sees columns of identifiers and QI values, and cannot see what makes them columns (Lemma 4).
template <unsigned W>
class Slice {
public:
    using Record = typename Records<W>::Record;

    /// A bucket that is to have swaps, which have to wait until it is sliced.
    struct Unswapped {
        std::atomic<std::size_t> waiting;  ///< how many tuples are not in a group yet
        std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;  ///< per attribute: the smallest and largest code
    };

    struct Bucket {
        std::size_t first;  ///< where its first column starts in every order
        std::size_t columns;
        std::size_t alpha;
        std::size_t place;  ///< of its first group in the output
        std::shared_ptr<Unswapped> unswapped = {};

        std::size_t size() const { return columns * alpha; }
    };

    Slice(Records<W>& records, const QuasiIdentifiers& table, Refiner refiner, Pool& pool, Output& output)
        : records_(records), table_(table), penalty_(table.penalty), swaps_(refiner == Refiner::slice_and_swaps),
          pool_(pool), output_(output) {
        for (unsigned worker = 0; worker < pool.size(); ++worker) scratch_.emplace_back(records);
    }

    void slice(Bucket bucket, unsigned worker) {
        if (swaps_) {
            bucket.unswapped = std::make_shared<Unswapped>();
            bucket.unswapped->waiting = bucket.size();
            for (std::size_t i = 0; i < records_.dimensions(); ++i)
                bucket.unswapped->ends.push_back(ends(bucket, {0, bucket.alpha}, i));
        }
        divide(bucket, {0, bucket.alpha}, worker);
    }

    /// Slices a bucket of a patch, whose columns start at `first` in every order, and does its swaps.
    void slice(Patch& patch, std::size_t first, const Bucket& bucket, unsigned worker) {
        if (!swaps_) {
            slice_patch(patch, first, bucket, bucket.alpha, bucket.place);
            for (std::size_t g = 0; g < bucket.alpha; ++g) settle(bucket, g);
            return;
        }
        auto& swaps = scratch_[worker].swaps;
        swaps.start(bucket.alpha, bucket.columns, patch.chunks());
        Row* const rows = output_.place(bucket.place);
        patch.slice(first, bucket.columns, bucket.alpha, penalty_, [&](std::size_t number, auto tuple_of) {
            for (std::size_t column = 0; column < bucket.columns; ++column) {
                const std::size_t to = number * bucket.columns + column, tuple = tuple_of(column);
                rows[to] = patch.rows[tuple];
                for (std::size_t chunk = 0; chunk < patch.chunks(); ++chunk)
                    swaps.corner(chunk, to) = patch.corner(chunk, tuple);
            }
        });
        if (penalty_ == Penalty::perimeter)
            swaps.run(rows, patch.positions().data(), [](std::size_t) {}, [&] { pool_.check(); });
        for (std::size_t g = 0; g < bucket.alpha; ++g) settle(bucket, g);
    }

    /// Prepares the worker's patch for `size` tuples: orders are left to be filled, with the numbers of tuples
    /// that `at(t)`, the record of tuple t, defines. `ends(i)` is the smallest and the largest code of
    /// attribute i.
    template <class At, class Ends>
    Patch& start_patch(std::size_t size, At at, Ends ends, unsigned worker) {
        Patch& patch = scratch_[worker].patch;
        const std::size_t d = records_.dimensions();
        patch.start(size, d);
        for (std::size_t t = 0; t < size; ++t) patch.rows[t] = records_.row(at(t));
        for (std::size_t i = 0; i < d; ++i) {
            const auto [low, high] = ends(i);
            if (high - low < Patch::most) {
                for (std::size_t t = 0; t < size; ++t) patch.set_rank(i, t, records_.code(at(t), i) - low);
                patch.set_positions(i, records_.positions(i) + low);
            } else {
                rank_densely(i, size, at, scratch_[worker]);
            }
        }
        return patch;
    }

    Buffer<Record>& scratch(unsigned worker) { return scratch_[worker].records; }
    Lookup& lookup(unsigned worker) { return scratch_[worker].lookup; }

private:
    struct alignas(64) Scratch {
        explicit Scratch(const Records<W>& table) : search(table), ranked(table.dimensions()) {}

        Patch patch;
        Lookup lookup;
        CutSearch<W> search;
        std::vector<std::uint32_t> codes;
        std::vector<std::vector<std::int64_t>> ranked;  // per attribute: positions by rank
        Buffer<Record> records;
        Swaps<std::int16_t> swaps;
    };

    /// Attributes with large domains: what counts is which of the patch's own values it is.
    template <class At>
    void rank_densely(std::size_t i, std::size_t size, At at, Scratch& scratch) {
        auto& codes = scratch.codes;
        codes.resize(size);
        for (std::size_t t = 0; t < size; ++t) codes[t] = records_.code(at(t), i);
        std::sort(codes.begin(), codes.end());
        codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
        auto& positions = scratch.ranked[i];
        positions.clear();
        for (std::uint32_t code : codes) positions.push_back(records_.positions(i)[code]);
        for (std::size_t t = 0; t < size; ++t) {
            const auto rank = std::lower_bound(codes.begin(), codes.end(), records_.code(at(t), i)) - codes.begin();
            scratch.patch.set_rank(i, t, static_cast<std::size_t>(rank));
        }
        scratch.patch.set_positions(i, positions.data());
    }

    /// Lines 1-3 of Fig. 8 for a part of a bucket: the same range of each of its columns.
    void divide(const Bucket& bucket, Range whole, unsigned worker) {
        std::vector<Range> undivided{whole};
        while (!undivided.empty()) {
            pool_.check();
            const Range part = undivided.back();
            undivided.pop_back();
            const std::size_t size = part.size * bucket.columns;
            if (part.size == 1) {
                cut_into_groups(bucket, part, worker);
                continue;
            }
            if (size <= Limits::small) {
                slice_patch(bucket, part, worker);
                continue;
            }
            const Cut cut = canonical_division(bucket, part, worker);
            const std::uint64_t width = records_.width([&](std::size_t i) { return ends(bucket, part, i); });
            if (cut.gains_nothing(part.size, width)) {
                cut_into_groups(bucket, part, worker);
                continue;
            }
            split(bucket, part, cut, worker);
            Range a{part.first, cut.left}, b{part.first + cut.left, part.size - cut.left};
            if (a.size < b.size) std::swap(a, b);
            if (a.size * bucket.columns >= Limits::task && pool_.size() > 1)
                pool_.submit([this, bucket, a = a](unsigned who) { divide(bucket, a, who); });
            else
                undivided.push_back(a);
            undivided.push_back(b);
        }
    }

    /// Def. 12.
    Cut canonical_division(const Bucket& bucket, Range part, unsigned worker) {
        if (penalty_ == Penalty::discernibility) return {0, 0, part.size / 2};
        std::vector<Cut> best(records_.dimensions());
        pool_.each(part.size * bucket.columns, best.size(), worker, [&](std::size_t i, unsigned who) {
            best[i] = best_division(bucket, part, i, scratch_[who].search);
        });
        Cut canonical;
        for (const Cut& cut : best)
            if (cut.precedes(canonical)) canonical = cut;
        return canonical;
    }

    Cut best_division(const Bucket& bucket, Range part, std::size_t i, CutSearch<W>& search) {
        const Record* const order = records_.order(i) + bucket.first + part.first;
        const std::size_t n = part.size;
        const auto at = [&](std::size_t column, std::size_t r) -> const Record& {
            return order[column * bucket.alpha + r];
        };
        std::uint64_t full = 0;  // the width of the bucket's box in all attributes but i
        for (std::size_t j = 0; j < records_.dimensions(); ++j) {
            if (j == i) continue;
            const auto [low, high] = ends(bucket, part, j);
            full += records_.distance(j, low, high);
        }
        search.find_steps(at(0, 0), at(0, n - 1), i, n, 1, n - 1, full, [&](std::size_t r) {
            for (std::size_t column = 0; column < bucket.columns; ++column)
                if (!search.box.contains(at(column, r))) search.box.grow(at(column, r));
        });
        // Attribute i changes where a run of equal codes ends in any column. If it changes all the time, looking
        // at every division is faster than sorting the changes.
        auto& changes = search.changes;
        changes.clear();
        for (std::size_t column = 0; column < bucket.columns && changes.size() <= n / 4; ++column)
            for (std::size_t r = 0; (r = end_of_run(records_, &at(column, 0), i, r, n)) < n;) changes.push_back(r);
        const bool often = changes.size() > n / 4;
        if (!often) std::sort(changes.begin(), changes.end());
        changes.push_back(n);
        auto change = changes.begin();
        const auto [smallest, largest] = ends(bucket, part, i);
        return search.best(
            i, n, 1, n - 1,
            [&](std::size_t r, std::size_t last) {
                if (often) return r + 1;
                while (*change <= r) ++change;
                return std::min(*change, last);
            },
            [&](std::size_t r) {
                std::uint32_t before = smallest, behind = largest;
                for (std::size_t column = 0; column < bucket.columns; ++column) {
                    before = std::max(before, records_.code(at(column, r - 1), i));
                    behind = std::min(behind, records_.code(at(column, r), i));
                }
                return std::pair(records_.distance(i, smallest, before), records_.distance(i, behind, largest));
            });
    }

    /// The smallest and the largest code of attribute i.
    std::pair<std::uint32_t, std::uint32_t> ends(const Bucket& bucket, Range part, std::size_t i) const {
        const Record* const order = records_.order(i) + bucket.first + part.first;
        std::uint32_t low = records_.code(order[0], i), high = low;
        for (std::size_t column = 0; column < bucket.columns; ++column) {
            low = std::min(low, records_.code(order[column * bucket.alpha], i));
            high = std::max(high, records_.code(order[column * bucket.alpha + part.size - 1], i));
        }
        return {low, high};
    }

    /// What comes of a part if the first tuples of its columns in order 0 are taken away until there are no more.
    void cut_into_groups(const Bucket& bucket, Range part, unsigned worker) {
        static constexpr std::size_t batch = 1024;
        for (std::size_t first = 0; first < part.size; first += batch) {
            pool_.check();
            const Range groups{part.first + first, std::min(batch, part.size - first)};
            const Record* const order = records_.order(0) + bucket.first + groups.first;
            Row* to = output_.place(place_of(bucket, groups));
            for (std::size_t r = 0; r < groups.size; ++r)
                for (std::size_t column = 0; column < bucket.columns; ++column)
                    *to++ = records_.row(order[column * bucket.alpha + r]);
            finish(bucket, groups, worker);
        }
    }

    /// Every column is divided at its own record.
    void split(const Bucket& bucket, Range part, const Cut& cut, unsigned worker) {
        pool_.each(part.size * bucket.columns, records_.dimensions(), worker, [&](std::size_t j, unsigned who) {
            if (j == cut.dimension) return;
            for (std::size_t column = 0; column < bucket.columns; ++column) {
                const Range range{bucket.first + column * bucket.alpha + part.first, part.size};
                const Record& pivot = records_.order(cut.dimension)[range.first + cut.left];
                records_.split(j, range, cut.dimension, cut.left, records_.key(pivot, cut.dimension),
                               scratch_[who].records, pool_);
            }
        });
    }

    static std::size_t place_of(const Bucket& bucket, Range part) { return bucket.place + part.first * bucket.columns; }

    void settle(const Bucket& bucket, std::size_t group) {
        output_.settle(bucket.place + group * bucket.columns, bucket.columns);
    }

    /// Slices as many tuples of each column, and leaves the groups in the output from `place` on.
    void slice_patch(Patch& patch, std::size_t first, const Bucket& bucket, std::size_t alpha, std::size_t place) {
        Row* const rows = output_.place(place);
        patch.slice(first, bucket.columns, alpha, penalty_, [&](std::size_t number, auto tuple_of) {
            for (std::size_t column = 0; column < bucket.columns; ++column)
                rows[number * bucket.columns + column] = patch.rows[tuple_of(column)];
        });
    }

    /// The groups of a part are in their places. They are final, or wait for those of the other parts.
    void finish(const Bucket& bucket, Range part, unsigned worker) {
        const std::size_t size = part.size * bucket.columns;
        if (!swaps_) {
            for (std::size_t g = part.first; g < part.first + part.size; ++g) settle(bucket, g);
            output_.report(size);
        } else if (bucket.unswapped->waiting.fetch_sub(size) == size) {
            swap(bucket, worker);
            for (std::size_t g = 0; g < bucket.alpha; ++g) settle(bucket, g);
        }
    }

    /// The swaps of a whole bucket, whose groups are in their places.
    void swap(const Bucket& bucket, unsigned worker) {
        if (penalty_ != Penalty::perimeter) return output_.report(bucket.size());
        std::uint32_t extent = 0;  // the largest rank
        for (const auto& [low, high] : bucket.unswapped->ends) extent = std::max(extent, high - low);
        if (extent < 1U << 15)
            swap_in(scratch_[worker].swaps, bucket);
        else if (Swaps<std::int32_t> wide; extent < 1U << 31)
            swap_in(wide, bucket);
        else if (Swaps<std::int64_t> widest; true)
            swap_in(widest, bucket);
    }

    template <class Lane>
    void swap_in(Swaps<Lane>& swaps, const Bucket& bucket) {
        const std::size_t d = records_.dimensions(), chunks = (d + 3) / 4;
        static constexpr std::int64_t nowhere = 0;  // the position of attributes that only fill up a corner
        std::vector<const std::int64_t*> positions(4 * chunks, &nowhere);
        Row* const rows = output_.place(bucket.place);
        swaps.start(bucket.alpha, bucket.columns, chunks);
        if (d % 4)
            for (std::size_t t = 0; t < bucket.size(); ++t) swaps.corner(chunks - 1, t) = Corner<Lane>{};
        for (std::size_t i = 0; i < d; ++i) {
            pool_.check();
            const std::uint32_t low = bucket.unswapped->ends[i].first;
            positions[i] = records_.positions(i) + low;
            std::visit(
                [&](auto codes) {
                    for (std::size_t t = 0; t < bucket.size(); ++t)
                        set_rank(swaps.corner(i / 4, t), i, codes[rows[t]] - low);
                },
                table_.attributes[i].codes);
        }
        swaps.run(
            rows, positions.data(), [&](std::size_t groups) { output_.report(groups * bucket.columns); },
            [&] { pool_.check(); });
        if (bucket.size() > Limits::small) swaps.release();
    }

    void slice_patch(const Bucket& bucket, Range part, unsigned worker) {
        const std::size_t size = part.size * bucket.columns;
        const auto record = [&](std::size_t i, std::size_t t) -> const Record& {
            return records_.order(i)[bucket.first + t / part.size * bucket.alpha + part.first + t % part.size];
        };
        Patch& patch = start_patch(
            size, [&](std::size_t t) -> const Record& { return record(0, t); },
            [&](std::size_t i) { return ends(bucket, part, i); }, worker);
        Lookup& lookup = scratch_[worker].lookup;
        lookup.start(size);
        for (std::size_t t = 0; t < size; ++t) {
            lookup.insert(patch.rows[t], t);
            patch.order(0)[t] = static_cast<Patch::Local>(t);
        }
        for (std::size_t j = 1; j < records_.dimensions(); ++j)
            for (std::size_t t = 0; t < size; ++t) patch.order(j)[t] = lookup(records_.row(record(j, t)), patch.rows);
        slice_patch(patch, 0, bucket, part.size, place_of(bucket, part));
        finish(bucket, part, worker);
    }

    Records<W>& records_;
    const QuasiIdentifiers& table_;
    Penalty penalty_;
    bool swaps_;
    Pool& pool_;
    Output& output_;
    std::vector<Scratch> scratch_;  // per worker
};

}  // namespace pellucid
