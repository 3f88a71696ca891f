// Progress and cancellation of one run, shared by the caller and the threads of the kernel.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace pellucid {

struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("The run was cancelled.") {}
};

class Run {
public:
    void start(std::uint64_t rows) {
        done_ = 0;
        total_ = rows;
    }
    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
    std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }
    std::uint64_t total() const { return total_.load(std::memory_order_relaxed); }

    /// These rows are in their final group.
    void settled(std::uint64_t rows) { done_.fetch_add(rows, std::memory_order_relaxed); }

    /// Every loop over more rows than take a few milliseconds comes by here.
    void check() const {
        if (cancelled()) throw Cancelled();
    }

private:
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::uint64_t> total_{0};
    std::atomic<bool> cancelled_{false};
};

}  // namespace pellucid
