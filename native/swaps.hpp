// Swaps, the last step of Weave (reference/swaps.py): two groups of a bucket exchange their tuples of one column if
// that makes their boxes smaller.
//
// What comes in are identifiers and QI values in columns. The columns are visited by their smallest identifier, and
// nothing else tells them apart (Lemma C (iv)).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "buffer.hpp"
#include "corner.hpp"
#include "estimate.hpp"
#include "table.hpp"

namespace pellucid {

/// The groups of one bucket: tuple `g x + c` is that of column c in group g, where x is the number of columns.
template <class Lane>
class Swaps {
public:
    static constexpr std::size_t passes = 6;
    static constexpr std::size_t neighbours = 64;

    /// Makes room for that many groups; every corner has to be filled in.
    void start(std::size_t groups, std::size_t columns, std::size_t chunks) {
        groups_ = groups;
        columns_ = columns;
        chunks_ = chunks;
        corners_.room(chunks * groups * columns);
        largest_.room(chunks * groups);
        second_.room(chunks * groups);
        gains_.room(groups * columns);
        width_.room(groups);
        most_.room(groups);
        changed_.room(groups);
    }

    Corner<Lane>& corner(std::size_t chunk, std::size_t tuple) { return corners_.data()[tuple * chunks_ + chunk]; }

    /// Makes the exchanges in `rows`, the row number of every tuple. `positions` has four attributes per chunk.
    /// Calls `passed(groups)` now and then in the first pass, which takes most of the time, and `check()` in all.
    template <class Passed, class Check>
    void run(Row* rows, const std::int64_t* const* positions, Passed passed, Check check) {
        positions_ = positions;
        if (columns_ == 1 || groups_ == 1) return passed(groups_);
        order_columns(rows);
        for (std::size_t g = 0; g < groups_; ++g) {
            measure(g);
            changed_.data()[g] = 0;
        }
        const std::size_t near = std::min(neighbours, groups_ - 1);
        estimating_ = groups_ >= enough;
        if (estimating_) estimates_.start(near + 1, columns_, 8 * chunks_, extent());
        bool any = true;
        for (std::size_t pass = 0; pass < passes && any; ++pass) {
            any = false;
            for (std::size_t a = 0; a < groups_; ++a) {
                const std::uint64_t turn = (pass + 1) * groups_ + a, previous = turn - groups_;
                for (std::size_t d = 1; d <= near; ++d) {
                    const std::size_t b = a + d < groups_ ? a + d : a + d - groups_;
                    // If neither has changed since they met in the pass before, there is still nothing to gain.
                    if (pass > 0 && changed_.data()[a] < previous && changed_.data()[b] < previous) continue;
                    if (most_.data()[a] + most_.data()[b] <= 0) continue;
                    const std::uint64_t turn_a = turn + pass * groups_, turn_b = turn_a + d;
                    if (estimating_ && !may_gain(a, turn_a, b, turn_b)) continue;
                    const std::size_t column = best_exchange(a, b);
                    if (column == columns_) continue;
                    std::swap(rows[a * columns_ + column], rows[b * columns_ + column]);
                    for (std::size_t chunk = 0; chunk < chunks_; ++chunk)
                        std::swap(corner(chunk, a * columns_ + column), corner(chunk, b * columns_ + column));
                    measure(a);
                    measure(b);
                    changed_.data()[a] = changed_.data()[b] = turn;
                    if (estimating_) {
                        estimates_.forget(turn_a);
                        estimates_.forget(turn_b);
                    }
                    any = true;
                }
                if (a % batch == batch - 1) {
                    check();
                    if (pass == 0) passed(batch);
                }
            }
            if (pass == 0) passed(groups_ % batch);
        }
    }

    void release() {
        corners_.release();
        largest_.release();
        second_.release();
        gains_.release();
        width_.release();
        most_.release();
        changed_.release();
        estimates_.release();
    }

private:
    static constexpr std::size_t batch = 1024;
    static constexpr std::size_t enough = 8;  // groups, to have estimates made

    void order_columns(const Row* rows) {
        std::vector<Row> smallest(rows, rows + columns_);
        for (std::size_t t = columns_; t < groups_ * columns_; t += columns_)
            for (std::size_t c = 0; c < columns_; ++c) smallest[c] = std::min(smallest[c], rows[t + c]);
        order_.resize(columns_);
        std::iota(order_.begin(), order_.end(), 0);
        std::sort(order_.begin(), order_.end(), [&](auto c, auto d) { return smallest[c] < smallest[d]; });
        rank_.resize(columns_);
        for (std::uint32_t r = 0; r < columns_; ++r) rank_[order_[r]] = r;
    }

    /// The two largest numbers in every lane give the box of the group, and the box without any one of its tuples.
    void measure(std::size_t g) {
        const std::size_t first = g * columns_;
        std::int64_t width = 0;
        for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
            Corner<Lane> largest = larger(corner(chunk, first), corner(chunk, first + 1));
            Corner<Lane> second = smaller(corner(chunk, first), corner(chunk, first + 1));
            for (std::size_t c = 2; c < columns_; ++c) {
                const Corner<Lane> next = corner(chunk, first + c);
                second = larger(second, smaller(largest, next));
                largest = larger(largest, next);
            }
            largest_.data()[g * chunks_ + chunk] = largest;
            second_.data()[g * chunks_ + chunk] = second;
            width += pellucid::width(largest, positions_ + 4 * chunk);
        }
        width_.data()[g] = width;
        std::int64_t most = 0;
        for (std::size_t r = 0; r < columns_; ++r) {
            std::int64_t rest = 0;
            for (std::size_t chunk = 0; chunk < chunks_; ++chunk)
                rest += pellucid::width(without(chunk, g, order_[r]), positions_ + 4 * chunk);
            gains_.data()[first + r] = width - rest;
            most = std::max(most, width - rest);
        }
        most_.data()[g] = most;
    }

    /// The box of group g without its tuple of column c.
    Corner<Lane> without(std::size_t chunk, std::size_t g, std::size_t c) {
        const std::size_t at = g * chunks_ + chunk;
        return replaced(corner(chunk, g * columns_ + c), largest_.data()[at], second_.data()[at]);
    }

    /// The width of group g if its tuple of column c is replaced with that of group `other`.
    std::int64_t width_with(std::size_t g, std::size_t other, std::size_t c) {
        std::int64_t sum = 0;
        for (std::size_t chunk = 0; chunk < chunks_; ++chunk)
            sum += pellucid::width(larger(without(chunk, g, c), corner(chunk, other * columns_ + c)), positions_ + 4 * chunk);
        return sum;
    }

    /// The sum of the largest extents that boxes of these groups could have.
    std::int64_t extent() {
        std::int64_t sum = 0;
        for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
            Corner<Lane> box = largest_.data()[chunk];
            for (std::size_t g = 1; g < groups_; ++g) box = larger(box, largest_.data()[g * chunks_ + chunk]);
            for (std::size_t i = 0; i < 4; ++i) sum += at(chunk, i, box[i]);
        }
        return sum;
    }

    /// Where a rank stands, or a rank negated, from the smallest rank on.
    std::int64_t at(std::size_t chunk, std::size_t lane, std::int64_t rank) const {
        const std::int64_t* const positions = positions_[4 * chunk + lane % 4];
        return lane < 4 ? positions[rank] - positions[0] : positions[0] - positions[-rank];
    }

    /// Whether an exchange may make the boxes of two groups smaller; the groups are estimated if they are not yet.
    bool may_gain(std::size_t a, std::uint64_t turn_a, std::size_t b, std::uint64_t turn_b) {
        if (!estimates_.has(turn_a)) estimate(a, turn_a);
        if (!estimates_.has(turn_b)) estimate(b, turn_b);
        return estimates_.may_gain(turn_a, turn_b, width_.data()[a] + width_.data()[b]);
    }

    void estimate(std::size_t g, std::uint64_t turn) {
        estimates_.take(turn, [&](std::size_t c) { return gains_.data()[g * columns_ + rank_[c]] > 0; });
        for (std::size_t chunk = 0; chunk < chunks_; ++chunk)
            for (std::size_t lane = 0; lane < 8; ++lane) {
                const auto end = [&](const Corner<Lane>& of) { return static_cast<float>(at(chunk, lane, of[lane])); };
                const std::size_t group = g * chunks_ + chunk;
                estimates_.take(turn, chunk * 8 + lane, end(largest_.data()[group]), end(second_.data()[group]),
                                [&](std::size_t c) { return end(corner(chunk, g * columns_ + c)); });
            }
    }

    /// The first column, by smallest identifier, in which an exchange makes the boxes smallest; the number of columns
    /// if none makes them smaller. (All groups have the same size, so widths decide about perimeters.)
    std::size_t best_exchange(std::size_t a, std::size_t b) {
        std::int64_t best = 0;
        std::size_t column = columns_;
        const std::int64_t* const gains_a = gains_.data() + a * columns_;
        const std::int64_t* const gains_b = gains_.data() + b * columns_;
        for (std::size_t r = 0; r < columns_; ++r) {
            // A box can win no more than what the tuple that leaves it gives free.
            if (gains_a[r] + gains_b[r] <= best) continue;
            const std::size_t c = order_[r];
            const std::int64_t gain_a = width_.data()[a] - width_with(a, b, c);
            if (gain_a + gains_b[r] <= best) continue;
            const std::int64_t gain = gain_a + width_.data()[b] - width_with(b, a, c);
            if (gain > best) {
                best = gain;
                column = c;
            }
        }
        return column;
    }

    std::size_t groups_ = 0, columns_ = 0, chunks_ = 0;
    const std::int64_t* const* positions_ = nullptr;
    std::vector<std::uint32_t> order_;        // of the columns
    std::vector<std::uint32_t> rank_;         // per column: its place in that order
    Buffer<Corner<Lane>> corners_;            // per tuple, per chunk
    Buffer<Corner<Lane>> largest_, second_;   // per group, per chunk
    Buffer<std::int64_t> gains_;              // per group, per column in that order: by how much its box would shrink
    Buffer<std::int64_t> width_, most_;       // per group; and the largest of its gains
    Buffer<std::uint64_t> changed_;           // per group: the turn in which it changed last
    bool estimating_ = false;
    Estimates estimates_;
};

}  // namespace pellucid
