// Mondrian (LeFevre et al. 2006), strict and relaxed, for l-diversity or for k-anonymity: see reference/mondrian.py.
// Not transparent: whether a group is cut is read from who has which sensitive value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <variant>
#include <vector>

#include "buffer.hpp"
#include "limits.hpp"
#include "output.hpp"
#include "pool.hpp"
#include "table.hpp"

namespace pellucid {

struct MondrianRule {
    bool relaxed;          ///< equal values may be told apart, by the row number
    std::uint64_t least;   ///< of a part: l, or k
    bool diverse;          ///< whether a part must be l-diverse too
};

/// `Fields` is the number of attributes and two, or 0 if that is known only when it runs.
template <std::size_t Fields>
class Mondrian {
public:
    Mondrian(const QuasiIdentifiers& table, const Sensitive& sensitive, MondrianRule rule, unsigned threads, Run& run)
        : table_(table), rule_(rule), attributes_(table.attributes.size()), records_(allocate<std::uint32_t>(table.rows * stride())),
          moved_(allocate<std::uint32_t>(table.rows * stride())),
          output_(table.rows, run), pool_(threads, run), scratch_(pool_.size()) {
        for (auto& scratch : scratch_) {
            scratch.left.resize(sensitive.values);
            scratch.right.resize(sensitive.values);
        }
        for (std::size_t i = 0; i < attributes_; ++i) fill(table.attributes[i].codes, i);
        fill(sensitive.codes, attributes_);
        for (std::size_t row = 0; row < table.rows; ++row)
            records_[row * stride() + attributes_ + 1] = static_cast<std::uint32_t>(row);
    }

    Partition run() && {
        const auto rows = table_.rows;
        pool_.run([this, rows](unsigned worker) { cut_up(0, rows, worker); });
        return std::move(output_).partition();
    }

private:
    struct Scratch {
        std::vector<std::uint64_t> left, right;  // how often each sensitive value occurs on either side; zeros
        std::vector<std::uint32_t> counts, codes, low, high;
        std::vector<std::size_t> order;
    };

    /// Tuples whose code is below `end` are to the left, and so are the first `ties` of those that have it.
    struct Cut {
        std::uint32_t end;
        std::size_t ties, left;
    };

    void fill(const Codes& codes, std::size_t field) {
        std::visit(
            [&](auto span) {
                for (std::size_t row = 0; row < span.size(); ++row) records_[row * stride() + field] = span[row];
            },
            codes);
    }

    /// A record is the codes of a tuple, its sensitive value and its row.
    std::size_t stride() const { return Fields ? Fields : attributes_ + 2; }

    const std::uint32_t* record(std::size_t place) const { return records_.get() + place * stride(); }

    /// The tuples of a group stand in the order of their rows, and every cut keeps that order.
    void cut_up(std::size_t first, std::size_t size, unsigned worker) {
        while (true) {
            pool_.check();
            const auto left = cut(first, size, scratch_[worker]);
            if (left == 0) break;
            // The larger side goes on here, so that the stack stays small; the other may go to another thread.
            auto other = first, others = left;
            if (left > size - left) {
                other = first + left;
                others = size - left;
                size = left;
            } else {
                first += left;
                size -= left;
            }
            if (others >= Limits::task && pool_.has_idle())
                pool_.submit([this, other, others](unsigned who) { cut_up(other, others, who); });
            else
                cut_up(other, others, worker);
        }
        Row* members = output_.place(first);
        for (std::size_t k = 0; k < size; ++k) members[k] = record(first + k)[attributes_ + 1];
        output_.settle(first, size);
        output_.report(size);
    }

    /// Cuts the group and returns how many of its tuples are to the left; 0 if it may not be cut.
    std::size_t cut(std::size_t first, std::size_t size, Scratch& s) {
        if (size / 2 < rule_.least) return 0;
        s.low.assign(record(first), record(first) + attributes_);
        s.high = s.low;
        for (std::size_t k = 1; k < size; ++k) {
            const auto* codes = record(first + k);
            for (std::size_t i = 0; i < attributes_; ++i) {
                s.low[i] = std::min(s.low[i], codes[i]);
                s.high[i] = std::max(s.high[i], codes[i]);
            }
        }
        s.order.resize(attributes_);
        std::iota(s.order.begin(), s.order.end(), std::size_t{0});
        const auto width = [&](std::size_t i) {
            const auto at = table_.attributes[i].positions;
            return at[s.high[i]] - at[s.low[i]];
        };
        std::stable_sort(s.order.begin(), s.order.end(), [&](auto a, auto b) { return width(a) > width(b); });
        for (auto i : s.order) {
            if (!rule_.relaxed && s.low[i] == s.high[i]) continue;
            const auto at = median(first, size, i, s);
            if (at.left < rule_.least || size - at.left < rule_.least) continue;
            if (rule_.diverse && !both_diverse(first, size, i, at, s)) continue;
            split(first, size, i, at);
            return at.left;
        }
        return 0;
    }

    Cut median(std::size_t first, std::size_t size, std::size_t i, Scratch& s) const {
        const auto low = s.low[i], high = s.high[i];
        const auto rank = rule_.relaxed ? size / 2 : (size - 1) / 2;
        std::uint32_t code = low;
        std::size_t below = 0, equal = 0;
        if (high - low <= 4 * size) {
            s.counts.assign(high - low + 1, 0);
            for (std::size_t k = 0; k < size; ++k) ++s.counts[record(first + k)[i] - low];
            while (below + s.counts[code - low] <= rank) below += s.counts[code++ - low];
            equal = s.counts[code - low];
        } else {
            s.codes.resize(size);
            for (std::size_t k = 0; k < size; ++k) s.codes[k] = record(first + k)[i];
            std::nth_element(s.codes.begin(), s.codes.begin() + static_cast<std::ptrdiff_t>(rank), s.codes.end());
            code = s.codes[rank];
            for (auto other : s.codes) below += other < code, equal += other == code;
        }
        if (rule_.relaxed) return {code, rank - below, rank};
        // Where nothing is above the median, the cut is below it.
        return code == high ? Cut{code, 0, below} : Cut{code + 1, 0, below + equal};
    }

    bool both_diverse(std::size_t first, std::size_t size, std::size_t i, Cut at, Scratch& s) const {
        std::uint64_t most_left = 0, most_right = 0;
        auto ties = at.ties;
        for (std::size_t k = 0; k < size; ++k) {
            const auto* codes = record(first + k);
            if (is_left(codes[i], at.end, ties))
                most_left = std::max(most_left, ++s.left[codes[attributes_]]);
            else
                most_right = std::max(most_right, ++s.right[codes[attributes_]]);
        }
        if (size > s.left.size()) {
            std::fill(s.left.begin(), s.left.end(), 0);
            std::fill(s.right.begin(), s.right.end(), 0);
        } else {
            for (std::size_t k = 0; k < size; ++k) {
                const auto value = record(first + k)[attributes_];
                s.left[value] = s.right[value] = 0;
            }
        }
        return most_left <= at.left / rule_.least && most_right <= (size - at.left) / rule_.least;
    }

    static bool is_left(std::uint32_t code, std::uint32_t end, std::size_t& ties) {
        if (code < end) return true;
        if (code > end || ties == 0) return false;
        --ties;
        return true;
    }

    void split(std::size_t first, std::size_t size, std::size_t i, Cut at) {
        auto* to_left = records_.get() + first * stride();
        auto* const right = moved_.get() + first * stride();
        auto* to_right = right;
        auto ties = at.ties;
        for (std::size_t k = 0; k < size; ++k) {
            const auto* from = record(first + k);
            auto*& to = is_left(from[i], at.end, ties) ? to_left : to_right;
            std::copy(from, from + stride(), to);
            to += stride();
        }
        std::copy(right, to_right, to_left);
    }

    const QuasiIdentifiers& table_;
    MondrianRule rule_;
    std::size_t attributes_;
    Array<std::uint32_t> records_, moved_;
    Output output_;
    Pool pool_;
    std::vector<Scratch> scratch_;
};

/// The groups that Mondrian cuts the table into. Copying records is most of the work, hence the fixed sizes.
template <std::size_t Fields = 3>
Partition mondrian(const QuasiIdentifiers& table, const Sensitive& sensitive, MondrianRule rule, unsigned threads,
                   Run& run) {
    constexpr std::size_t most = 10;
    if constexpr (Fields <= most) {
        if (table.attributes.size() + 2 != Fields)
            return mondrian<Fields + 1>(table, sensitive, rule, threads, run);
        return Mondrian<Fields>(table, sensitive, rule, threads, run).run();
    } else {
        return Mondrian<0>(table, sensitive, rule, threads, run).run();
    }
}

}  // namespace pellucid
