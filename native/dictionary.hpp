// The distinct texts of a column, numbered from 1 in the order of their first appearance; 0 is the missing value.
//
// Columns of microdata have few values, most of them short: a text of up to 8 bytes is one word, and looking it up
// takes one comparison. Words have no zero bytes except behind their text, for the reader refuses texts with NUL.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace pellucid {

/// 8 bytes as a number whose lowest byte comes first.
inline std::uint64_t load_word(const char* bytes) {
    std::uint64_t word;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&word, bytes, 8);
    } else {
        word = 0;
        for (int i = 8; i-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return word;
}

/// Fewer than 8 bytes, with zeros behind them.
inline std::uint64_t load_word(const char* bytes, std::size_t size) {
    char padded[8] = {};
    std::memcpy(padded, bytes, size);
    return load_word(padded);
}

class Dictionary {
public:
    Dictionary() { clear(); }

    void clear() {
        slots_.assign(64, {});
        shift_ = 64 - 6;
        bytes_.clear();
        ends_.assign(1, 0);
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size() - 1); }

    /// The text with this number, which is not 0.
    std::string_view operator[](std::uint32_t code) const {
        return {bytes_.data() + ends_[code - 1], ends_[code] - ends_[code - 1]};
    }

    /// The number of the text in a word. An empty word is the missing value: free slots look like it.
    std::uint32_t code_of_word(std::uint64_t word) {
        for (std::size_t i = place(word);; i = (i + 1) & (slots_.size() - 1)) {
            if (slots_[i].tag == word) return slots_[i].code;
            if (slots_[i].tag == 0) {
                char text[8];
                for (int k = 0; k < 8; ++k) text[k] = static_cast<char>(word >> 8 * k);
                return insert(i, word, {text, 8 - static_cast<std::size_t>(std::countl_zero(word)) / 8});
            }
        }
    }

    /// The number of a text, which may be empty.
    std::uint32_t code_of(std::string_view text) {
        // UTF-8 has no byte 0xff, so these tags are no words.
        constexpr std::uint64_t empty = 0xff, hashed = std::uint64_t{0xff} << 56;
        if (!text.empty() && text.size() <= 8) return code_of_word(load_word(text.data(), text.size()));
        const std::uint64_t tag = text.empty() ? empty : hash(text) | hashed;
        for (std::size_t i = place(tag);; i = (i + 1) & (slots_.size() - 1)) {
            if (slots_[i].tag == tag && (*this)[slots_[i].code] == text) return slots_[i].code;
            if (slots_[i].tag == 0) return insert(i, tag, text);
        }
    }

private:
    struct Slot {
        std::uint64_t tag = 0;
        std::uint32_t code = 0;
    };

    static std::uint64_t mix(std::uint64_t word) {
        word *= 0x9e3779b97f4a7c15;
        word ^= word >> 32;
        return word * 0xd6e8feb86659fd93;
    }

    static std::uint64_t hash(std::string_view text) {
        std::uint64_t state = text.size();
        for (; text.size() >= 8; text.remove_prefix(8)) {
            state = mix(state ^ load_word(text.data()));
            state ^= state >> 29;
        }
        return mix(state ^ load_word(text.data(), text.size()));
    }

    std::size_t place(std::uint64_t tag) const { return mix(tag) >> shift_; }

    std::uint32_t insert(std::size_t slot, std::uint64_t tag, std::string_view text) {
        if (size() == std::numeric_limits<std::uint32_t>::max() - 1) throw std::bad_alloc();
        bytes_.append(text);
        ends_.push_back(bytes_.size());
        slots_[slot] = {tag, size()};
        if (2 * std::size_t{size()} > slots_.size()) grow();
        return size();
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        --shift_;
        for (const Slot& slot : old) {
            if (slot.tag == 0) continue;
            std::size_t i = place(slot.tag);
            while (slots_[i].tag != 0) i = (i + 1) & (slots_.size() - 1);
            slots_[i] = slot;
        }
    }

    std::vector<Slot> slots_;
    int shift_;
    std::string bytes_;
    std::vector<std::uint64_t> ends_;
};

}  // namespace pellucid
