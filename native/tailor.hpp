// Tailor (Fig. 3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "l_cut.hpp"

namespace pellucid {

/// How many tuples of a group have each sensitive value.
using Counts = std::vector<std::uint32_t>;

/// Adds the sensitive values of some records to the counts.
template <unsigned W>
void count(const Records<W>& records, const typename Records<W>::Record* first, std::size_t size,
           const Sensitive& sensitive, Counts& counts, const Pool& pool) {
    std::visit(
        [&](auto codes) {
            for (std::size_t r = 0; r < size; ++r) {
                pool.check_at(r);
                if (r + far_ahead < size) fetch(&codes[records.row(first[r + far_ahead])]);
                ++counts[codes[records.row(first[r])]];
            }
        },
        sensitive.codes);
}

/// Lines 2-5 of Fig. 3. A group is one range of all orders of the records, which a cut makes two; at the end,
/// `leaf(range, worker)` has been called for every group of the partition P.
template <unsigned W, class Leaf>
class Tailor {
public:
    Tailor(Records<W>& records, const Sensitive& sensitive, Penalty penalty, std::uint64_t l, Pool& pool, Leaf leaf)
        : records_(records), sensitive_(sensitive), penalty_(penalty), l_(l), pool_(pool), leaf_(leaf) {
        for (unsigned worker = 0; worker < pool.size(); ++worker) {
            search_.emplace_back(records);
            counter_.emplace_back();
        }
        scratch_.resize(pool.size());
    }

    void run() {
        Group all{{0, records_.rows()}, {}};
        if (sensitive_.values <= records_.rows()) {
            all.counts.resize(sensitive_.values);
            count(records_, records_.order(0), records_.rows(), sensitive_, all.counts, pool_);
        }
        pool_.run([&](unsigned worker) { divide(std::move(all), worker); });
    }

private:
    struct Group {
        Range range;
        Counts counts;  // empty if the group has fewer tuples than there are values: counting them anew is cheaper
    };

    void divide(Group&& whole, unsigned worker) {
        std::vector<Group> undivided;  // instead of recursion: cuts may be as unbalanced as they like
        undivided.push_back(std::move(whole));
        while (!undivided.empty()) {
            pool_.check();
            Group group = std::move(undivided.back());
            undivided.pop_back();
            const std::size_t least = l_ * largest_count(group, worker);
            if (group.range.size / 2 < least) {  // line 3: not 2l-diverse
                leaf_(group.range, worker);
                continue;
            }
            auto [a, b] = cut(group, least, worker);  // line 4
            // Line 5. The smaller part is next, so that there are never more than log2 n parts waiting here.
            if (a.range.size < b.range.size) std::swap(a, b);
            if (a.range.size >= Limits::task && pool_.size() > 1)
                pool_.submit([this, a = std::move(a)](unsigned who) mutable { divide(std::move(a), who); });
            else
                undivided.push_back(std::move(a));
            undivided.push_back(std::move(b));
        }
    }

    /// c of Def. 9.
    std::size_t largest_count(const Group& group, unsigned worker) {
        if (!group.counts.empty()) return *std::max_element(group.counts.begin(), group.counts.end());
        Counts& counts = counter_[worker];  // all zero between calls
        counts.resize(sensitive_.values);
        const auto* records = records_.order(0) + group.range.first;
        count(records_, records, group.range.size, sensitive_, counts, pool_);
        std::uint32_t c = 0;
        std::visit(
            [&](auto codes) {
                for (std::size_t r = 0; r < group.range.size; ++r)
                    c = std::max(c, std::exchange(counts[codes[records_.row(records[r])]], 0));
            },
            sensitive_.codes);
        return c;
    }

    std::pair<Group, Group> cut(Group& group, std::size_t least, unsigned worker) {
        const Range range = group.range;
        const Cut cut = canonical_l_cut(records_, penalty_, range, least, search_, pool_, worker);
        const std::size_t i = cut.dimension;
        const auto* order = records_.order(i) + range.first;
        const std::uint64_t pivot = records_.key(order[cut.left], i);

        Group a{{range.first, cut.left}, {}}, b{{range.first + cut.left, range.size - cut.left}, {}};
        const bool a_is_smaller = a.range.size < b.range.size;
        Group& smaller = a_is_smaller ? a : b;
        Group& larger = a_is_smaller ? b : a;
        pool_.each(range.size, records_.dimensions(), worker, [&](std::size_t j, unsigned who) {
            if (j != i) return records_.split(j, range, i, cut.left, pivot, scratch_[who], pool_);
            // Order i is split already. Counts of one part are enough: the rest is in the other.
            if (group.counts.empty() || larger.range.size < sensitive_.values) return;
            larger.counts = std::move(group.counts);
            smaller.counts.resize(sensitive_.values);
            count(records_, records_.order(i) + smaller.range.first, smaller.range.size, sensitive_, smaller.counts,
                  pool_);
            for (std::size_t v = 0; v < sensitive_.values; ++v) larger.counts[v] -= smaller.counts[v];
            if (smaller.range.size < sensitive_.values) smaller.counts.clear();
        });
        return {std::move(a), std::move(b)};
    }

    Records<W>& records_;
    const Sensitive& sensitive_;
    Penalty penalty_;
    std::uint64_t l_;
    Pool& pool_;
    Leaf leaf_;
    std::vector<CutSearch<W>> search_;                               // these are per worker
    std::vector<Buffer<typename Records<W>::Record>> scratch_;
    std::vector<Counts> counter_;
};

}  // namespace pellucid
