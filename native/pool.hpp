// Threads for one run. What is computed never depends on them: tasks write to disjoint places.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "run.hpp"

namespace pellucid {

class Pool {
public:
    /// A task is told the number of the worker that runs it, below `size()`, and may use that worker's scratch.
    using Task = std::function<void(unsigned worker)>;

    Pool(unsigned workers, const Run& run) : run_(run), size_(workers) {
        threads_.reserve(workers - 1);
        for (unsigned worker = 1; worker < workers; ++worker) {
            try {
                threads_.emplace_back([this, worker] { help_until_closed(worker); });
                idle_.fetch_add(1);
            } catch (const std::system_error&) {
                break;  // the system has no more threads to give: fewer do as well
            }
        }
    }

    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    ~Pool() {
        {
            std::lock_guard lock(mutex_);
            closed_ = true;
        }
        wake_.notify_all();
        for (auto& thread : threads_) thread.join();
    }

    unsigned size() const { return size_; }

    /// Whether a thread has nothing to do. Only a hint: it may be out of date at once.
    bool has_idle() const { return idle_.load(std::memory_order_relaxed) > 0; }

    /// To be called once in a while by tasks that take long: throws if the run is to end.
    void check() const {
        run_.check();
        if (failed_.load(std::memory_order_relaxed)) throw Stop{};
    }

    /// The same for loops that do little per item.
    void check_at(std::size_t item) const {
        if (item % (std::size_t{1} << 18) == 0) check();
    }

    void submit(Task task) {
        {
            std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        wake_.notify_one();
    }

    /// Runs the task and all tasks that are submitted meanwhile. Called from outside, as worker 0.
    void run(const Task& first) {
        attempt(first, 0);
        std::unique_lock lock(mutex_);
        while (true) {
            idle_.fetch_add(1);
            wake_.wait(lock, [this] { return !tasks_.empty() || running_ == 0; });
            idle_.fetch_sub(1);
            if (tasks_.empty()) break;
            take_one(lock, 0);
        }
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    /// Calls body(item, worker) for items 0, ..., count - 1, each of which takes time in proportion to `rows`. Does
    /// so on idle threads too if that is worth it, and waits for all.
    template <class Body>
    void each(std::size_t rows, std::size_t count, unsigned worker, const Body& body) {
        if (rows < Limits::fork || count < 2 || !has_idle()) {
            for (std::size_t item = 0; item < count; ++item) body(item, worker);
            return;
        }
        struct State {
            std::atomic<std::size_t> next{0}, finished{0};
            std::mutex mutex;
            std::exception_ptr error;
        };
        auto state = std::make_shared<State>();
        // A helper that comes late finds no item left and never touches `body`, which may be gone by then.
        const auto work = [state, count, &body](unsigned who) {
            for (std::size_t item; (item = state->next.fetch_add(1)) < count;) {
                try {
                    body(item, who);
                } catch (...) {
                    std::lock_guard lock(state->mutex);
                    if (!state->error) state->error = std::current_exception();
                }
                if (state->finished.fetch_add(1) + 1 == count) state->finished.notify_all();
            }
        };
        for (std::size_t helper = 1; helper < std::min<std::size_t>(count, size_); ++helper) {
            try {
                std::lock_guard lock(mutex_);
                tasks_.push_front(work);
            } catch (const std::bad_alloc&) {
                break;  // helpers that were called already must not outlive `body`, so this one does without more
            }
            wake_.notify_one();
        }
        work(worker);
        for (std::size_t finished; (finished = state->finished.load()) < count;) state->finished.wait(finished);
        if (state->error) std::rethrow_exception(state->error);
    }

private:
    struct Stop {};  // ends a task because another one has failed

    void attempt(const Task& task, unsigned worker) {
        if (failed_.load(std::memory_order_relaxed)) return;
        try {
            task(worker);
        } catch (const Stop&) {
        } catch (...) {
            std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            failed_ = true;
        }
    }

    void take_one(std::unique_lock<std::mutex>& lock, unsigned worker) {
        Task task = std::move(tasks_.front());  // the oldest is the largest
        tasks_.pop_front();
        ++running_;
        lock.unlock();
        attempt(task, worker);
        task = nullptr;
        lock.lock();
        if (--running_ == 0 && tasks_.empty()) wake_.notify_all();
    }

    void help_until_closed(unsigned worker) {
        std::unique_lock lock(mutex_);
        while (true) {
            wake_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
            if (tasks_.empty()) return;
            idle_.fetch_sub(1);
            take_one(lock, worker);
            idle_.fetch_add(1);
        }
    }

    const Run& run_;
    unsigned size_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Task> tasks_;
    std::size_t running_ = 0;
    bool closed_ = false;
    std::exception_ptr error_;
    std::atomic<bool> failed_{false};
    std::atomic<int> idle_{0};
};

}  // namespace pellucid
