// An open file, read and written by its descriptor. Python opened it, and so has explained why it could not.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>

#if defined(_WIN32)
#include <io.h>
#include <stdio.h>

#include <algorithm>
#include <mutex>
#else
#include <unistd.h>
#endif

namespace pellucid {

/// Reads `size` bytes that the file is known to have. May be called from several threads at once.
inline void read_at(int file, std::uint64_t offset, char* into, std::size_t size) {
    while (size > 0) {
#if defined(_WIN32)
        static std::mutex position;
        std::lock_guard lock(position);
        auto got = _lseeki64(file, static_cast<std::int64_t>(offset), SEEK_SET) < 0
                       ? -1
                       : _read(file, into, static_cast<unsigned>(std::min<std::size_t>(size, 1u << 30)));
#else
        auto got = ::pread(file, into, size, static_cast<off_t>(offset));
#endif
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw std::system_error(errno, std::generic_category());
        if (got == 0) throw std::system_error(EIO, std::generic_category());  // it has become shorter meanwhile
        into += got;
        offset += static_cast<std::uint64_t>(got);
        size -= static_cast<std::size_t>(got);
    }
}

/// Writes at the end of what was written before.
inline void write_all(int file, const char* from, std::size_t size) {
    while (size > 0) {
#if defined(_WIN32)
        auto put = _write(file, from, static_cast<unsigned>(std::min<std::size_t>(size, 1u << 30)));
#else
        auto put = ::write(file, from, size);
#endif
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) throw std::system_error(errno, std::generic_category());
        from += put;
        size -= static_cast<std::size_t>(put);
    }
}

}  // namespace pellucid
