// The algorithms in their simplest form: sort, try every cut, recurse.
#pragma once

#include <algorithm>
#include <numeric>

#include "assign.hpp"
#include "run.hpp"
#include "table.hpp"

namespace pellucid {

struct Simple {
    const QuasiIdentifiers& table;
    const Sensitive& sensitive;
    std::uint64_t l;
    Run& run;
    Keys keys{};
    std::vector<std::vector<Row>> groups{};

    std::uint32_t code(const Codes& c, Row r) const {
        return std::visit([&](auto s) -> std::uint32_t { return s[r]; }, c);
    }
    std::vector<std::vector<Row>> sorted(const std::vector<Row>& rows) const {
        std::vector<std::vector<Row>> orders;
        for (auto& a : table.attributes) {
            auto order = rows;
            std::sort(order.begin(), order.end(), [&](Row x, Row y) {
                auto cx = code(a.codes, x), cy = code(a.codes, y);
                return cx != cy ? cx < cy : x < y;
            });
            orders.push_back(order);
        }
        return orders;
    }
    /// widths[k]: of the box of the first k steps of `step` tuples
    template <class At>
    std::vector<std::uint64_t> widths(std::size_t n, std::size_t step, At at) const {
        std::vector<std::uint64_t> w(n + 1);
        std::vector<std::int64_t> lo(table.attributes.size(), INT64_MAX), hi(table.attributes.size(), -1);
        for (std::size_t k = 0; k < n; ++k) {
            std::uint64_t sum = 0;
            for (std::size_t j = 0; j < lo.size(); ++j) {
                for (std::size_t s = 0; s < step; ++s) {
                    auto p = table.attributes[j].positions[code(table.attributes[j].codes, at(k, s))];
                    lo[j] = std::min(lo[j], p);
                    hi[j] = std::max(hi[j], p);
                }
                sum += static_cast<std::uint64_t>(hi[j] - lo[j]);
            }
            w[k + 1] = sum;
        }
        return w;
    }
    struct Best {
        std::uint64_t f;
        std::size_t i, k;
    };
    void offer(Best& best, bool& any, std::uint64_t f, std::size_t i, std::size_t k) const {
        if (!any || f < best.f) best = {f, i, k}, any = true;
    }
    void tailor(std::vector<Row> rows, bool refine) {
        run.check();
        std::vector<std::uint64_t> counts(sensitive.values);
        for (Row r : rows) ++counts[code(sensitive.codes, r)];
        auto c = *std::max_element(counts.begin(), counts.end());
        auto n = rows.size();
        if (n / 2 < l * c) {
            if (refine) return ace(rows);
            return settle(rows);
        }
        auto orders = sorted(rows);
        Best best{};
        bool any = false;
        for (std::size_t i = 0; i < orders.size(); ++i) {
            if (table.penalty == Penalty::discernibility) {
                offer(best, any, 0, 0, n / 2);
                break;
            }
            auto& o = orders[i];
            auto a = widths(n, 1, [&](auto k, auto) { return o[k]; });
            auto b = widths(n, 1, [&](auto k, auto) { return o[n - 1 - k]; });
            for (std::size_t k = l * c; k <= n - l * c; ++k) offer(best, any, k * a[k] + (n - k) * b[n - k], i, k);
        }
        auto& o = orders[best.i];
        auto middle = o.begin() + static_cast<std::ptrdiff_t>(best.k);
        std::vector<Row> left(o.begin(), middle), right(middle, o.end());
        tailor(std::move(left), refine);
        tailor(std::move(right), refine);
    }
    void ace(const std::vector<Row>& rows) {
        std::vector<std::uint64_t> counts(sensitive.values);
        std::vector<std::vector<Row>> holders(sensitive.values);
        for (Row r : rows) ++counts[code(sensitive.codes, r)], holders[code(sensitive.codes, r)].push_back(r);
        for (auto& h : holders)
            std::sort(h.begin(), h.end(), [&](Row x, Row y) { return keys[x] != keys[y] ? keys[x] < keys[y] : x < y; });
        std::vector<std::size_t> used(sensitive.values);
        for (auto& bucket : assign_plan(counts, l)) {
            std::vector<std::vector<Row>> columns;
            for (auto v : bucket.signature) {
                auto from = holders[v].begin() + static_cast<std::ptrdiff_t>(used[v]);
                columns.emplace_back(from, from + static_cast<std::ptrdiff_t>(bucket.alpha));
                used[v] += bucket.alpha;
            }
            slice(columns);
        }
    }
    void slice(const std::vector<std::vector<Row>>& columns) {
        run.check();
        auto n = columns[0].size();
        if (n == 1) {
            std::vector<Row> g;
            for (auto& c : columns) g.push_back(c[0]);
            return settle(g);
        }
        std::vector<std::vector<std::vector<Row>>> orders;  // column, dimension
        for (auto& c : columns) orders.push_back(sorted(c));
        Best best{};
        bool any = false;
        for (std::size_t i = 0; i < table.attributes.size(); ++i) {
            if (table.penalty == Penalty::discernibility) {
                offer(best, any, 0, 0, n / 2);
                break;
            }
            auto a = widths(n, columns.size(), [&](auto k, auto s) { return orders[s][i][k]; });
            auto b = widths(n, columns.size(), [&](auto k, auto s) { return orders[s][i][n - 1 - k]; });
            for (std::size_t k = 1; k < n; ++k) offer(best, any, k * a[k] + (n - k) * b[n - k], i, k);
        }
        std::vector<std::vector<Row>> left, right;
        for (auto& o : orders) {
            auto middle = o[best.i].begin() + static_cast<std::ptrdiff_t>(best.k);
            left.emplace_back(o[best.i].begin(), middle);
            right.emplace_back(middle, o[best.i].end());
        }
        slice(left);
        slice(right);
    }
    void settle(std::vector<Row> g) {
        std::sort(g.begin(), g.end());
        run.settled(g.size());
        groups.push_back(std::move(g));
    }
    Partition partition() const {
        Partition p{std::make_unique_for_overwrite<Row[]>(table.rows), {0}};
        Row* out = p.members.get();
        for (auto& g : groups) {
            out = std::copy(g.begin(), g.end(), out);
            p.starts.push_back(out - p.members.get());
        }
        return p;
    }
};

enum class Algorithm { tailor, ace, hybrid };

inline Partition anonymize(Algorithm algorithm, const QuasiIdentifiers& table, const Sensitive& sensitive, Keys keys,
                           std::uint64_t l, unsigned, Run& run) {
    Simple s{table, sensitive, l, run, keys};
    std::vector<Row> rows(table.rows);
    std::iota(rows.begin(), rows.end(), Row{0});
    if (algorithm == Algorithm::ace)
        s.ace(rows);
    else
        s.tailor(rows, algorithm == Algorithm::hybrid);
    return s.partition();
}

}  // namespace pellucid
