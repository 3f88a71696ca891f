// How many tuples of a group have each sensitive value, and the largest of these counts, while tuples come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pellucid {

class Tally {
public:
    /// Makes room for values below `values`. There must be no tuples.
    void start(std::size_t values) {
        counts_.resize(values);
        if (values_with_.empty()) values_with_.resize(1);
    }

    void add(std::size_t value) {
        const std::uint32_t count = ++counts_[value];
        if (count > 1) --values_with_[count - 1];
        if (count == values_with_.size()) values_with_.push_back(0);
        ++values_with_[count];
        if (count > largest_) largest_ = count;
    }

    void remove(std::size_t value) {
        const std::uint32_t count = counts_[value]--;
        if (--values_with_[count] == 0 && count == largest_) --largest_;
        if (count > 1) ++values_with_[count - 1];
    }

    /// c of Def. 9.
    std::size_t largest() const { return largest_; }

private:
    std::vector<std::uint32_t> counts_;       // per value
    std::vector<std::uint32_t> values_with_;  // per count but 0: how many values have it
    std::size_t largest_ = 0;
};

}  // namespace pellucid
