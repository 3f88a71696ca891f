// Whether bytes are text: UTF-8 as the Unicode standard has it (table 3-7), without NUL.
#pragma once

#include <cstdint>

#include "dictionary.hpp"

namespace pellucid {

/// Where the first byte is that does not belong to a text, or `end`.
inline const char* first_not_text(const char* at, const char* end) {
    constexpr std::uint64_t low = 0x0101010101010101, high = 0x8080808080808080;
    const auto continues = [end](const char* byte, unsigned from = 0x80, unsigned to = 0xbf) {
        return byte < end && static_cast<unsigned char>(*byte) >= from && static_cast<unsigned char>(*byte) <= to;
    };
    while (at < end) {
        if (end - at >= 8) {
            const std::uint64_t word = load_word(at);
            if (!((word | (word - low)) & high)) {  // 8 characters of ASCII, none of them NUL
                at += 8;
                continue;
            }
        }
        const auto lead = static_cast<unsigned char>(*at);
        if (lead >= 0x01 && lead <= 0x7f) {
            at += 1;
        } else if (lead >= 0xc2 && lead <= 0xdf && continues(at + 1)) {
            at += 2;
        } else if (lead >= 0xe0 && lead <= 0xef &&
                   continues(at + 1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) && continues(at + 2)) {
            at += 3;
        } else if (lead >= 0xf0 && lead <= 0xf4 &&
                   continues(at + 1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) && continues(at + 2) &&
                   continues(at + 3)) {
            at += 4;
        } else {
            return at;
        }
    }
    return end;
}

}  // namespace pellucid
