// Binds the counting of queries to Python. As in module.cpp, everything that an array could do wrong is checked here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>

#include "queries.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace pellucid::queries {
namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

[[noreturn]] void refuse(const std::string& what) { throw nb::value_error(what.c_str()); }

template <class T>
std::span<const T> view(const Array<T>& array) {
    return {array.data(), array.size()};
}

/// The arrays that views look at stay alive as long as their tuples do, which the caller holds.
template <class T>
std::span<const T> view(nb::handle object, const std::string& name) {
    Array<T> array;
    if (!nb::try_cast(object, array, false)) refuse(name + " is not a contiguous array of the right type.");
    return view(array);
}

/// 0 = starts[0] < starts[1] < ... < starts.back() = size.
void require_starts(std::span<const std::int64_t> starts, std::size_t size, const std::string& name) {
    if (starts.empty() || starts.front() != 0 || starts.back() != static_cast<std::int64_t>(size))
        refuse(name + " must go from 0 to the number of what it divides.");
    for (std::size_t i = 1; i < starts.size(); ++i)
        if (starts[i] <= starts[i - 1]) refuse(name + " must increase.");
}

void require_below(std::span<const std::uint32_t> codes, std::size_t limit, const std::string& name) {
    for (auto code : codes)
        if (code >= limit) refuse(name + " holds a number that is too large.");
}

void require_asked(std::span<const std::uint8_t> asked, std::size_t kinds, std::size_t queries) {
    if (kinds == 0 || asked.size() / kinds != queries || asked.size() % kinds != 0)
        refuse("asked must have an entry for every query and value.");
    for (auto flag : asked)
        if (flag > 1) refuse("asked must hold zeros and ones.");
}

std::variant<Intervals, Sets> read_side(nb::tuple side, std::size_t queries) {
    if (nb::len(side) == 5) {
        Intervals line{view<double>(side[0], "low"), view<double>(side[1], "high"), nb::cast<double>(side[2]),
                       view<double>(side[3], "from"), view<double>(side[4], "to")};
        if (line.low.size() != line.high.size()) refuse("low and high must be of one length.");
        if (line.from.size() != queries || line.to.size() != queries) refuse("from and to must be one per query.");
        return line;
    }
    if (nb::len(side) != 4) refuse("A side is (low, high, unit, from, to) or (starts, members, kinds, asked).");
    Sets sets{view<std::int64_t>(side[0], "starts"), view<std::uint32_t>(side[1], "members"),
              nb::cast<std::size_t>(side[2]), view<std::uint8_t>(side[3], "asked")};
    require_starts(sets.starts, sets.members.size(), "starts");
    require_below(sets.members, sets.kinds, "members");
    require_asked(sets.asked, sets.kinds, queries);
    return sets;
}

nb::object count(nb::sequence sides, nb::sequence cells, Array<std::int64_t> starts, Array<std::int64_t> value_starts,
                 Array<std::uint32_t> values, std::size_t kinds, Array<std::uint8_t> asked, std::size_t queries,
                 std::uint64_t threads, Run* run) {
    Release release{{}, view(starts), view(value_starts), view(values), kinds, view(asked)};
    if (nb::len(sides) == 0 || nb::len(sides) != nb::len(cells)) refuse("sides and cells must be one per attribute.");
    if (threads < 1) refuse("threads must be at least 1.");
    const std::size_t items = release.starts.empty() ? 0 : static_cast<std::size_t>(release.starts.back());
    for (std::size_t i = 0; i < nb::len(sides); ++i) {
        Attribute attribute{read_side(nb::cast<nb::tuple>(sides[i]), queries), view<std::uint32_t>(cells[i], "cells")};
        if (attribute.cells.size() != items) refuse("cells must have an entry for every item.");
        require_below(attribute.cells, std::visit([](const auto& s) { return s.size(); }, attribute.side), "cells");
        release.attributes.push_back(std::move(attribute));
    }
    require_starts(release.starts, items, "starts");
    require_starts(release.value_starts, release.values.size(), "value_starts");
    if (release.starts.size() != release.value_starts.size()) refuse("Items and values must have as many groups.");
    require_below(release.values, kinds, "values");
    require_asked(release.asked, kinds, queries);

    Run own;
    auto answers = std::make_unique<std::vector<double>>(queries);
    {
        nb::gil_scoped_release unlocked;
        estimate(release, *answers, static_cast<unsigned>(std::min<std::uint64_t>(threads, 1024)), run ? *run : own);
    }
    auto* held = answers.release();
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(held->data(), {queries}, owner));
}

}  // namespace

void bind(nb::module_& m) {
    m.def("count", count, "sides"_a, "cells"_a, "starts"_a.noconvert(), "value_starts"_a.noconvert(),
          "values"_a.noconvert(), "kinds"_a, "asked"_a.noconvert(), nb::kw_only(), "queries"_a, "threads"_a,
          "run"_a = nb::none());
}

}  // namespace pellucid::queries
