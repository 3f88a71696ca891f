// Where the groups go. Every group has its place from the start, so the order in which threads find the groups
// makes no difference.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "buffer.hpp"
#include "run.hpp"
#include "table.hpp"

namespace pellucid {

class Output {
public:
    Output(std::size_t rows, Run& run)
        : run_(run), rows_(rows), members_(allocate<Row>(rows)), starts_(rows) {}

    /// Members first, ..., first + size - 1, to be filled with the rows of one group and then settled.
    Row* place(std::size_t first) { return members_.get() + first; }

    /// The group is complete. Its members are put in ascending order: the order in which the algorithm came by
    /// them must not be told (G5).
    void settle(std::size_t first, std::size_t size) {
        std::sort(place(first), place(first) + size);
        starts_[first] = 1;
    }

    void report(std::size_t rows) { run_.settled(rows); }

    /// All groups, in the order of their places.
    Partition partition() && {
        Partition partition{std::move(members_), {}};
        partition.starts.reserve(static_cast<std::size_t>(std::count(starts_.begin(), starts_.end(), 1)) + 1);
        for (std::size_t first = 0; first < rows_; ++first)
            if (starts_[first]) partition.starts.push_back(static_cast<std::int64_t>(first));
        partition.starts.push_back(static_cast<std::int64_t>(rows_));
        return partition;
    }

private:
    Run& run_;
    std::size_t rows_;
    Array<Row> members_;
    std::vector<std::uint8_t> starts_;  // whether a group starts here; bytes, as threads write them side by side
};

}  // namespace pellucid
