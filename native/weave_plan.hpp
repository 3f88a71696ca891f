// The plans of Weave (reference/plan.py): which values fill the columns of each bucket, and with how many tuples.
// They are made from counts in the public order of their values, and from l (Lemma B, Lemma C (ii)).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "class_rule.hpp"

namespace pellucid {

class WeavePlanner : public Planner {
public:
    /// `ordered`: the public order means something (rule 2); otherwise rule 0.
    explicit WeavePlanner(bool ordered) : ordered_(ordered) {}

    void plan(std::span<const Frequency> frequencies, std::uint64_t l, Plan& plan) override {
        plan.clear();
        values_.assign(frequencies.begin(), frequencies.end());
        std::sort(values_.begin(), values_.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
        size_ = 0;
        for (const Frequency& value : values_) size_ += value.n;
        l_ = l;
        while (size_ > 0) {
            if (!(ordered_ && by_classes(rule_2_, plan)) && !by_classes(rule_0_, plan)) by_assign(plan);
            std::erase_if(values_, [](const Frequency& value) { return value.n == 0; });
        }
    }

private:
    /// The bucket of the rule's classes with the largest alpha, if there is one (Lemma B).
    template <class Rule>
    bool by_classes(Rule& rule, Plan& plan) {
        if (values_.size() < l_) return false;
        const auto l = static_cast<std::size_t>(l_);
        rule.classify(values_, l, classes_);
        // The values class by class, each class in public order.
        starts_.assign(l + 1, 0);
        for (const std::uint32_t i : classes_) ++starts_[i + 1];
        for (std::size_t i = 0; i < l; ++i) starts_[i + 1] += starts_[i];
        next_.assign(starts_.begin(), starts_.end() - 1);
        members_.resize(values_.size());
        for (std::size_t p = 0; p < values_.size(); ++p) members_[next_[classes_[p]]++] = p;
        const std::uint64_t alpha = largest_alpha();
        if (alpha == 0) return false;
        const std::size_t takes = plan.takes.size();
        for (std::size_t i = 0; i < l; ++i) take(i, alpha, plan);
        plan.buckets.push_back({l, alpha, plan.takes.size() - takes});
        size_ -= l * alpha;
        return true;
    }

    std::uint64_t n(std::size_t member) const { return values_[members_[member]].n; }

    /// rho: a smaller alpha leaves as much more to each value as it leaves to each class.
    std::uint64_t rest_of_one_value(std::uint64_t alpha) const { return size_ / l_ - alpha; }

    /// If an alpha is feasible, so is every smaller one: when alpha falls by one, each class must leave one tuple more,
    /// and each of its values with more than rho tuples may.
    std::uint64_t largest_alpha() const {
        std::uint64_t low = 0, high = size_ / l_;  // 0 stands for none
        for (std::size_t i = 0; i < l_; ++i) high = std::min(high, total(i));
        while (low < high) {
            const std::uint64_t alpha = high - (high - low) / 2;
            if (feasible(alpha))
                low = alpha;
            else
                high = alpha - 1;
        }
        return low;
    }

    std::uint64_t total(std::size_t i) const {
        std::uint64_t sum = 0;
        for (std::size_t m = starts_[i]; m < starts_[i + 1]; ++m) sum += n(m);
        return sum;
    }

    bool feasible(std::uint64_t alpha) const {
        const std::uint64_t rho = rest_of_one_value(alpha);
        for (std::size_t i = 0; i < l_; ++i) {
            std::uint64_t must_take = 0;
            for (std::size_t m = starts_[i]; m < starts_[i + 1]; ++m) must_take += n(m) - std::min(n(m), rho);
            if (must_take > alpha) return false;
        }
        return true;
    }

    /// a_v for the values of class i. To leave one tuple at a time, of the value that has most to be taken, is to lower
    /// all of them to one level, except where rho holds a value above it; what the level leaves over goes to the
    /// first values in public order.
    void take(std::size_t i, std::uint64_t alpha, Plan& plan) {
        const std::uint64_t rho = rest_of_one_value(alpha);
        const std::size_t begin = starts_[i], end = starts_[i + 1];
        const auto least = [&](std::size_t m) { return n(m) - std::min(n(m), rho); };
        const auto taken = [&](std::size_t m, std::uint64_t level) { return std::max(least(m), std::min(n(m), level)); };
        const auto sum = [&](std::uint64_t level) {
            std::uint64_t all = 0;
            for (std::size_t m = begin; m < end; ++m) all += taken(m, level);
            return all;
        };
        std::uint64_t low = 0, high = 0;
        for (std::size_t m = begin; m < end; ++m) high = std::max(high, n(m));
        while (low < high) {  // the smallest level with which alpha can be taken
            const std::uint64_t level = low + (high - low) / 2;
            if (sum(level) >= alpha)
                high = level;
            else
                low = level + 1;
        }
        std::uint64_t over = sum(low) - alpha;
        for (std::size_t m = begin; m < end; ++m) {
            std::uint64_t a = taken(m, low);
            if (over > 0 && a == low && least(m) < a) {
                --a;
                --over;
            }
            Frequency& value = values_[members_[m]];
            if (a > 0) plan.takes.push_back({value.value, static_cast<std::uint32_t>(i), a});
            value.n -= a;
        }
    }

    /// One step of Assign (Fig. 6): beta columns of one value each.
    void by_assign(Plan& plan) {
        most_frequent_.resize(values_.size());
        for (std::size_t p = 0; p < values_.size(); ++p) most_frequent_[p] = p;
        std::sort(most_frequent_.begin(), most_frequent_.end(),
                  [&](std::size_t p, std::size_t q) { return values_[p].precedes(values_[q]); });
        const auto n = [&](std::size_t i) { return i < values_.size() ? values_[most_frequent_[i]].n : 0; };
        std::size_t beta = static_cast<std::size_t>(l_) - 1;
        std::uint64_t alpha = 0;
        while (alpha == 0) {
            if (++beta > values_.size()) throw std::invalid_argument("The counts are not l-eligible.");
            alpha = AssignPlanner::largest_alpha(size_, l_, beta, n(0), n(beta - 1), n(beta));
        }
        for (std::size_t i = 0; i < beta; ++i) {
            Frequency& value = values_[most_frequent_[i]];
            plan.takes.push_back({value.value, static_cast<std::uint32_t>(i), alpha});
            value.n -= alpha;
        }
        plan.buckets.push_back({beta, alpha, beta});
        size_ -= beta * alpha;
    }

    bool ordered_;
    Rule0 rule_0_;
    Rule2 rule_2_;

    // What is left to be planned.
    std::vector<Frequency> values_;  // in public order
    std::uint64_t size_ = 0;
    std::uint64_t l_ = 1;

    Classes classes_;
    std::vector<std::size_t> starts_, next_;  // of each class in members_
    std::vector<std::size_t> members_;        // places in values_
    std::vector<std::size_t> most_frequent_;
};

}  // namespace pellucid
