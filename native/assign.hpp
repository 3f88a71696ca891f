// Assign (Fig. 6), as a plan: which bucket takes how many tuples of which sensitive values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <span>
#include <stdexcept>
#include <vector>

namespace pellucid {

/// A bucket to be filled: alpha tuples of each value of its signature, most frequent value first.
struct BucketPlan {
    std::vector<std::uint32_t> signature;
    std::uint64_t alpha;
};

/// Lines 1-11 of Fig. 6 read counts only, and so does this: `counts[v]` tuples have value v.
inline std::vector<BucketPlan> assign_plan(std::span<const std::uint64_t> counts, std::uint64_t l) {
    struct Value {
        std::uint64_t count;
        std::uint32_t code;
        // Lines 5-6: the most frequent value comes first, "ties are resolved by a total ordering on A^s".
        bool operator<(const Value& other) const {
            return count != other.count ? count < other.count : code > other.code;
        }
    };
    std::vector<Value> present;
    std::uint64_t remaining = 0;  // |S_t|
    for (std::size_t v = 0; v < counts.size(); ++v) {
        if (counts[v]) present.push_back({counts[v], static_cast<std::uint32_t>(v)});
        remaining += counts[v];
    }
    std::priority_queue<Value> values(std::less<Value>{}, std::move(present));
    std::vector<BucketPlan> plan;
    std::vector<Value> top;  // v_1, ..., v_beta
    while (remaining) {      // line 4
        top.clear();
        std::uint64_t alpha = 0;
        while (alpha == 0) {  // lines 7-9
            if (values.empty()) throw std::invalid_argument("The counts are not l-eligible.");
            top.push_back(values.top());
            values.pop();
            const std::uint64_t beta = top.size();
            if (beta < l) continue;
            const std::uint64_t next = values.empty() ? 0 : values.top().count;  // n_(beta+1)
            if (l > remaining / top[0].count) continue;
            alpha = std::min(top.back().count, (remaining - l * next) / beta);
            if (beta > l) alpha = std::min(alpha, (remaining - l * top[0].count) / (beta - l));
        }
        BucketPlan bucket{{}, alpha};  // line 10
        for (Value value : top) {      // lines 11-12
            bucket.signature.push_back(value.code);
            if (value.count > alpha) values.push({value.count - alpha, value.code});
        }
        remaining -= alpha * top.size();
        plan.push_back(std::move(bucket));
    }
    return plan;
}

}  // namespace pellucid
