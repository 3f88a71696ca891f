// The tuples as the cutters and refiners see them: identifier and QI values, one sorted copy per attribute.
//
// A record packs the codes of all QI attributes and the row number into a few 64-bit words. There is no room
// for the sensitive value, so that no decision can depend on who has which (G1).
//
// Order i holds the records sorted by (t[A_i^q], t[A^id]), the order of Defs. 9 and 11. To cut at position k of
// order i is to compare that pair with the one of record k, so every other order is split by one sequential,
// stable pass, and nothing is ever sorted again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "buffer.hpp"
#include "pool.hpp"
#include "table.hpp"

namespace pellucid {

/// Where a record holds the code of one attribute.
struct Field {
    unsigned word = 0;
    unsigned shift = 0;
    std::uint64_t mask = 0;   ///< of the code, before it is shifted into its place
    std::uint64_t guard = 0;  ///< the bit above the code, in its place; always 0 in a record (see perimeter.hpp)
};

struct Layout {
    unsigned words = 1;
    unsigned row_shift = 0;  ///< the row number is at the top of the first word
    std::vector<Field> fields;
    std::vector<std::uint64_t> guards;  ///< per word: the guard bits of all attributes

    explicit Layout(const QuasiIdentifiers& table) : Layout(table.rows, kinds(table)) {}

    /// `kinds` is how many codes each attribute has.
    Layout(std::size_t rows, const std::vector<std::size_t>& kinds) {
        const unsigned row_bits = std::max(1, static_cast<int>(std::bit_width(rows - 1)));
        row_shift = 64 - row_bits;
        guards.push_back(0);
        unsigned used = 0, room = row_shift;
        for (auto codes : kinds) {
            const unsigned bits = static_cast<unsigned>(std::bit_width(codes - 1));
            Field field;
            if (bits > 0) {
                if (used + bits + 1 > room) {
                    guards.push_back(0);
                    ++words;
                    used = 0;
                    room = 64;
                }
                field = {words - 1, used, (std::uint64_t{1} << bits) - 1, std::uint64_t{1} << (used + bits)};
                guards.back() |= field.guard;
                used += bits + 1;
            }
            fields.push_back(field);  // a constant attribute needs no bits: its mask is 0
        }
    }

    static std::vector<std::size_t> kinds(const QuasiIdentifiers& table) {
        std::vector<std::size_t> found;
        for (const auto& attribute : table.attributes) found.push_back(attribute.positions.size());
        return found;
    }
};

/// Some consecutive records of every order: a QI-group, or as many tuples of every column of a bucket.
struct Range {
    std::size_t first;
    std::size_t size;
};

/// W words per record; or, if W is 0, records that are row numbers, with the words in one table by row. The
/// latter is slower and takes far less memory when there are many attributes.
template <unsigned W>
class Records {
public:
    using Record = std::conditional_t<W == 0, Row, std::array<std::uint64_t, W == 0 ? 1 : W>>;

    Records(const QuasiIdentifiers& table, Layout layout, Pool& pool) : layout_(std::move(layout)), rows_(table.rows) {
        for (const auto& attribute : table.attributes) positions_.push_back(attribute.positions.data());
        orders_.resize(dimensions());
        if constexpr (W == 0) {
            words_.room(rows_ * layout_.words);
            for (std::size_t row = 0; row < rows_; row += block) {
                pool.check();
                pack(table, row, std::min(block, rows_ - row), words_.data() + row * layout_.words);
            }
        }
        pool.each(rows_, dimensions(), 0, [&](std::size_t i, unsigned) { sort(table, i, pool); });
    }

    std::size_t rows() const { return rows_; }
    std::size_t dimensions() const { return positions_.size(); }
    const Layout& layout() const { return layout_; }

    /// The first record of order i.
    Record* order(std::size_t i) { return orders_[i].get(); }
    const Record* order(std::size_t i) const { return orders_[i].get(); }

    /// How many words hold one record; a constant if the compiler can know it.
    unsigned word_count() const {
        if constexpr (W == 0)
            return layout_.words;
        else
            return W;
    }

    const std::uint64_t* words(const Record& record) const {
        if constexpr (W == 0)
            return words_.data() + std::size_t{record} * layout_.words;
        else
            return record.data();
    }

    Row row(const Record& record) const {
        if constexpr (W == 0)
            return record;
        else
            return static_cast<Row>(record[0] >> layout_.row_shift);
    }

    /// t[A_i^q], as a code.
    std::uint32_t code(const Record& record, std::size_t i) const {
        const Field& field = layout_.fields[i];
        return static_cast<std::uint32_t>(words(record)[field.word] >> field.shift & field.mask);
    }

    /// (t[A_i^q], t[A^id]) as one number: condition 3 of Defs. 9 and 11 compares these.
    std::uint64_t key(const Record& record, std::size_t i) const {
        return std::uint64_t{code(record, i)} << 32 | row(record);
    }

    /// The weighted positions of attribute i's codes (Eq. 4).
    const std::int64_t* positions(std::size_t i) const { return positions_[i]; }

    /// The distance on attribute i between two codes, of which `high` is not the smaller one.
    std::uint64_t distance(std::size_t i, std::uint32_t low, std::uint32_t high) const {
        return static_cast<std::uint64_t>(positions_[i][high] - positions_[i][low]);
    }

    /// The width of a box, of which `ends(i)` is the smallest and the largest code of attribute i.
    template <class Ends>
    std::uint64_t width(Ends ends) const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < dimensions(); ++i) {
            const auto [low, high] = ends(i);
            sum += distance(i, low, high);
        }
        return sum;
    }

    /// Makes order j of a range agree with a cut of order i after the `left` first records: those that precede
    /// `pivot`, the key in dimension i of the first record on the right, come first. Both sides stay sorted.
    void split(std::size_t j, Range range, std::size_t i, std::size_t left, std::uint64_t pivot,
               Buffer<Record>& scratch, const Pool& pool) {
        Record* const records = orders_[j].get() + range.first;
        const std::size_t n = range.size;
        // The smaller side goes to the scratch and back; the other one moves within its place. Every record is
        // written to both sides and only one side advances, which is faster than a branch nobody can predict.
        Record* const aside = scratch.room(std::min(left, n - left) + 1);
        if (n - left <= left) {
            std::size_t to = 0, out = 0;
            for (std::size_t start = 0; start < n; start += block * 64) {
                if (n > block) pool.check();
                const std::size_t end = std::min(n, start + block * 64);
                for (std::size_t p = start; p < end; ++p) {
                    const Record record = records[p];
                    const bool goes_left = key(record, i) < pivot;
                    records[to] = record;
                    aside[out] = record;
                    to += goes_left;
                    out += !goes_left;
                }
            }
            std::copy_n(aside, out, records + left);
        } else {
            std::size_t to = n, out = left;
            for (std::size_t stop = n; stop > 0;) {
                if (n > block) pool.check();
                const std::size_t end = stop > block * 64 ? stop - block * 64 : 0;
                for (std::size_t p = stop; p-- > end;) {
                    const Record record = records[p];
                    const bool goes_left = key(record, i) < pivot;
                    records[to - 1] = record;
                    aside[out] = record;  // fills aside[1], ..., aside[left]
                    to -= !goes_left;
                    out -= goes_left;
                }
                stop = end;
            }
            std::copy_n(aside + 1, left, records);
        }
    }

private:
    static constexpr std::size_t block = 4096;  // rows that are packed while they are in the first-level cache

    /// Packs rows first, ..., first + count - 1.
    void pack(const QuasiIdentifiers& table, std::size_t first, std::size_t count, std::uint64_t* words) const {
        const std::size_t step = layout_.words;
        std::fill_n(words, count * step, 0);
        for (std::size_t r = 0; r < count; ++r) words[r * step] = std::uint64_t{first + r} << layout_.row_shift;
        for (std::size_t i = 0; i < layout_.fields.size(); ++i) {
            const Field field = layout_.fields[i];
            if (field.mask == 0) continue;
            std::visit(
                [&](auto codes) {
                    for (std::size_t r = 0; r < count; ++r)
                        words[r * step + field.word] |= std::uint64_t{codes[first + r]} << field.shift;
                },
                table.attributes[i].codes);
        }
    }

    /// Builds order i by radix sort of the codes. Rows come in the order of their identifiers and every pass is
    /// stable, so equal codes end up in the order of their identifiers.
    void sort(const QuasiIdentifiers& table, std::size_t i, const Pool& pool) {
        orders_[i] = allocate<Record>(rows_);
        const unsigned bits = static_cast<unsigned>(std::bit_width(layout_.fields[i].mask));
        const unsigned passes = std::max(1U, (bits + 10) / 11);
        const unsigned digit = (bits + passes - 1) / passes;
        Array<Record> other;
        if (passes > 1) other = allocate<Record>(rows_);
        Record* target = passes % 2 ? orders_[i].get() : other.get();
        Record* source = passes % 2 ? other.get() : orders_[i].get();
        std::vector<std::size_t> next(std::size_t{1} << digit);
        const auto digit_of = [&](std::uint32_t code, unsigned pass) {
            return code >> pass * digit & ((std::uint32_t{1} << digit) - 1);
        };
        for (unsigned pass = 0; pass < passes; ++pass) {
            std::fill(next.begin(), next.end(), 0);
            std::visit(
                [&](auto codes) {
                    for (auto code : codes) ++next[digit_of(code, pass)];
                },
                table.attributes[i].codes);
            for (std::size_t sum = 0; auto& start : next) sum += std::exchange(start, sum);
            std::vector<std::uint64_t> packed(W && pass == 0 ? block * W : 0);
            for (std::size_t first = 0; first < rows_; first += block) {
                if (first % (block * 64) == 0) pool.check();
                const std::size_t count = std::min(block, rows_ - first);
                if (pass > 0) {
                    for (std::size_t r = first; r < first + count; ++r)
                        target[next[digit_of(code(source[r], i), pass)]++] = source[r];
                } else if constexpr (W == 0) {
                    for (std::size_t r = first; r < first + count; ++r)
                        target[next[digit_of(code(static_cast<Row>(r), i), pass)]++] = static_cast<Row>(r);
                } else {
                    pack(table, first, count, packed.data());
                    for (std::size_t r = 0; r < count; ++r) {
                        Record record;
                        std::memcpy(&record, packed.data() + r * W, sizeof record);
                        target[next[digit_of(code(record, i), pass)]++] = record;
                    }
                }
            }
            std::swap(source, target);
        }
    }

    Layout layout_;
    std::size_t rows_;
    std::vector<const std::int64_t*> positions_;
    std::vector<Array<Record>> orders_;
    Buffer<std::uint64_t> words_;  // only if W is 0
};

}  // namespace pellucid
