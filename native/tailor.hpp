// Tailor (Fig. 3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "l_cut.hpp"
#include "tally.hpp"

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
        tally_.resize(pool.size());
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
            const auto ends_of = [&](std::size_t i) { return ends(group.range, i); };
            if (penalty_ == Penalty::perimeter && records_.width(ends_of) == 0) {
                cut_in_order(group.range, worker);
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

    /// The smallest and the largest code of attribute i.
    std::pair<std::uint32_t, std::uint32_t> ends(Range group, std::size_t i) const {
        const auto* const order = records_.order(i) + group.first;
        return {records_.code(order[0], i), records_.code(order[group.size - 1], i)};
    }

    /// Lines 2-5 for a group whose box has no extent. All l-cuts of it are equal, so that the canonical one takes as
    /// few tuples as it may, l c of them, from the front of order 0; and so it goes on with the rest, and with what
    /// was taken. The counts follow along, lest the rest is gone through for each of its many cuts.
    void cut_in_order(Range whole, unsigned worker) {
        const auto* const records = records_.order(0);
        Tally& tally = tally_[worker];
        tally.start(sensitive_.values);
        std::size_t end = 0;  // of what is not handed out yet, behind the tuples that are counted
        const auto each_value = [&](Range range, auto take) {
            std::visit(
                [&](auto codes) {
                    for (std::size_t r = range.first; r < range.first + range.size; ++r) {
                        pool_.check_at(r);
                        if (r + far_ahead < end) fetch(&codes[records_.row(records[r + far_ahead])]);
                        take(codes[records_.row(records[r])]);
                    }
                },
                sensitive_.codes);
        };
        const bool agree = all_orders_agree(whole);
        std::vector<Range> undivided{whole}, leaves;
        std::size_t waiting = 0;  // tuples in the leaves
        const auto leaf = [&](Range group) {
            leaves.push_back(group);
            waiting += group.size;
            if (waiting < Limits::task) return;
            submit(std::exchange(leaves, {}), agree, worker);
            waiting = 0;
        };
        while (!undivided.empty()) {
            Range rest = undivided.back();
            undivided.pop_back();
            end = rest.first + rest.size;
            each_value(rest, [&](auto value) { tally.add(value); });
            for (std::size_t c; c = tally.largest(), rest.size / 2 >= l_ * c;) {
                const Range front{rest.first, l_ * c};
                each_value(front, [&](auto value) { tally.remove(value); });
                rest = {rest.first + front.size, rest.size - front.size};
                if (c > 1)
                    undivided.push_back(front);
                else  // l tuples are not 2l-diverse
                    leaf(front);
            }
            each_value(rest, [&](auto value) { tally.remove(value); });
            leaf(rest);
        }
        submit(std::move(leaves), agree, worker);
    }

    /// Whether all orders have the tuples of a range in the same order: that of the identifiers. (There are values
    /// that differ and stand at the same place.)
    bool all_orders_agree(Range range) const {
        for (std::size_t i = 0; i < records_.dimensions(); ++i)
            if (const auto [low, high] = ends(range, i); low != high) return false;
        return true;
    }

    /// Groups of P that were cut from order 0 alone.
    void submit(std::vector<Range>&& leaves, bool agree, unsigned worker) {
        auto task = [this, leaves = std::move(leaves), agree](unsigned who) {
            for (const Range leaf : leaves) {
                pool_.check();
                if (!agree) sort_like_order_0(leaf);
                leaf_(leaf, who);
            }
        };
        if (pool_.size() > 1)
            pool_.submit(std::move(task));
        else
            task(worker);
    }

    /// Puts the tuples that order 0 has in a range into that range of the other orders.
    void sort_like_order_0(Range range) {
        const auto* const first = records_.order(0) + range.first;
        std::size_t compared = 0;
        for (std::size_t j = 1; j < records_.dimensions(); ++j) {
            auto* const order = records_.order(j) + range.first;
            std::copy_n(first, range.size, order);
            std::sort(order, order + range.size, [&](const auto& a, const auto& b) {
                pool_.check_at(++compared);
                return records_.key(a, j) < records_.key(b, j);
            });
        }
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
    std::vector<Tally> tally_;
};

}  // namespace pellucid
