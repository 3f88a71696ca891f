// Slice (Fig. 8) for a few thousand tuples at a time, with everything about them in the nearest cache.
//
// Nearly all divisions of a run are of buckets with two or three tuples per column, so this is where Hybrid
// spends its time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "corner.hpp"
#include "cut.hpp"
#include "table.hpp"

namespace pellucid {

/// Up to 2^15 tuples, numbered 0, 1, ..., with their QI values replaced by ranks among themselves.
class Patch {
public:
    using Local = std::uint16_t;
    static constexpr std::size_t most = std::size_t{1} << 15;

    /// Makes room; everything else has to be filled in.
    void start(std::size_t size, std::size_t dimensions) {
        size_ = size;
        dimensions_ = dimensions;
        rows.resize(std::max(rows.size(), size));
        chunks_ = (dimensions + 3) / 4;
        corners_.resize(std::max(corners_.size(), chunks_ * size));
        orders_.room(dimensions * size);
        positions_.assign(chunks_ * 4, &nowhere);
        left_.resize(std::max(left_.size(), size));
        if (dimensions % 4)
            std::fill_n(corners_.begin() + static_cast<std::ptrdiff_t>((chunks_ - 1) * size), size, Eight{});
    }

    /// Tells attribute i's rank of a tuple, which is below 2^15.
    void set_rank(std::size_t i, std::size_t tuple, std::size_t rank) {
        pellucid::set_rank(corners_[i / 4 * size_ + tuple], i, rank);
    }

    /// Tells attribute i's positions (Eq. 4) of the ranks.
    void set_positions(std::size_t i, const std::int64_t* positions) { positions_[i] = positions; }

    std::size_t chunks() const { return chunks_; }
    const Eight& corner(std::size_t chunk, std::size_t tuple) const { return corners_[chunk * size_ + tuple]; }
    const std::vector<const std::int64_t*>& positions() const { return positions_; }

    /// Order i: bucket after bucket, column after column, each column sorted by (t[A_i^q], t[A^id]).
    Local* order(std::size_t i) { return orders_.data() + i * size_; }

    std::vector<Row> rows;

    /// Slices one bucket, whose columns of alpha tuples each start at `first` in every order. Calls
    /// `emit(number, tuples)` for every group: groups are numbered from left to right, and `tuples(column)` is the
    /// group's tuple of that column.
    template <class Emit>
    void slice(std::size_t first, std::size_t columns, std::size_t alpha, Penalty penalty, Emit emit) {
        const auto emit_at = [&](const Local* order, std::size_t number) {
            emit(number, [=](std::size_t column) { return order[column * alpha]; });
        };
        columns_ = columns;
        stride_ = alpha;
        penalty_ = penalty;
        widths_.room(2 * alpha + 2);
        scratch_.room(alpha + 1);
        undivided_.clear();
        if (alpha > 1) undivided_.push_back({0, alpha});
        if (alpha == 1) emit_at(order(0) + first, 0);
        while (!undivided_.empty()) {
            const Range bucket = undivided_.back();
            undivided_.pop_back();
            const Cut cut = canonical_division(first, bucket);
            if (cut.left == 1 && cut.dimension == 0 && bucket.size > 2 &&
                cut.gains_nothing(bucket.size, width(first, bucket))) {
                for (std::size_t r = bucket.first; r < bucket.first + bucket.size; ++r) emit_at(order(0) + first + r, r);
                continue;
            }
            const Range a{bucket.first, cut.left}, b{bucket.first + cut.left, bucket.size - cut.left};
            const Local* divided = order(cut.dimension) + first;
            if (a.size == 1) emit_at(divided + a.first, a.first);
            if (b.size == 1) emit_at(divided + b.first, b.first);
            if (bucket.size == 2) continue;
            split(first, bucket, cut);
            // Of what has to wait, let it be the larger part: then little has to wait.
            const auto [smaller, larger] = a.size < b.size ? std::pair(a, b) : std::pair(b, a);
            if (larger.size > 1) undivided_.push_back(larger);
            if (smaller.size > 1) undivided_.push_back(smaller);
        }
    }

private:
    /// Def. 12. As in l_cut.hpp the perimeter of the division after r tuples of each of the x columns is
    /// x (r W_a(r) + (alpha - r) W_b(r)), and the factor x is the same for all.
    Cut canonical_division(std::size_t first, Range bucket) {
        const std::size_t n = bucket.size;
        if (penalty_ == Penalty::discernibility) return {0, 0, n / 2};
        Cut best;
        std::uint64_t* const a = widths_.data();  // a[r] is W_a(r)
        std::uint64_t* const b = a + stride_ + 1;
        for (std::size_t i = 0; i < dimensions_; ++i) {
            const Local* const order = this->order(i) + first + bucket.first;
            for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
                const Eight* const corners = corners_.data() + chunk * size_;
                const std::int64_t* const* const positions = positions_.data() + chunk * 4;
                Eight box = corners[order[0]];
                for (std::size_t r = 1; r < n; ++r) {
                    box = with(box, corners, order + r - 1);
                    const auto width = static_cast<std::uint64_t>(pellucid::width(box, positions));
                    a[r] = chunk ? a[r] + width : width;
                }
                box = corners[order[n - 1]];
                for (std::size_t r = n; --r > 0;) {
                    box = with(box, corners, order + r);
                    const auto width = static_cast<std::uint64_t>(pellucid::width(box, positions));
                    b[r] = chunk ? b[r] + width : width;
                }
            }
            for (std::size_t r = 1; r < n; ++r) {
                const Cut cut{r * a[r] + (n - r) * b[r], i, r};
                if (cut.perimeter < best.perimeter) best = cut;
            }
        }
        return best;
    }

    /// The width of the bucket's box.
    std::uint64_t width(std::size_t first, Range bucket) const {
        const Local* const order = orders_.data() + first + bucket.first;
        std::uint64_t sum = 0;
        for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
            const Eight* const corners = corners_.data() + chunk * size_;
            Eight box = corners[order[0]];
            for (std::size_t r = 0; r < bucket.size; ++r) box = with(box, corners, order + r);
            sum += static_cast<std::uint64_t>(pellucid::width(box, positions_.data() + chunk * 4));
        }
        return sum;
    }

    /// The box grown by one tuple of each column.
    Eight with(Eight box, const Eight* corners, const Local* order) const {
        for (std::size_t column = 0; column < columns_; ++column)
            box = larger(box, corners[order[column * stride_]]);
        return box;
    }

    /// Makes the other orders agree with the division.
    void split(std::size_t first, Range bucket, const Cut& cut) {
        std::uint8_t* const left = left_.data();
        const Local* divided = order(cut.dimension) + first + bucket.first;
        for (std::size_t column = 0; column < columns_; ++column, divided += stride_)
            for (std::size_t r = 0; r < bucket.size; ++r) left[divided[r]] = r < cut.left;
        Local* const aside = scratch_.data();
        for (std::size_t j = 0; j < dimensions_; ++j) {
            if (j == cut.dimension) continue;
            Local* order = this->order(j) + first + bucket.first;
            for (std::size_t column = 0; column < columns_; ++column, order += stride_) {
                std::size_t to = 0, out = 0;
                for (std::size_t r = 0; r < bucket.size; ++r) {
                    const Local tuple = order[r];
                    order[to] = tuple;
                    aside[out] = tuple;
                    to += left[tuple];
                    out += !left[tuple];
                }
                std::copy_n(aside, out, order + to);
            }
        }
    }

    static constexpr std::int64_t nowhere = 0;  // the position of attributes that only fill up a corner

    std::size_t size_ = 0, dimensions_ = 0, chunks_ = 0;
    std::vector<Eight> corners_;  // per four attributes, per tuple
    std::vector<const std::int64_t*> positions_;
    Buffer<Local> orders_;
    std::vector<std::uint8_t> left_;

    std::size_t columns_ = 0, stride_ = 0;
    Penalty penalty_ = Penalty::perimeter;
    std::vector<Range> undivided_;
    Buffer<std::uint64_t> widths_;
    Buffer<Local> scratch_;
};

}  // namespace pellucid
