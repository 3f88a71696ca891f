// Reads columns of a CSV file as codes and dictionaries.
//
// The format is RFC 4180: a field stands in quotes if it starts with one; lines end with \n or \r\n, the last one
// perhaps with nothing. An empty field without quotes is a missing value. Separator and quote may be others.
//
// The file is read in chunks, several at a time. Whether a chunk starts inside quotes cannot be seen from the chunk,
// so it is read on the guess that a row starts behind its first line end, and counts only if the chunk before it
// ends at that very place; otherwise it is read again from there. What is returned never depends on the guesses.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "buffer.hpp"
#include "descriptor.hpp"
#include "dictionary.hpp"
#include "pool.hpp"
#include "utf8.hpp"

namespace pellucid {

struct TextFile {
    int descriptor;
    std::uint64_t size;
    char separator;
    int quote;          // no byte at all where values never stand in quotes
    std::size_t width;  // fields in every row
};

constexpr int no_quote = -1;

/// What is wrong with a file, and the offset at which it is.
struct TextFault {
    enum class Kind { width, after_quote, open_quote, not_text };
    Kind kind;
    std::uint64_t at;
    std::uint64_t fields = 0;  // where the width of a row is wrong
};

/// A column: the code of each row, and the texts of the codes. Rows with missing values have the code behind the last.
struct TextColumn {
    Dictionary texts;
    bool has_missing = false;
    std::variant<Array<std::uint8_t>, Array<std::uint16_t>, Array<std::uint32_t>> codes;
};

struct TextTable {
    std::uint64_t rows = 0;
    std::vector<TextColumn> columns;
    std::optional<TextFault> fault;  // the first of the file; there are no columns then
};

namespace text {

constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();

/// Calls with a zero of the narrowest type that holds `most`.
template <class Body>
decltype(auto) with_narrowest(std::uint64_t most, const Body& body) {
    if (most <= std::numeric_limits<std::uint8_t>::max()) return body(std::uint8_t{0});
    if (most <= std::numeric_limits<std::uint16_t>::max()) return body(std::uint16_t{0});
    return body(std::uint32_t{0});
}

/// The rows that start in one part of the file. Codes are those of the chunk's own dictionaries.
struct Chunk {
    struct Column {
        Dictionary texts;
        bool has_missing = false;
        std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> codes;
        std::vector<std::uint32_t> final_codes;  // of the chunk's codes
    };
    std::uint64_t begin = nowhere;  // where its first row starts
    std::uint64_t end = nowhere;    // where the row behind its last one starts
    std::uint64_t rows = 0;
    std::vector<Column> columns;
    std::optional<TextFault> fault;
};

/// Reads one chunk after the other; every thread has one.
class ChunkReader {
public:
    ChunkReader(const TextFile& file, const std::vector<std::size_t>& numbers)
        : file_(file), columns_(numbers.size()), column_of_field_(file.width, nullptr) {
        for (std::size_t i = 0; i < numbers.size(); ++i) column_of_field_[numbers[i]] = &columns_[i];
    }
    ChunkReader(const ChunkReader&) = delete;
    ChunkReader& operator=(const ChunkReader&) = delete;

    /// The line of column names, with as many fields as it has: it starts at `begin`, and nothing is kept of it.
    Chunk header(std::uint64_t begin) {
        load(begin, 4096);
        Step step;
        while ((step = any_row(data())) == Step::more) extend();
        return finished(step);
    }

    /// The rows that start in [begin, end); one does at `begin`.
    Chunk read(std::uint64_t begin, std::uint64_t end) {
        load(begin, end - begin);
        return finished(rows(end));
    }

    /// The same, where nothing is known of `begin`.
    Chunk guess(std::uint64_t begin, std::uint64_t end) {
        load(begin - 1, end - begin + 1);
        while (true) {
            const char* from = data() + at_;
            const char* line_end = static_cast<const char*>(std::memchr(from, '\n', end - 1 - base_ - at_));
            if (!line_end) return {};
            start(static_cast<std::size_t>(line_end + 1 - data()));
            patience_ = 4 * (end - begin) + 65536;  // a wrong guess must not read the rest of the file as one value
            const Step step = rows(end);
            patience_ = nowhere;
            if (step == Step::more) return {};
            // If not even its first row is one, the guess was wrong.
            if (step == Step::done || rows_ > 0) return finished(step);
        }
    }

private:
    enum class Step { done, more, fault };

    struct Column {
        Dictionary texts;
        std::vector<std::uint32_t> codes;
    };

    struct Field {
        std::string_view text;
        bool quoted;
    };

    const char* data() const { return buffer_.data(); }
    const char* limit() const { return buffer_.data() + filled_; }
    bool is_whole() const { return base_ + filled_ == file_.size; }

    void load(std::uint64_t begin, std::uint64_t size) {
        base_ = begin;
        filled_ = 0;
        fill(size + 4096);
        start(0);
    }

    void start(std::size_t at) {
        at_ = begin_ = at;
        rows_ = 0;
        for (Column& column : columns_) column.texts.clear();
        fault_.reset();
    }

    void extend() { fill(2 * filled_); }

    void fill(std::uint64_t size) {
        const auto wanted = static_cast<std::size_t>(std::min(size, file_.size - base_));
        // Behind the bytes a line end, where every search stops, and room to look at 8 bytes at a time.
        if (buffer_.size() < wanted + 9) buffer_.resize(wanted + 9);
        read_at(file_.descriptor, base_ + filled_, buffer_.data() + filled_, wanted - filled_);
        filled_ = wanted;
        buffer_[filled_] = '\n';
    }

    Step fail(TextFault::Kind kind, const char* at, std::uint64_t fields = 0) {
        fault_ = TextFault{kind, base_ + static_cast<std::uint64_t>(at - data()), fields};
        return Step::fault;
    }

    Step rows(std::uint64_t end) {
        while (true) {
            const Step step = rows_in_buffer(end);
            if (step != Step::more || filled_ > patience_) return step;
            extend();
        }
    }

    Step rows_in_buffer(std::uint64_t end) {
        const char* at = data() + at_;
        const char* const stop = data() + std::min<std::uint64_t>(filled_, end - base_);
        Step step = Step::done;
        while (at < stop) {
            if (rows_ == room_) grow();
            const char* const row_start = at;
            step = row(at);
            if (step != Step::done) {
                at = row_start;
                break;
            }
            ++rows_;
        }
        at_ = static_cast<std::size_t>(at - data());
        if (step == Step::done && at == limit() && base_ + filled_ < end && !is_whole()) return Step::more;
        return step;
    }

    void grow() {
        room_ = std::max<std::size_t>(1024, 2 * room_);
        for (Column& column : columns_) column.codes.resize(room_);
    }

    /// Reads the row at `at` into the columns, and moves `at` behind it.
    Step row(const char*& at) {
        const char* const row_start = at;
        if (is_blank(at)) return any_row(row_start);
        const std::uint64_t separators = every_byte * static_cast<unsigned char>(file_.separator);
        const char* const last_byte = is_whole() ? nullptr : limit();
        for (std::size_t field = 0; field < file_.width; ++field) {
            Column* const column = column_of_field_[field];
            std::uint64_t word = load_word(at);
            const std::uint64_t ends = bytes_equal(word, separators) | bytes_equal(word, newlines);
            if (ends != 0 && !is_quote(static_cast<char>(word))) {  // nearly every field is short and bare
                unsigned bits = static_cast<unsigned>(std::countr_zero(ends)) & ~7u;
                at += bits / 8;
                if (at == last_byte) return Step::more;
                if (column) {
                    if (*at == '\n' && bits > 0 && at[-1] == '\r') bits -= 8;
                    word &= (std::uint64_t{1} << bits) - 1;
                    column->codes[rows_] = column->texts.code_of_word(word);
                }
            } else {
                Field found;
                const Step step = any_field(at, found);
                if (step != Step::done) return step;
                if (column) {
                    const bool missing = found.text.empty() && !found.quoted;
                    column->codes[rows_] = missing ? 0 : column->texts.code_of(found.text);
                }
            }
            if ((*at == '\n') != (field + 1 == file_.width)) return any_row(row_start);
            ++at;
        }
        at = std::min(at, limit());  // the last line may end with the file
        return Step::done;
    }

    /// Counts the fields of the row at `at`, which is the header or has too few or too many.
    Step any_row(const char* at) {
        const char* const row_start = at;
        fields_ = 0;
        if (!is_blank(at)) {
            do {
                Field found;
                const Step step = any_field(at, found);
                if (step != Step::done) return step;
                ++fields_;
            } while (*at++ != '\n');
            at_ = static_cast<std::size_t>(std::min(at, limit()) - data());
            if (fields_ == file_.width) return Step::done;
        } else if (at + 2 >= limit() && !is_whole()) {
            return Step::more;
        }
        return fail(TextFault::Kind::width, row_start, fields_);
    }

    bool is_quote(char byte) const { return static_cast<unsigned char>(byte) == file_.quote; }

    static bool is_blank(const char* at) { return *at == '\n' || (*at == '\r' && at[1] == '\n'); }

    /// Reads the field at `at`, and moves `at` to the separator or the line end behind it.
    Step any_field(const char*& at, Field& found) {
        if (is_quote(*at)) return quoted_field(at, found);
        const std::uint64_t separators = every_byte * static_cast<unsigned char>(file_.separator);
        const char* const from = at;
        std::uint64_t ends;
        while ((ends = bytes_equal(load_word(at), separators) | bytes_equal(load_word(at), newlines)) == 0) at += 8;
        at += std::countr_zero(ends) / 8;
        if (at == limit() && !is_whole()) return Step::more;
        const bool returns = *at == '\n' && at > from && at[-1] == '\r';
        found = {{from, static_cast<std::size_t>(at - from) - returns}, false};
        return Step::done;
    }

    Step quoted_field(const char*& at, Field& found) {
        const char* const opening = at;
        const char* from = at + 1;
        bool escapes = false;
        while (true) {
            const auto* quote = static_cast<const char*>(
                std::memchr(from, file_.quote, static_cast<std::size_t>(limit() - from)));
            if (!quote) return is_whole() ? fail(TextFault::Kind::open_quote, opening) : Step::more;
            at = quote + 1;
            if (at == limit() || !is_quote(*at)) break;
            if (!escapes) unescaped_.clear();
            escapes = true;
            unescaped_.append(from, at);  // up to the first quote of the two
            from = at + 1;
        }
        if (escapes) {
            unescaped_.append(from, at - 1);
            found = {unescaped_, true};
        } else {
            found = {{from, static_cast<std::size_t>(at - 1 - from)}, true};
        }
        const char* const after = at;
        if (at < limit() && *at == '\r') ++at;
        if (at == limit() && !is_whole()) return Step::more;
        if (*at == '\n' || (at == after && *at == file_.separator)) return Step::done;
        return fail(TextFault::Kind::after_quote, after);
    }

    Chunk finished(Step step) {
        Chunk chunk;
        chunk.begin = base_ + begin_;
        chunk.end = base_ + at_;
        chunk.rows = rows_;
        if (step == Step::fault) chunk.fault = fault_;
        const char* const until = data() + at_;
        if (const char* bad = first_not_text(data() + begin_, until); bad != until) {
            fail(TextFault::Kind::not_text, bad);
            chunk.fault = fault_;
        }
        if (chunk.fault) return chunk;
        for (Column& column : columns_) {
            Chunk::Column& kept = chunk.columns.emplace_back();
            const auto from = column.codes.begin(), to = from + static_cast<std::ptrdiff_t>(rows_);
            with_narrowest(column.texts.size(), [&](auto zero) {
                std::vector<decltype(zero)> codes(from, to);
                kept.has_missing = std::count(codes.begin(), codes.end(), 0) > 0;
                kept.codes = std::move(codes);
            });
            kept.texts = std::exchange(column.texts, {});
        }
        return chunk;
    }

    static constexpr std::uint64_t every_byte = 0x0101010101010101;
    static constexpr std::uint64_t newlines = every_byte * '\n';

    /// The highest bit of the first byte that both words have in common is set, and none before it.
    static std::uint64_t bytes_equal(std::uint64_t word, std::uint64_t other) {
        const std::uint64_t zeros = word ^ other;
        return (zeros - every_byte) & ~zeros & (every_byte << 7);
    }

    const TextFile& file_;
    std::vector<Column> columns_;
    std::vector<Column*> column_of_field_;
    std::vector<char> buffer_;
    std::uint64_t base_ = 0;   // where in the file the buffer starts
    std::size_t filled_ = 0;   // how much of the file it holds
    std::size_t begin_ = 0;    // where in the buffer the first row starts
    std::size_t at_ = 0;       // where the next one starts
    std::size_t rows_ = 0;
    std::size_t room_ = 0;     // for codes
    std::uint64_t fields_ = 0;
    std::uint64_t patience_ = nowhere;
    std::string unescaped_;
    std::optional<TextFault> fault_;
};

/// Runs work(item, worker) for items 0, ..., count - 1, in order of their start.
template <class Work>
void each(Pool& pool, std::size_t count, const Work& work) {
    std::atomic<std::size_t> next{0};
    const auto loop = [&](unsigned worker) {
        for (std::size_t item; (item = next.fetch_add(1)) < count;) {
            pool.check();
            work(item, worker);
        }
    };
    pool.run([&](unsigned worker) {
        for (std::size_t helper = 1; helper < std::min<std::size_t>(count, pool.size()); ++helper) pool.submit(loop);
        loop(worker);
    });
}

}  // namespace text

/// Reads the rows that start in the first `stop` bytes. `numbers` are the wanted columns, each once.
inline TextTable read_text(const TextFile& file, const std::vector<std::size_t>& numbers, std::uint64_t stop,
                           std::uint64_t chunk_bytes, unsigned threads, Run& run) {
    using text::Chunk;
    stop = std::min(stop, file.size);
    TextTable table;
    Pool pool(threads, run);
    std::vector<std::unique_ptr<text::ChunkReader>> readers;
    for (unsigned i = 0; i < pool.size(); ++i) readers.push_back(std::make_unique<text::ChunkReader>(file, numbers));

    char mark[3] = {};
    if (file.size >= 3) read_at(file.descriptor, 0, mark, 3);
    const Chunk header = readers[0]->header(std::memcmp(mark, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    table.fault = header.fault;
    if (table.fault) return table;

    const std::uint64_t bytes = stop > header.end ? stop - header.end : 0;
    std::vector<Chunk> chunks((bytes + chunk_bytes - 1) / chunk_bytes);
    const auto start = [&](std::size_t number) { return std::min(stop, header.end + number * chunk_bytes); };
    run.start(bytes);
    text::each(pool, chunks.size(), [&](std::size_t i, unsigned worker) {
        text::ChunkReader& reader = *readers[worker];
        chunks[i] = i ? reader.guess(start(i), start(i + 1)) : reader.read(start(0), start(1));
        run.settled(start(i + 1) - start(i));
    });

    std::vector<std::uint64_t> first_row(chunks.size());
    table.columns.resize(numbers.size());
    std::uint64_t expected = header.end;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        run.check();
        Chunk& chunk = chunks[i];
        first_row[i] = table.rows;
        if (expected >= start(i + 1)) {  // the row before goes on in all of this chunk
            chunk = {};
            continue;
        }
        if (chunk.begin != expected) chunk = readers[0]->read(expected, start(i + 1));
        if (chunk.fault) {
            table.fault = chunk.fault;
            table.columns.clear();
            return table;
        }
        expected = chunk.end;
        table.rows += chunk.rows;
        for (std::size_t c = 0; c < numbers.size(); ++c) {
            Chunk::Column& part = chunk.columns[c];
            TextColumn& column = table.columns[c];
            column.has_missing |= part.has_missing;
            part.final_codes.assign(1, 0);
            for (std::uint32_t code = 1; code <= part.texts.size(); ++code)
                part.final_codes.push_back(column.texts.code_of(part.texts[code]) - 1);
            part.texts = {};
        }
    }
    readers.clear();

    for (TextColumn& column : table.columns)
        text::with_narrowest(column.texts.size() - !column.has_missing, [&](auto zero) {
            column.codes = allocate<decltype(zero)>(table.rows);
        });
    text::each(pool, chunks.size(), [&](std::size_t i, unsigned) {
        for (std::size_t c = 0; c < chunks[i].columns.size(); ++c) {
            Chunk::Column& part = chunks[i].columns[c];
            part.final_codes[0] = table.columns[c].texts.size();
            std::visit(
                [&](const auto& codes, auto& all) {
                    auto* to = all.get() + first_row[i];
                    for (const auto code : codes)
                        *to++ = static_cast<std::remove_reference_t<decltype(*to)>>(part.final_codes[code]);
                },
                part.codes, table.columns[c].codes);
        }
        chunks[i] = {};
    });
    return table;
}

/// The number of the line that has the byte at `offset`.
inline std::uint64_t line_of(const TextFile& file, std::uint64_t offset) {
    std::vector<char> buffer(std::min<std::uint64_t>(offset, 1u << 20));
    std::uint64_t line = 1;
    for (std::uint64_t at = 0; at < offset; at += buffer.size()) {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), offset - at));
        read_at(file.descriptor, at, buffer.data(), size);
        line += static_cast<std::uint64_t>(std::count(buffer.data(), buffer.data() + size, '\n'));
    }
    return line;
}

}  // namespace pellucid
