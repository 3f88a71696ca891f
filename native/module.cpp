// Binds the kernels to Python: checks the arrays, releases the interpreter lock, hands the result over.
//
// Nothing an array holds may crash the process, so shapes, types and ranges are checked here, and the kernels
// rely on it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <string>

#include "hybrid.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace pellucid {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw nb::value_error(what.c_str()); }

using Input = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// The arrays behind the views in Table; keeps them alive, and is destroyed with the lock held.
struct Held {
    std::vector<Input> arrays;

    template <class T>
    std::span<const T> take(nb::handle object, const std::string& name) {
        Input array;
        if (!nb::try_cast(object, array, false)) refuse(name + " must be a contiguous array in main memory.");
        if (array.ndim() != 1) refuse(name + " must have one dimension.");
        if (array.dtype() != nb::dtype<T>()) refuse(name + " has the wrong type of elements.");
        arrays.push_back(array);
        return {static_cast<const T*>(array.data()), array.size()};
    }

    Codes take_codes(nb::handle object, const std::string& name) {
        Input array;
        if (!nb::try_cast(object, array, false)) refuse(name + " must be a contiguous array in main memory.");
        if (array.dtype() == nb::dtype<std::uint8_t>()) return take<std::uint8_t>(object, name);
        if (array.dtype() == nb::dtype<std::uint16_t>()) return take<std::uint16_t>(object, name);
        if (array.dtype() == nb::dtype<std::uint32_t>()) return take<std::uint32_t>(object, name);
        refuse(name + " must hold uint8, uint16 or uint32.");
    }
};

std::size_t size(const Codes& codes) {
    return std::visit([](auto span) { return span.size(); }, codes);
}

std::uint32_t largest(const Codes& codes) {
    return std::visit(
        [](auto span) {
            typename decltype(span)::value_type most = 0;
            for (auto code : span) most = code > most ? code : most;
            return static_cast<std::uint32_t>(most);
        },
        codes);
}

struct Problem {
    Held held;
    QuasiIdentifiers table;
    Sensitive sensitive;
};

Problem read(nb::sequence codes, nb::sequence positions, nb::handle sensitive, std::uint64_t values,
             const std::string& penalty) {
    Problem p{};
    if (penalty == "perimeter")
        p.table.penalty = Penalty::perimeter;
    else if (penalty == "discernibility")
        p.table.penalty = Penalty::discernibility;
    else
        refuse("penalty must be 'perimeter' or 'discernibility'.");
    if (nb::len(codes) == 0) refuse("codes must have at least one attribute.");
    if (nb::len(codes) != nb::len(positions)) refuse("codes and positions must have as many attributes.");
    p.sensitive.codes = p.held.take_codes(sensitive, "sensitive");
    p.sensitive.values = values;
    p.table.rows = size(p.sensitive.codes);
    if (p.table.rows == 0) refuse("There must be at least one row.");
    if (p.table.rows > std::numeric_limits<Row>::max() - 1) refuse("There must be fewer than 2^32 - 1 rows.");
    if (values > std::numeric_limits<std::uint32_t>::max() || largest(p.sensitive.codes) >= values)
        refuse("values must be larger than every code in sensitive.");
    const std::uint64_t most = std::numeric_limits<std::int64_t>::max() / p.table.rows;
    std::uint64_t range = 0;
    for (std::size_t i = 0; i < nb::len(codes); ++i) {
        std::string number = std::to_string(i);
        number.insert(0, 1, '[').push_back(']');
        Attribute attribute{p.held.take_codes(codes[i], "codes" + number),
                            p.held.take<std::int64_t>(positions[i], "positions" + number)};
        if (size(attribute.codes) != p.table.rows) refuse("codes" + number + " must be as long as sensitive.");
        const auto at = attribute.positions;
        if (largest(attribute.codes) >= at.size()) refuse("positions" + number + " must have an entry for every code.");
        for (std::size_t code = 0; code < at.size(); ++code)
            if (at[code] < (code ? at[code - 1] : 0)) refuse("positions" + number + " must not be negative or decrease.");
        const auto extent = static_cast<std::uint64_t>(at.back() - at.front());
        if (extent > most - range) refuse("rows times the sum of the ranges of positions must stay below 2^63.");
        range += extent;
        p.table.attributes.push_back(std::move(attribute));
    }
    return p;
}

/// Line 1 of Figs. 3, 5 and 10. The caller has already said so in better words.
void require_eligible(const Sensitive& sensitive, std::size_t rows, std::uint64_t l) {
    std::vector<std::uint32_t> counts(sensitive.values);
    std::visit([&](auto codes) { for (auto code : codes) ++counts[code]; }, sensitive.codes);
    if (l > rows / *std::max_element(counts.begin(), counts.end())) refuse("The table is not l-eligible.");
}

/// The values that are present.
std::vector<Frequency> frequencies(const std::vector<std::uint64_t>& counts, std::uint64_t diversity) {
    if (diversity < 1) refuse("diversity must be at least 1.");
    std::vector<Frequency> present;
    for (std::size_t value = 0; value < counts.size(); ++value) {
        if (counts[value] > std::numeric_limits<Row>::max()) refuse("counts must be below 2^32.");
        if (counts[value]) present.push_back({counts[value], static_cast<std::uint32_t>(value)});
    }
    return present;
}

template <class T, class Owner>
nb::object numpy(T* data, std::size_t size, Owner* owner) {
    nb::capsule capsule(owner, [](void* p) noexcept { delete static_cast<Owner*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, capsule));
}

nb::tuple solve(Algorithm algorithm, nb::sequence codes, nb::sequence positions, nb::handle sensitive,
                std::uint64_t values, std::uint64_t diversity, nb::handle keys, const std::string& penalty,
                std::uint64_t threads, Run* run) {
    Problem p = read(codes, positions, sensitive, values, penalty);
    Keys drawn;
    if (keys.is_valid()) {
        drawn = p.held.take<std::uint64_t>(keys, "keys");
        if (drawn.size() != p.table.rows) refuse("keys must be as long as sensitive.");
    }
    if (diversity < 1) refuse("diversity must be at least 1.");
    if (threads < 1) refuse("threads must be at least 1.");
    Run own;
    Run& progress = run ? *run : own;
    auto partition = std::make_unique<Partition>();
    {
        nb::gil_scoped_release unlocked;
        require_eligible(p.sensitive, p.table.rows, diversity);
        progress.start(p.table.rows);
        progress.check();
        *partition = anonymize(algorithm, p.table, p.sensitive, drawn, diversity,
                               static_cast<unsigned>(std::min<std::uint64_t>(threads, 1024)), progress);
    }
    auto* members = partition->members.release();
    nb::object first;
    {
        nb::capsule capsule(members, [](void* data) noexcept { Free()(data); });
        first = nb::cast(nb::ndarray<nb::numpy, Row, nb::ndim<1>>(members, {p.table.rows}, capsule));
    }
    auto* starts = new std::vector<std::int64_t>(std::move(partition->starts));
    return nb::make_tuple(first, numpy(starts->data(), starts->size(), starts));
}

}  // namespace
}  // namespace pellucid

namespace pellucid::queries {
void bind(nb::module_& m);
}

namespace pellucid::baselines {
void bind(nb::module_& m);
}

namespace pellucid {
void bind_text(nb::module_& m);
}

NB_MODULE(_native, m) {
    using namespace pellucid;
    m.doc() = "Native kernels. `pellucid.anonymize` is the way to use them.";
    nb::exception<Cancelled>(m, "Cancelled", PyExc_RuntimeError);

    m.def(
        "_set_limits",
        [](std::size_t task, std::size_t fork, std::size_t small) {
            const auto before = nb::make_tuple(Limits::task, Limits::fork, Limits::small);
            Limits::task = task;
            Limits::fork = fork;
            Limits::small = std::min(small, Patch::most);
            return before;
        },
        "task"_a, "fork"_a, "small"_a);

    nb::class_<Run>(m, "Run")
        .def(nb::init<>())
        .def_prop_ro("done", &Run::done)
        .def_prop_ro("total", &Run::total)
        .def_prop_ro("cancelled", &Run::cancelled)
        .def("cancel", &Run::cancel);
    bind_text(m);
    baselines::bind(m);
    queries::bind(m);

    m.def(
        "tailor",
        [](nb::sequence codes, nb::sequence positions, nb::object sensitive, std::uint64_t values,
           std::uint64_t diversity, const std::string& penalty, std::uint64_t threads, Run* run) {
            return solve(Algorithm::tailor, codes, positions, sensitive, values, diversity, nb::handle(), penalty,
                         threads, run);
        },
        "codes"_a, "positions"_a, "sensitive"_a, "values"_a, "diversity"_a, nb::kw_only(), "penalty"_a, "threads"_a,
        "run"_a = nb::none());
    const auto with_keys = [&]<Algorithm algorithm>(const char* name, std::integral_constant<Algorithm, algorithm>) {
        m.def(
            name,
            [](nb::sequence codes, nb::sequence positions, nb::object sensitive, std::uint64_t values,
               std::uint64_t diversity, nb::object keys, const std::string& penalty, std::uint64_t threads, Run* run) {
                return solve(algorithm, codes, positions, sensitive, values, diversity, keys, penalty, threads, run);
            },
            "codes"_a, "positions"_a, "sensitive"_a, "values"_a, "diversity"_a, "keys"_a, nb::kw_only(), "penalty"_a,
            "threads"_a, "run"_a = nb::none());
    };
    with_keys("ace", std::integral_constant<Algorithm, Algorithm::ace>{});
    with_keys("hybrid", std::integral_constant<Algorithm, Algorithm::hybrid>{});
    m.def(
        "weave",
        [](nb::sequence codes, nb::sequence positions, nb::object sensitive, std::uint64_t values,
           std::uint64_t diversity, nb::object keys, bool ordered, const std::string& penalty, std::uint64_t threads,
           Run* run, bool alone) {
            const auto algorithm = alone ? (ordered ? Algorithm::weave_alone : Algorithm::weave_alone_unordered)
                                         : (ordered ? Algorithm::weave : Algorithm::weave_unordered);
            return solve(algorithm, codes, positions, sensitive, values, diversity, keys, penalty, threads, run);
        },
        "codes"_a, "positions"_a, "sensitive"_a, "values"_a, "diversity"_a, "keys"_a, nb::kw_only(), "ordered"_a,
        "penalty"_a, "threads"_a, "run"_a = nb::none(), "alone"_a = false);
    m.def(
        "weave_plan",
        [](const std::vector<std::uint64_t>& counts, std::uint64_t diversity, bool ordered) {
            Plan plan;
            WeavePlanner(ordered).plan(frequencies(counts, diversity), diversity, plan);
            using Column = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
            std::vector<std::pair<std::vector<Column>, std::uint64_t>> buckets;
            auto take = plan.takes.begin();
            for (const Plan::Bucket& bucket : plan.buckets) {
                std::vector<Column> columns(bucket.columns);
                for (std::size_t t = 0; t < bucket.takes; ++t, ++take)
                    columns[take->column].emplace_back(take->value, take->amount);
                buckets.emplace_back(std::move(columns), bucket.alpha);
            }
            return buckets;
        },
        "counts"_a, "diversity"_a, "ordered"_a);
    m.def(
        "assign_plan",
        [](const std::vector<std::uint64_t>& counts, std::uint64_t diversity) {
            Plan plan;
            AssignPlanner().plan(frequencies(counts, diversity), diversity, plan);
            std::vector<std::pair<std::vector<std::uint32_t>, std::uint64_t>> buckets;
            auto take = plan.takes.begin();
            for (const Plan::Bucket& bucket : plan.buckets) {
                std::vector<std::uint32_t> signature;
                for (std::size_t t = 0; t < bucket.takes; ++t) signature.push_back((take++)->value);
                buckets.emplace_back(std::move(signature), bucket.alpha);
            }
            return buckets;
        },
        "counts"_a, "diversity"_a);
}
