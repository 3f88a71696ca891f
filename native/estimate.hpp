// Which exchanges of two groups (swaps.hpp) cannot gain anything, found out for several columns at a time.
//
// Nearly all exchanges that are thought of gain nothing. So widths are estimated first, in floats, and only where the
// gain may be positive, given how wrong that can be, they are calculated in integers, by which alone exchanges are made.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "buffer.hpp"
#include "corner.hpp"

namespace pellucid {

/// Estimates for groups that are near each other. Each of them has a turn, and is kept until as many others had theirs
/// as fit in.
class Estimates {
public:
    /// `lanes` is how many ends a box has, and `extent` the sum of the largest possible extents.
    void start(std::size_t groups, std::size_t columns, std::size_t lanes, std::int64_t extent) {
        lanes_ = lanes;
        stride_ = lanes + 1;
        blocks_ = (columns + at_once - 1) / at_once;
        columns_ = columns;
        places_ = std::bit_ceil(groups);
        ends_.room(places_ * blocks_ * stride_);
        std::fill_n(turn_.room(places_), places_, nobody);
        // Integers up to 2^24 are exact. Beyond, rounding is wrong by no more than 2^-24 of what is rounded: of two
        // boxes, the ends are together no more than 4 extents, and so are their sums by lane; the sums of these, as
        // many as lanes, and the widths are no more than 2 extents each. This is somewhat more.
        const bool exact = extent <= std::int64_t{1} << 23;
        margin_ = exact ? 0 : std::ldexp(static_cast<float>(extent), -23) * static_cast<float>(lanes + 8);
    }

    bool has(std::uint64_t turn) const { return turn_.data()[place(turn)] == turn; }
    void forget(std::uint64_t turn) { turn_.data()[place(turn)] = nobody; }

    /// Takes in the group that has this turn. `gains(c)` is whether its box shrinks without the tuple of column c.
    template <class Gains>
    void take(std::uint64_t turn, Gains gains) {
        turn_.data()[place(turn)] = turn;
        Ends* to = group(turn);
        for (std::size_t first = 0; first < columns_; first += at_once, to += stride_) {
            to->tuple = all(endless);
            for (std::size_t c = 0; c < std::min(at_once, columns_ - first); ++c)
                if (gains(first + c)) to->tuple[c] = 0;
        }
    }

    /// And what its box has in one lane: the largest number, the second largest, and by column that of each tuple.
    template <class Tuple>
    void take(std::uint64_t turn, std::size_t lane, float largest, float second, Tuple tuple) {
        Ends* to = group(turn) + 1 + lane;
        for (std::size_t first = 0; first < columns_; first += at_once, to += stride_) {
            Floats ends = all(0);
            for (std::size_t c = 0; c < std::min(at_once, columns_ - first); ++c) ends[c] = tuple(first + c);
            to->tuple = ends;
            to->rest = replaced(ends, all(largest), all(second));
        }
    }

    /// Whether the groups that have these turns may become smaller than their widths together.
    bool may_gain(std::uint64_t a, std::uint64_t b, std::int64_t widths) const {
        const Ends* x = group(a);
        const Ends* y = group(b);
        Floats least = all(endless);
        for (std::size_t block = 0; block < blocks_; ++block) {
            Floats both = smaller((x++)->tuple, (y++)->tuple);  // no box shrinks: nothing to gain
            for (std::size_t lane = 0; lane < lanes_; ++lane, ++x, ++y)
                both = sum(both, sum(larger(x->rest, y->tuple), larger(y->rest, x->tuple)));
            least = smaller(least, both);
        }
        float smallest = least[0];
        for (std::size_t c = 1; c < at_once; ++c) smallest = std::min<float>(smallest, least[c]);
        return smallest <= static_cast<float>(widths - 1) + margin_;  // widths are integers
    }

    void release() {
        ends_.release();
        turn_.release();
    }

private:
    static constexpr std::size_t at_once = sizeof(Floats) / sizeof(float);
    static constexpr float endless = std::numeric_limits<float>::infinity();
    static constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();

    /// Of as many columns, in one lane. Those that only fill up a block never gain.
    struct Ends {
        Floats tuple;  ///< the ends of their tuples; before the first lane, 0 or endless: whether their leaving gains
        Floats rest;   ///< the ends of the box without each of them
    };

    static Floats all(float number) {
        Floats floats;
        for (std::size_t c = 0; c < at_once; ++c) floats[c] = number;
        return floats;
    }

    std::size_t place(std::uint64_t turn) const { return turn & (places_ - 1); }
    Ends* group(std::uint64_t turn) { return ends_.data() + place(turn) * blocks_ * stride_; }
    const Ends* group(std::uint64_t turn) const { return ends_.data() + place(turn) * blocks_ * stride_; }

    std::size_t lanes_ = 0, stride_ = 1, blocks_ = 0, columns_ = 0, places_ = 1;
    float margin_ = 0;
    Buffer<Ends> ends_;           // per place, per block of columns, per lane
    Buffer<std::uint64_t> turn_;  // per place: who is there
};

}  // namespace pellucid
