// Mask (Wong et al. 2007; electronic appendix, Fig. 1): see reference/mask.py. Not transparent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "run.hpp"
#include "table.hpp"

namespace pellucid {

class Mask {
public:
    /// `values` is the sensitive value of every row, and will be what is published.
    Mask(const Partition& partition, std::vector<std::uint32_t>& values, const std::vector<std::uint8_t>& is_protected,
         std::uint64_t l, Keys keys, const Run& run)
        : partition_(partition), values_(values), is_protected_(is_protected), l_(l), keys_(keys), run_(run),
          times_(is_protected.size()) {}

    /// Lines 2-9. Returns false if some group has no distribution to copy.
    bool change() {
        divide();
        // Groups of one size have the same distributions to choose from.
        std::stable_sort(loud_.begin(), loud_.end(), [&](auto a, auto b) { return members(a).size() < members(b).size(); });
        std::size_t size = 0;
        for (auto g : loud_) {
            const auto rows = members(g);
            if (rows.size() != size) {
                size = rows.size();
                run_.check();
                fitting_.clear();
                shape_fits_.clear();
                for (auto q : first_of_shape_) shape_fits_.push_back(fits(q, size));
                for (std::size_t q = 0; q < shape_.size(); ++q)
                    if (shape_fits_[shape_[q]]) fitting_.push_back(q);
                if (fitting_.empty()) return false;
            }
            const auto place = static_cast<unsigned __int128>(keys_[rows[0]]) * fitting_.size() >> 64;
            copy(fitting_[static_cast<std::size_t>(place)], rows);
        }
        return true;
    }

private:
    struct Count {
        std::uint32_t value;
        std::uint32_t times;
    };

    std::span<const Row> members(std::size_t g) const {
        return {partition_.members.get() + partition_.starts[g],
                static_cast<std::size_t>(partition_.starts[g + 1] - partition_.starts[g])};
    }

    /// Lines 2-6. Of P_1 the groups are kept, of P_2 how often each value occurs, smallest first.
    void divide() {
        std::vector<std::uint32_t> found;
        for (std::size_t g = 0; g + 1 < partition_.starts.size(); ++g) {
            if (g % 4096 == 0) run_.check();
            const auto rows = members(g);
            bool too_much = false;
            found.clear();
            for (Row row : rows) {
                const auto value = values_[row];
                if (times_[value]++ == 0) found.push_back(value);
                too_much |= is_protected_[value] && times_[value] * l_ > rows.size();
            }
            if (too_much) {
                loud_.push_back(g);
            } else {
                std::sort(found.begin(), found.end());
                for (auto value : found) counts_.push_back({value, times_[value]});
                starts_.push_back(counts_.size());
                totals_.push_back(rows.size());
                note_shape();
            }
            for (auto value : found) times_[value] = 0;
        }
    }

    /// Whether a distribution fits depends on how often values occur and which of them are protected, not on what
    /// they are. Of thousands of small groups only some hundred differ in that.
    void note_shape() {
        std::vector<std::uint64_t> shape;
        const auto q = shape_.size();
        for (auto count : distribution(q)) shape.push_back(2 * std::uint64_t{count.times} + is_protected_[count.value]);
        std::sort(shape.begin(), shape.end());
        const auto [found, is_new] = shapes_.try_emplace(std::move(shape), first_of_shape_.size());
        if (is_new) first_of_shape_.push_back(q);
        shape_.push_back(found->second);
    }

    std::span<const Count> distribution(std::size_t q) const {
        return {counts_.data() + starts_[q], starts_[q + 1] - starts_[q]};
    }

    /// Whether the value may have one tuple more than the whole part of its share.
    bool has_room(Count count, std::uint64_t whole, std::uint64_t size) const {
        return !is_protected_[count.value] || l_ * (whole + 1) <= size;
    }

    /// Whether `size` tuples can be distributed like those of the group, no protected value having more than size / l.
    bool fits(std::size_t q, std::uint64_t size) const {
        std::uint64_t given = 0, room = 0;
        for (auto count : distribution(q)) {
            const auto whole = size * count.times / totals_[q];
            given += whole;
            room += has_room(count, whole, size);
        }
        return given + room >= size;
    }

    /// Line 9. Where whole numbers do not divide, the largest remainders are rounded up; the smaller value goes first.
    void copy(std::size_t q, std::span<const Row> rows) {
        const auto counts = distribution(q);
        const std::uint64_t size = rows.size();
        whole_.clear();
        remainders_.clear();
        std::uint64_t missing = size;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const auto share = size * counts[i].times;
            whole_.push_back(share / totals_[q]);
            missing -= whole_[i];
            if (has_room(counts[i], whole_[i], size)) remainders_.emplace_back(totals_[q] - share % totals_[q], i);
        }
        std::sort(remainders_.begin(), remainders_.end());
        for (std::size_t i = 0; i < missing; ++i) ++whole_[remainders_[i].second];
        auto row = rows.begin();
        for (std::size_t i = 0; i < counts.size(); ++i)
            for (auto times = whole_[i]; times > 0; --times) values_[*row++] = counts[i].value;
    }

    const Partition& partition_;
    std::vector<std::uint32_t>& values_;
    const std::vector<std::uint8_t>& is_protected_;
    std::uint64_t l_;
    Keys keys_;
    const Run& run_;
    std::vector<std::uint32_t> times_;  // how often each value occurs in a group; zeros
    std::vector<std::size_t> loud_;     // P_1
    std::vector<Count> counts_;         // of P_2, group by group
    std::vector<std::size_t> starts_{0};
    std::vector<std::uint64_t> totals_;
    std::map<std::vector<std::uint64_t>, std::size_t> shapes_;
    std::vector<std::size_t> shape_;           // of every group of P_2
    std::vector<std::size_t> first_of_shape_;  // a group of P_2 for every shape
    std::vector<std::uint8_t> shape_fits_;
    std::vector<std::size_t> fitting_;
    std::vector<std::uint64_t> whole_;
    std::vector<std::pair<std::uint64_t, std::size_t>> remainders_;
};

}  // namespace pellucid
