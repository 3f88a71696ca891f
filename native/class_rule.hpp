// Class rules of Weave: which sensitive values share a column (reference/class_rule.py). They see counts in the
// public order of their values, and nothing else (Lemma C (ii)).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "assign.hpp"

namespace pellucid {

/// The class of every value, 0, ..., l - 1.
using Classes = std::vector<std::uint32_t>;

/// Rule 0: the largest count goes to the class with the smallest total, and so on (LPT).
class Rule0 {
public:
    void classify(std::span<const Frequency> values, std::size_t l, Classes& classes) {
        order_.resize(values.size());
        for (std::size_t p = 0; p < values.size(); ++p) order_[p] = static_cast<std::uint32_t>(p);
        std::sort(order_.begin(), order_.end(),
                  [&](std::uint32_t p, std::uint32_t q) { return values[p].precedes(values[q]); });
        classes.resize(values.size());
        smallest_.clear();
        for (std::size_t i = 0; i < l; ++i) smallest_.emplace_back(0, static_cast<std::uint32_t>(i));  // is a heap
        for (const std::uint32_t p : order_) {
            std::pop_heap(smallest_.begin(), smallest_.end(), std::greater<>());
            auto& [total, i] = smallest_.back();
            classes[p] = i;
            total += values[p].n;
            std::push_heap(smallest_.begin(), smallest_.end(), std::greater<>());
        }
    }

private:
    std::vector<std::uint32_t> order_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> smallest_;
};

/// Rule 2: rounds along the public order, then a search for a local minimum of the imbalance.
///
/// The imbalance is the sum of w_p D_i(p)^2 over classes i and prefixes p. To move n tuples from class a to class b at
/// place p changes it by 2 l times n (S_b(p) - S_a(p)) + l n^2 Wt(p), where S_i(p) is the sum of w_q D_i(q) over
/// q >= p, and Wt(p) that of the weights alone. An exchange is two such moves, so a trial takes constant time.
class Rule2 {
public:
    static constexpr std::int64_t totals = 1000;
    static constexpr int sweeps = 12;
    static constexpr std::size_t reach = 64;
    static constexpr std::size_t most_values = 1024;

    void classify(std::span<const Frequency> values, std::size_t l, Classes& classes) {
        l_ = l;
        count_in_units(values);
        start(classes);
        if (values.size() <= most_values) improve(classes);
    }

private:
    /// With counts in units of this power of two, every number below fits in 63 bits.
    void count_in_units(std::span<const Frequency> values) {
        std::uint64_t sum = 0;
        for (const Frequency& value : values) sum += value.n;
        const std::uint64_t room = std::numeric_limits<std::int64_t>::max() / 8 / l_ / (totals + values.size());
        unsigned shift = 0;
        while ((sum >> shift) > room / std::max<std::uint64_t>(sum >> shift, 1)) ++shift;
        n_.clear();
        for (const Frequency& value : values) n_.push_back(static_cast<std::int64_t>(value.n >> shift));
    }

    void start(Classes& classes) {
        const std::size_t k = n_.size();
        classes.resize(k);
        totals_.assign(l_, 0);
        for (std::size_t first = 0; first < k; first += l_) {
            places_.clear();
            for (std::size_t p = first; p < std::min(first + l_, k); ++p) places_.emplace_back(-n_[p], p);
            std::sort(places_.begin(), places_.end());
            smallest_.clear();
            for (std::size_t i = 0; i < l_; ++i) smallest_.emplace_back(totals_[i], i);
            std::sort(smallest_.begin(), smallest_.end());
            for (std::size_t r = 0; r < places_.size(); ++r) {
                const auto [minus_n, p] = places_[r];
                const std::size_t i = smallest_[r].second;
                classes[p] = static_cast<std::uint32_t>(i);
                totals_[i] -= minus_n;
            }
        }
    }

    void improve(Classes& classes) {
        const std::size_t k = n_.size();
        const auto l = static_cast<std::int64_t>(l_);
        weights_.resize(k);
        for (std::size_t p = 0; p < k; ++p) weights_[p] = static_cast<std::int64_t>(k - 1 - p) + totals;
        sums_.resize(l_ * k);
        for (std::size_t i = 0; i < l_; ++i) sum(i, classes);
        own_.resize(k);
        for (std::size_t p = 0; p < k; ++p) own_[p] = sums_[classes[p] * k + p];
        here_.resize(l_);
        // Once all values, one after the other, have found nothing better, none ever will.
        std::size_t content = 0;
        for (std::size_t turn = 0; turn < sweeps * k && content < k; ++turn) {
            const std::size_t p = turn % k;
            const std::uint32_t a = classes[p];
            const std::int64_t n = n_[p], weight = weights_[p];
            for (std::size_t i = 0; i < l_; ++i) here_[i] = sums_[i * k + p] - own_[p];
            std::int64_t least = 0;
            std::size_t to = l_, with = k;
            for (std::size_t b = 0; b < l_; ++b) {
                const std::int64_t change = n * here_[b] + l * n * n * weight;
                if (b != a && change < least) {
                    least = change;
                    to = b;
                }
            }
            const std::int64_t* const from = sums_.data() + a * k;
            const auto exchange = [&](std::size_t q, std::int64_t earlier, std::int64_t between, std::int64_t behind) {
                const std::int64_t difference = n - n_[q];
                const std::int64_t change = n * here_[classes[q]] - n_[q] * (own_[q] - from[q]) +
                                            l * (earlier * earlier * between + difference * difference * behind);
                if (change < least && classes[q] != a) {
                    least = change;
                    with = q;
                }
            };
            for (std::size_t q = p < reach ? 0 : p - reach; q < p; ++q)
                exchange(q, n_[q], weights_[q] - weight, weight);
            for (std::size_t q = p + 1; q < std::min(p + reach + 1, k); ++q)
                exchange(q, n, weight - weights_[q], weights_[q]);
            ++content;
            if (least == 0) continue;
            content = 0;
            const std::uint32_t b = with < k ? classes[with] : static_cast<std::uint32_t>(to);
            if (with < k) classes[with] = a;
            classes[p] = b;
            sum(a, classes);
            sum(b, classes);
            for (std::size_t q = 0; q < k; ++q)
                if (classes[q] == a || classes[q] == b) own_[q] = sums_[classes[q] * k + q];
        }
    }

    /// S_i(p) for all p.
    void sum(std::size_t i, const Classes& classes) {
        const std::size_t k = n_.size();
        const auto l = static_cast<std::int64_t>(l_);
        std::int64_t* const sums = sums_.data() + i * k;
        std::int64_t d = 0;
        for (std::size_t p = 0; p < k; ++p) sums[p] = d += (classes[p] == i ? l * n_[p] : 0) - n_[p];
        std::int64_t s = totals * sums[k - 1];
        sums[k - 1] = s;
        for (std::size_t p = k - 1; p-- > 0;) sums[p] = s += sums[p];
    }

    std::size_t l_ = 0;
    std::vector<std::int64_t> n_;        // counts, in public order
    std::vector<std::int64_t> weights_;  // Wt(p)
    std::vector<std::int64_t> sums_;     // S_i(p)
    std::vector<std::int64_t> own_;      // S_i(p) of the class that the value at p has
    std::vector<std::int64_t> here_;     // S_i(p) - S_a(p) for the place p and class a in question
    std::vector<std::int64_t> totals_;
    std::vector<std::pair<std::int64_t, std::size_t>> places_, smallest_;
};

}  // namespace pellucid
