// Assign (Fig. 6), in two halves: the plan reads counts only, the draw reads random keys only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "table.hpp"

namespace pellucid {

/// n tuples have this sensitive value.
struct Frequency {
    std::uint64_t n;
    std::uint32_t value;

    /// Lines 5-6: the most frequent value comes first, "ties are resolved by a total ordering on A^s".
    bool precedes(const Frequency& other) const { return n != other.n ? n > other.n : value < other.value; }
};

/// Which tuples make which buckets, decided from counts alone.
struct Plan {
    /// `amount` tuples with this value go into this column of the bucket.
    struct Take {
        std::uint32_t value;
        std::uint32_t column;
        std::uint64_t amount;
    };
    struct Bucket {
        std::size_t columns;
        std::uint64_t alpha;  ///< tuples per column
        std::size_t takes;    ///< the next so many elements of `takes` are this bucket's
    };
    std::vector<Bucket> buckets;
    std::vector<Take> takes;

    void clear() {
        buckets.clear();
        takes.clear();
    }
};

/// Makes plans. It is told how frequent the values are, and nothing else (Lemma 6; Lemma C (ii) of Weave).
class Planner {
public:
    virtual ~Planner() = default;

    /// Plans all buckets of an l-eligible multiset of values, given in any order; no frequency is 0.
    virtual void plan(std::span<const Frequency> frequencies, std::uint64_t l, Plan& plan) = 0;
};

/// Lines 3-13 of Fig. 6, with tuples replaced by their number.
class AssignPlanner : public Planner {
public:
    void plan(std::span<const Frequency> frequencies, std::uint64_t l, Plan& plan) override {
        plan.clear();
        values_.assign(frequencies.begin(), frequencies.end());
        std::make_heap(values_.begin(), values_.end(), later);
        std::uint64_t remaining = 0;  // |S_t|
        for (const Frequency& frequency : frequencies) remaining += frequency.n;
        while (remaining) {  // line 4
            top_.clear();    // v_1, ..., v_beta
            std::uint64_t alpha = 0;
            while (alpha == 0) {  // lines 7-9; beta grows until there is an alpha
                if (values_.empty()) throw std::invalid_argument("The counts are not l-eligible.");
                std::pop_heap(values_.begin(), values_.end(), later);
                top_.push_back(values_.back());
                values_.pop_back();
                // n_(beta+1) is 0 if there are no more values.
                if (top_.size() >= l)
                    alpha = largest_alpha(remaining, l, top_.size(), top_.front().n, top_.back().n,
                                          values_.empty() ? 0 : values_.front().n);
            }
            plan.buckets.push_back({top_.size(), alpha, top_.size()});  // line 10
            std::uint32_t column = 0;
            for (const Frequency& v : top_) {  // lines 11-12
                plan.takes.push_back({v.value, column++, alpha});
                if (v.n == alpha) continue;
                values_.push_back({v.n - alpha, v.value});
                std::push_heap(values_.begin(), values_.end(), later);
            }
            remaining -= alpha * top_.size();
        }
    }

    /// Line 8: the largest alpha that satisfies the three inequalities, or 0. `n_next` is n_(beta+1).
    static std::uint64_t largest_alpha(std::uint64_t remaining, std::uint64_t l, std::uint64_t beta, std::uint64_t n_1,
                                       std::uint64_t n_beta, std::uint64_t n_next) {
        if (l > remaining / n_1) throw std::invalid_argument("The counts are not l-eligible.");
        std::uint64_t alpha = std::min(n_beta, (remaining - l * n_next) / beta);
        if (beta > l) alpha = std::min(alpha, (remaining - l * n_1) / (beta - l));
        return alpha;
    }

private:
    static bool later(const Frequency& a, const Frequency& b) { return b.precedes(a); }

    std::vector<Frequency> values_;  // a heap of the values that are not in top_
    std::vector<Frequency> top_;
};

/// Line 12: "randomly remove alpha tuples whose sensitive values equal v". Every tuple has a secret uniform
/// random key, and the tuples with the smallest keys are taken; equal keys, of which there are none to speak
/// of, follow the identifiers.
struct Holder {
    std::uint64_t key;
    Row row;
    std::uint32_t place;  ///< where the caller has this tuple

    bool operator<(const Holder& other) const { return key != other.key ? key < other.key : row < other.row; }
};

/// Sorts holders into `drawn`. Keys are uniform, so their leading bits spread them evenly over as many bins as
/// wanted, and little remains to be sorted inside a bin. (With other keys it takes longer, that is all.)
inline void put_in_order_of_draw(const Holder* holders, std::size_t size, Holder* drawn) {
    constexpr std::size_t few = 32;
    if (size <= few) {
        std::sort(drawn, std::copy_n(holders, size, drawn));
        return;
    }
    const int bits = std::min(14, static_cast<int>(std::bit_width(size / 8)));
    const auto bin = [&](const Holder& holder) { return holder.key >> (64 - bits); };
    std::vector<std::size_t> next(std::size_t{1} << bits);
    for (std::size_t h = 0; h < size; ++h) ++next[bin(holders[h])];
    for (std::size_t sum = 0; auto& start : next) sum += std::exchange(start, sum);
    for (std::size_t h = 0; h < size; ++h) drawn[next[bin(holders[h])]++] = holders[h];
    for (std::size_t start = 0; const std::size_t end : next) {
        std::sort(drawn + start, drawn + end);
        start = end;
    }
}

}  // namespace pellucid
