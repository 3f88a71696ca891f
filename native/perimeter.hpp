// Bounding boxes that grow tuple by tuple, and their widths: Eq. 4 without the factor |G|.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "records.hpp"

namespace pellucid {

/// The box of some records in all attributes but one. That one is the attribute whose order is being walked, so
/// its extent is known from the two ends.
///
/// Nearly all records lie inside the box of those before them. One subtraction per word tells, for all
/// attributes in it at once: with the guard bit above a code set, high - code borrows that bit, and no more than
/// that bit, exactly if the code is larger.
template <unsigned W>
class Box {
public:
    using Record = typename Records<W>::Record;

    explicit Box(const Records<W>& records) : records_(&records) {
        if constexpr (W == 0) {
            high_.resize(records.word_count());
            low_.resize(records.word_count());
            asked_.resize(records.word_count());
        }
    }

    /// The box of one record, in all attributes but `skipped`.
    void start(const Record& record, std::size_t skipped) {
        const Layout& layout = records_->layout();
        const std::uint64_t* words = records_->words(record);
        for (unsigned w = 0; w < records_->word_count(); ++w) {
            high_[w] = words[w] | layout.guards[w];
            low_[w] = words[w];
            asked_[w] = layout.guards[w];
        }
        asked_[layout.fields[skipped].word] &= ~layout.fields[skipped].guard;
        // The row number above the codes must neither borrow nor be borrowed from.
        high_[0] |= ~std::uint64_t{0} << layout.row_shift;
        low_[0] &= ~(~std::uint64_t{0} << layout.row_shift);
        skipped_ = skipped;
        width_ = 0;
    }

    bool contains(const Record& record) const {
        const Layout& layout = records_->layout();
        const std::uint64_t* words = records_->words(record);
        std::uint64_t outside = 0;
        for (unsigned w = 0; w < records_->word_count(); ++w)
            outside |= ~((high_[w] - words[w]) & ((words[w] | layout.guards[w]) - low_[w])) & asked_[w];
        return outside == 0;
    }

    /// Takes in a record that the box does not contain.
    void grow(const Record& record) {
        const std::uint64_t* words = records_->words(record);
        for (std::size_t i = 0; i < records_->dimensions(); ++i) {
            if (i == skipped_) continue;
            const Field& field = records_->layout().fields[i];
            const std::uint64_t place = field.mask << field.shift;
            const std::uint64_t code = words[field.word] & place;
            const std::uint64_t high = high_[field.word] & place, low = low_[field.word] & place;
            if (code > high) {
                width_ += records_->distance(i, value(high, field), value(code, field));
                high_[field.word] ^= high ^ code;
            } else if (code < low) {
                width_ += records_->distance(i, value(code, field), value(low, field));
                low_[field.word] ^= low ^ code;
            }
        }
    }

    /// The sum of the extents, without the skipped attribute.
    std::uint64_t width() const { return width_; }

private:
    static std::uint32_t value(std::uint64_t in_place, const Field& field) {
        return static_cast<std::uint32_t>(in_place >> field.shift);
    }

    using Words = std::conditional_t<W == 0, std::vector<std::uint64_t>, std::array<std::uint64_t, W == 0 ? 1 : W>>;

    const Records<W>* records_;
    std::size_t skipped_ = 0;
    std::uint64_t width_ = 0;
    Words high_{}, low_{}, asked_{};
};

}  // namespace pellucid
