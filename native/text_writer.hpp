// Writes a CSV file from codes and dictionaries: every text is put in quotes once, and rows are strung together from
// texts that end with their separator.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "descriptor.hpp"
#include "pool.hpp"

namespace pellucid {

/// The fields that a column is made of, each with the separator or the line end behind it.
class FieldTexts {
public:
    /// Most fields are no longer than this, and copied whole with what stands behind them.
    static constexpr std::size_t stride = 16;

    FieldTexts(char separator, bool is_last) : separator_(separator), behind_(is_last ? '\n' : separator) {}

    /// A missing value is an empty field; an empty text stands in quotes.
    void add(std::optional<std::string_view> text) {
        const std::size_t start = bytes_.size();
        if (text) {
            const char special[] = {separator_, '"', '\n', '\r'};
            if (text->empty() || text->find_first_of({special, sizeof special}) != text->npos) {
                bytes_.push_back('"');
                for (const char c : *text) bytes_.append(c == '"' ? 2 : 1, c);
                bytes_.push_back('"');
            } else {
                bytes_.append(*text);
            }
        }
        bytes_.push_back(behind_);
        fields_.push_back({start, bytes_.size() - start});
        longest_ = std::max(longest_, bytes_.size() - start);
    }

    /// After the last `add`.
    void close() { bytes_.append(stride, '\0'); }

    std::size_t size() const { return fields_.size(); }
    std::size_t longest() const { return longest_; }
    std::string_view operator[](std::size_t code) const { return {bytes_.data() + fields_[code].at, fields_[code].size}; }

    /// Copies a field, and perhaps bytes that do not matter behind it, and returns where it ends.
    char* copy(std::size_t code, char* to) const {
        const auto [at, size] = fields_[code];
        std::memcpy(to, bytes_.data() + at, stride);
        if (size > stride) std::memcpy(to + stride, bytes_.data() + at + stride, size - stride);
        return to + size;
    }

private:
    struct Place {
        std::size_t at, size;
    };

    char separator_, behind_;
    std::string bytes_;
    std::vector<Place> fields_;
    std::size_t longest_ = 0;
};

struct TextOutput {
    using Codes =
        std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>, std::span<const std::uint32_t>>;
    struct Column {
        FieldTexts texts;
        Codes codes;  // all below texts.size()
    };
    std::string header;
    std::size_t rows = 0;
    std::vector<Column> columns;
};

namespace text {

/// Some rows of a table, as bytes; every thread has one.
class Block {
public:
    void fill(const TextOutput& output, std::size_t from, std::size_t to) {
        const std::size_t rows = to - from, columns = output.columns.size();
        codes_.resize(rows * columns);
        std::size_t longest = FieldTexts::stride;
        for (std::size_t c = 0; c < columns; ++c) {
            std::visit([&](auto codes) { std::copy_n(codes.data() + from, rows, codes_.data() + c * rows); },
                       output.columns[c].codes);
            longest += output.columns[c].texts.longest();
        }
        char* at = bytes_.data();
        for (std::size_t row = 0; row < rows; ++row) {
            if (static_cast<std::size_t>(bytes_.data() + bytes_.size() - at) < longest) at = grow(at, longest);
            for (std::size_t c = 0; c < columns; ++c) at = output.columns[c].texts.copy(codes_[c * rows + row], at);
        }
        size_ = static_cast<std::size_t>(at - bytes_.data());
    }

    std::string_view bytes() const { return {bytes_.data(), size_}; }

private:
    char* grow(const char* at, std::size_t least) {
        const auto used = static_cast<std::size_t>(at - bytes_.data());
        bytes_.resize(2 * bytes_.size() + least);
        return bytes_.data() + used;
    }

    std::vector<std::uint32_t> codes_;
    std::vector<char> bytes_;
    std::size_t size_ = 0;
};

}  // namespace text

/// Threads prepare blocks of rows side by side, and write them one after the other.
inline void write_text(int file, const TextOutput& output, std::size_t block_rows, unsigned threads, Run& run) {
    write_all(file, output.header.data(), output.header.size());
    run.start(output.rows);
    Pool pool(threads, run);
    std::vector<text::Block> blocks(pool.size());
    const std::size_t count = (output.rows + block_rows - 1) / block_rows;
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::condition_variable turn;
    std::size_t written = 0;
    bool failed = false;

    const auto work = [&](unsigned worker) {
        try {
            for (std::size_t number; (number = next.fetch_add(1)) < count;) {
                pool.check();
                const std::size_t from = number * block_rows, to = std::min(output.rows, from + block_rows);
                text::Block& block = blocks[worker];
                block.fill(output, from, to);
                std::unique_lock lock(mutex);
                turn.wait(lock, [&] { return failed || written == number; });
                if (failed) return;
                write_all(file, block.bytes().data(), block.bytes().size());
                ++written;
                turn.notify_all();
                run.settled(to - from);
            }
        } catch (...) {
            std::lock_guard lock(mutex);
            failed = true;
            turn.notify_all();
            throw;
        }
    };
    pool.run([&](unsigned worker) {
        for (unsigned helper = 1; helper < pool.size(); ++helper) pool.submit(work);
        work(worker);
    });
}

}  // namespace pellucid
