// Scratch memory that grows when it must and is never initialised.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace pellucid {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// Room for `size` elements. What was in the buffer is lost.
    T* room(std::size_t size) {
        if (size > size_) {
            size_ = 0;
            data_.reset();  // before the allocation, so that both never exist together
            data_ = std::make_unique_for_overwrite<T[]>(size);
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
    std::unique_ptr<T[]> data_;
    std::size_t size_ = 0;
};

}  // namespace pellucid
