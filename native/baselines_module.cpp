// Binds Mondrian and Mask to Python. As in module.cpp, everything that an array could do wrong is checked here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <string>

#include "mask.hpp"
#include "mondrian.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace pellucid::baselines {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw nb::value_error(what.c_str()); }

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The views look at arrays that the caller holds until the call returns.
template <class T>
bool take(nb::handle object, std::span<const T>& span) {
    Input<T> array;
    if (!nb::try_cast(object, array, false)) return false;
    span = {array.data(), array.size()};
    return true;
}

Codes take_codes(nb::handle object, std::size_t rows, std::size_t kinds, const std::string& name) {
    Codes codes;
    std::span<const std::uint8_t> narrow;
    std::span<const std::uint16_t> middle;
    std::span<const std::uint32_t> wide;
    if (take(object, narrow))
        codes = narrow;
    else if (take(object, middle))
        codes = middle;
    else if (take(object, wide))
        codes = wide;
    else
        refuse(name + " must be a contiguous array of uint8, uint16 or uint32 in main memory.");
    std::visit(
        [&](auto span) {
            if (span.size() != rows) refuse(name + " must have an entry for every row.");
            for (auto code : span)
                if (code >= kinds) refuse(name + " holds a code that is too large.");
        },
        codes);
    return codes;
}

struct Problem {
    QuasiIdentifiers table;
    Sensitive sensitive;
    unsigned threads;
};

Problem read(nb::sequence codes, nb::sequence positions, nb::handle sensitive, std::uint64_t values,
             std::uint64_t threads) {
    Problem p{};
    if (nb::len(codes) == 0) refuse("codes must have at least one attribute.");
    if (nb::len(codes) != nb::len(positions)) refuse("codes and positions must have as many attributes.");
    if (threads < 1) refuse("threads must be at least 1.");
    p.threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, 1024));
    p.table.rows = nb::len(sensitive);
    if (p.table.rows == 0) refuse("There must be at least one row.");
    if (p.table.rows > std::numeric_limits<Row>::max() - 1) refuse("There must be fewer than 2^32 - 1 rows.");
    p.sensitive = {take_codes(sensitive, p.table.rows, values, "sensitive"), static_cast<std::size_t>(values)};
    for (std::size_t i = 0; i < nb::len(codes); ++i) {
        std::span<const std::int64_t> at;
        if (!take(positions[i], at)) refuse("positions must be contiguous arrays of int64 in main memory.");
        for (std::size_t code = 0; code < at.size(); ++code)
            if (at[code] < (code ? at[code - 1] : 0)) refuse("positions must not be negative or decrease.");
        p.table.attributes.push_back({take_codes(codes[i], p.table.rows, at.size(), "codes"), at});
    }
    return p;
}

Partition cut(const Problem& p, MondrianRule rule, Run& run) {
    run.start(p.table.rows);
    run.check();
    return pellucid::mondrian(p.table, p.sensitive, rule, p.threads, run);
}

template <class T>
nb::object numpy(std::vector<T>&& data) {
    auto* owner = new std::vector<T>(std::move(data));
    nb::capsule capsule(owner, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owner->data(), {owner->size()}, capsule));
}

nb::object numpy(Array<Row>&& data, std::size_t size) {
    auto* members = data.release();
    nb::capsule capsule(members, [](void* pointer) noexcept { Free()(pointer); });
    return nb::cast(nb::ndarray<nb::numpy, Row, nb::ndim<1>>(members, {size}, capsule));
}

nb::tuple mondrian(nb::sequence codes, nb::sequence positions, nb::handle sensitive, std::uint64_t values,
                   std::uint64_t diversity, bool relaxed, std::uint64_t threads, Run* run) {
    const auto p = read(codes, positions, sensitive, values, threads);
    if (diversity < 1) refuse("diversity must be at least 1.");
    Run own;
    Partition partition;
    {
        nb::gil_scoped_release unlocked;
        partition = cut(p, {relaxed, diversity, true}, run ? *run : own);
    }
    return nb::make_tuple(numpy(std::move(partition.members), p.table.rows), numpy(std::move(partition.starts)));
}

nb::object masked(nb::sequence codes, nb::sequence positions, nb::handle sensitive, std::uint64_t values,
                  std::uint64_t diversity, nb::handle keys, std::uint64_t anonymity,
                  const std::vector<std::uint64_t>& is_protected, std::uint64_t threads, Run* run) {
    const auto p = read(codes, positions, sensitive, values, threads);
    if (diversity < 1 || anonymity < 1) refuse("diversity and anonymity must be at least 1.");
    Keys drawn;
    if (!take(keys, drawn) || drawn.size() != p.table.rows) refuse("keys must be uint64, one for every row.");
    std::vector<std::uint8_t> flags(values);
    for (auto value : is_protected) {
        if (value >= values) refuse("protected holds a value that is too large.");
        flags[value] = 1;
    }
    Run own;
    Partition partition;
    std::vector<std::uint32_t> shown(p.table.rows);
    bool done = false;
    {
        nb::gil_scoped_release unlocked;
        partition = cut(p, {false, anonymity, false}, run ? *run : own);
        std::visit([&](auto span) { std::copy(span.begin(), span.end(), shown.begin()); }, p.sensitive.codes);
        done = Mask(partition, shown, flags, diversity, drawn, run ? *run : own).change();
    }
    if (!done) return nb::none();
    return nb::make_tuple(numpy(std::move(partition.members), p.table.rows), numpy(std::move(partition.starts)),
                          numpy(std::move(shown)));
}

}  // namespace

void bind(nb::module_& m) {
    m.def("mondrian", &mondrian, "codes"_a, "positions"_a, "sensitive"_a, "values"_a, "diversity"_a, nb::kw_only(),
          "relaxed"_a, "threads"_a, "run"_a = nb::none());
    m.def("mask", &masked, "codes"_a, "positions"_a, "sensitive"_a, "values"_a, "diversity"_a, "keys"_a, nb::kw_only(),
          "anonymity"_a, "protected"_a, "threads"_a, "run"_a = nb::none());
}

}  // namespace pellucid::baselines
