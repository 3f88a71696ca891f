// Mondrian (LeFevre et al. 2006), strict and relaxed, for l-diversity or for k-anonymity: see reference/mondrian.py.
// Not transparent: whether a group is cut is read from who has which sensitive value.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "buffer.hpp"
#include "limits.hpp"
#include "output.hpp"
#include "pool.hpp"
#include "records.hpp"
#include "table.hpp"

namespace pellucid {

struct MondrianRule {
    bool relaxed;          ///< equal values may be told apart, by the row number
    std::uint64_t least;   ///< of a part: l, or k
    bool diverse;          ///< whether a part must be l-diverse too
};

/// A record is the codes of a tuple, its sensitive value and its row, in W words; in as many as it takes if W is 0.
template <unsigned W>
class Mondrian {
public:
    Mondrian(const QuasiIdentifiers& table, const Sensitive& sensitive, Layout layout, MondrianRule rule,
             unsigned threads, Run& run)
        : table_(table), values_(sensitive.values), rule_(rule), attributes_(table.attributes.size()),
          layout_(std::move(layout)), asked_(layout_.guards),
          records_(allocate<std::uint64_t>(table.rows * stride())),
          moved_(allocate<std::uint64_t>(table.rows * stride())), output_(table.rows, run), pool_(threads, run),
          scratch_(pool_.size()) {
        asked_[layout_.fields[attributes_].word] &= ~layout_.fields[attributes_].guard;
        for (auto& scratch : scratch_) scratch.sides.resize(2 * values_);
        for (std::size_t first = 0; first < table.rows; first += block) {
            const auto count = std::min(block, table.rows - first);
            auto* words = records_.get() + first * stride();
            std::fill_n(words, count * stride(), 0);
            for (std::size_t r = 0; r < count; ++r)
                words[r * stride()] = std::uint64_t{first + r} << layout_.row_shift;
            for (std::size_t i = 0; i < attributes_; ++i) pack(table.attributes[i].codes, i, first, count, words);
            pack(sensitive.codes, attributes_, first, count, words);
        }
    }

    Partition run() && {
        const auto rows = table_.rows;
        pool_.run([this, rows](unsigned worker) { cut_up(0, rows, worker); });
        return std::move(output_).partition();
    }

private:
    static constexpr std::size_t block = 4096;  // rows that are packed while they are in the first-level cache

    using Words = std::conditional_t<W == 0, std::vector<std::uint64_t>, std::array<std::uint64_t, W == 0 ? 1 : W>>;

    struct Scratch {
        std::vector<std::uint64_t> sides;  // how often each sensitive value occurs on the right and on the left; zeros
        std::vector<std::uint32_t> counts, codes, low, high;
        std::vector<std::size_t> order;
    };

    /// Tuples whose code is below `end` are to the left, and so are the first `ties` of those that have it.
    struct Cut {
        std::uint32_t end;
        std::size_t ties, left;
    };

    void pack(const Codes& codes, std::size_t i, std::size_t first, std::size_t count, std::uint64_t* words) const {
        const Field field = layout_.fields[i];
        if (field.mask == 0) return;
        std::visit(
            [&](auto span) {
                for (std::size_t r = 0; r < count; ++r)
                    words[r * stride() + field.word] |= std::uint64_t{span[first + r]} << field.shift;
            },
            codes);
    }

    std::size_t stride() const { return W ? W : layout_.words; }

    const std::uint64_t* record(std::size_t place) const { return records_.get() + place * stride(); }

    static std::uint32_t code(const std::uint64_t* words, const Field& field) {
        return static_cast<std::uint32_t>(words[field.word] >> field.shift & field.mask);
    }

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
        for (std::size_t k = 0; k < size; ++k) members[k] = static_cast<Row>(record(first + k)[0] >> layout_.row_shift);
        output_.settle(first, size);
        output_.report(size);
    }

    /// Cuts the group and returns how many of its tuples are to the left; 0 if it may not be cut.
    std::size_t cut(std::size_t first, std::size_t size, Scratch& s) {
        if (size / 2 < rule_.least) return 0;
        bound(first, size, s);
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

    /// The smallest and the largest code of every attribute. Nearly all records lie inside the box of those before
    /// them, which one subtraction per word and side tells for all attributes in it (see perimeter.hpp).
    void bound(std::size_t first, std::size_t size, Scratch& s) const {
        Words high, low;
        if constexpr (W == 0) {
            high.resize(stride());
            low.resize(stride());
        }
        const auto put_row_aside = [&] {
            high[0] |= ~std::uint64_t{0} << layout_.row_shift;
            low[0] &= ~(~std::uint64_t{0} << layout_.row_shift);
        };
        const auto* words = record(first);
        for (std::size_t w = 0; w < stride(); ++w) {
            high[w] = words[w] | layout_.guards[w];
            low[w] = words[w];
        }
        put_row_aside();
        // No attribute's guard is asked for in the field of the sensitive value, which neither borrows nor lends.
        for (std::size_t k = 1; k < size; ++k) {
            words = record(first + k);
            std::uint64_t outside = 0;
            for (std::size_t w = 0; w < stride(); ++w)
                outside |= ~((high[w] - words[w]) & ((words[w] | layout_.guards[w]) - low[w])) & asked_[w];
            if (outside == 0) continue;
            for (std::size_t i = 0; i < attributes_; ++i) {
                const Field& field = layout_.fields[i];
                const auto place = field.mask << field.shift;
                const auto mine = words[field.word] & place;
                if (mine > (high[field.word] & place)) high[field.word] = (high[field.word] & ~place) | mine;
                if (mine < (low[field.word] & place)) low[field.word] = (low[field.word] & ~place) | mine;
            }
        }
        s.low.resize(attributes_);
        s.high.resize(attributes_);
        for (std::size_t i = 0; i < attributes_; ++i) {
            s.low[i] = code(low.data(), layout_.fields[i]);
            s.high[i] = code(high.data(), layout_.fields[i]);
        }
    }

    Cut median(std::size_t first, std::size_t size, std::size_t i, Scratch& s) const {
        const Field field = layout_.fields[i];
        const auto low = s.low[i], high = s.high[i];
        const auto rank = rule_.relaxed ? size / 2 : (size - 1) / 2;
        std::uint32_t middle = low;
        std::size_t below = 0, equal = 0;
        if (high - low <= 4 * size) {
            s.counts.assign(high - low + 1, 0);
            for (std::size_t k = 0; k < size; ++k) ++s.counts[code(record(first + k), field) - low];
            while (below + s.counts[middle - low] <= rank) below += s.counts[middle++ - low];
            equal = s.counts[middle - low];
        } else {
            s.codes.resize(size);
            for (std::size_t k = 0; k < size; ++k) s.codes[k] = code(record(first + k), field);
            std::nth_element(s.codes.begin(), s.codes.begin() + static_cast<std::ptrdiff_t>(rank), s.codes.end());
            middle = s.codes[rank];
            for (auto other : s.codes) below += other < middle, equal += other == middle;
        }
        if (rule_.relaxed) return {middle, rank - below, rank};
        // Where nothing is above the median, the cut is below it.
        return middle == high ? Cut{middle, 0, below} : Cut{middle + 1, 0, below + equal};
    }

    bool both_diverse(std::size_t first, std::size_t size, std::size_t i, Cut at, Scratch& s) const {
        const Field field = layout_.fields[i], secret = layout_.fields[attributes_];
        auto ties = at.ties;
        for (std::size_t k = 0; k < size; ++k) {
            const auto* words = record(first + k);
            ++s.sides[2 * code(words, secret) + is_left(code(words, field), at.end, ties)];
        }
        std::uint64_t most_left = 0, most_right = 0;
        const auto look_at = [&](std::size_t value) {
            most_right = std::max(most_right, std::exchange(s.sides[2 * value], 0));
            most_left = std::max(most_left, std::exchange(s.sides[2 * value + 1], 0));
        };
        if (size > values_)
            for (std::size_t value = 0; value < values_; ++value) look_at(value);
        else
            for (std::size_t k = 0; k < size; ++k) look_at(code(record(first + k), secret));
        return most_left <= at.left / rule_.least && most_right <= (size - at.left) / rule_.least;
    }

    static bool is_left(std::uint32_t code, std::uint32_t end, std::size_t& ties) {
        const bool tied = (code == end) & (ties > 0);
        ties -= tied;
        return (code < end) | tied;
    }

    /// Every record is written to both sides and only one side advances: nobody can predict which.
    void split(std::size_t first, std::size_t size, std::size_t i, Cut at) {
        const Field field = layout_.fields[i];
        auto* to_left = records_.get() + first * stride();
        auto* const right = moved_.get() + first * stride();
        auto* to_right = right;
        auto ties = at.ties;
        for (std::size_t k = 0; k < size; ++k) {
            const auto* from = record(first + k);
            const bool left = is_left(code(from, field), at.end, ties);
            for (std::size_t w = 0; w < stride(); ++w) to_left[w] = to_right[w] = from[w];
            to_left += left ? stride() : 0;
            to_right += left ? 0 : stride();
        }
        std::copy(right, to_right, to_left);
    }

    const QuasiIdentifiers& table_;
    std::size_t values_;
    MondrianRule rule_;
    std::size_t attributes_;
    Layout layout_;
    std::vector<std::uint64_t> asked_;  // the guards of the QI attributes
    Array<std::uint64_t> records_, moved_;
    Output output_;
    Pool pool_;
    std::vector<Scratch> scratch_;
};

/// The groups that Mondrian cuts the table into. Copying records is most of the work, hence the fixed sizes.
inline Partition mondrian(const QuasiIdentifiers& table, const Sensitive& sensitive, MondrianRule rule,
                          unsigned threads, Run& run) {
    auto kinds = Layout::kinds(table);
    kinds.push_back(sensitive.values);
    Layout layout(table.rows, kinds);
    switch (layout.words) {
        case 1: return Mondrian<1>(table, sensitive, std::move(layout), rule, threads, run).run();
        case 2: return Mondrian<2>(table, sensitive, std::move(layout), rule, threads, run).run();
        case 3: return Mondrian<3>(table, sensitive, std::move(layout), rule, threads, run).run();
        default: return Mondrian<0>(table, sensitive, std::move(layout), rule, threads, run).run();
    }
}

}  // namespace pellucid
