// Uninitialised memory for plain numbers.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace pellucid {

struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
};

template <class T>
using Array = std::unique_ptr<T[], Free>;

template <class T>
Array<T> allocate(std::size_t size) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    if (size > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = size * sizeof(T);
    void* memory = nullptr;
#if defined(__linux__)
    // Records are scattered over and gathered from large arrays, which small pages would make slow.
    constexpr std::size_t page = std::size_t{1} << 21;
    if (bytes >= 2 * page) {
        memory = std::aligned_alloc(page, (bytes + page - 1) / page * page);
        if (memory) madvise(memory, bytes, MADV_HUGEPAGE);  // only advice: it may fail
    } else
#endif
    {
        memory = std::malloc(bytes ? bytes : 1);
    }
    if (!memory) throw std::bad_alloc();
    return Array<T>(static_cast<T*>(memory));
}

/// How many elements before it is wanted memory is best asked for, when it is read in no order.
constexpr std::size_t far_ahead = 32;

/// Starts to load this address, which may be anywhere.
inline void fetch(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

/// Scratch that grows when it must.
template <class T>
class Buffer {
public:
    /// Room for `size` elements. What was in the buffer is lost if it has to grow.
    T* room(std::size_t size) {
        if (size > size_) {
            release();  // first, so that the old and the new never exist together
            data_ = allocate<T>(size);
            size_ = size;
        }
        return data_.get();
    }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }

    void release() {
        data_.reset();
        size_ = 0;
    }

private:
    Array<T> data_;
    std::size_t size_ = 0;
};

}  // namespace pellucid
