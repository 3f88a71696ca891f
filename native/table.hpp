// The microdata as the caller hands them over (Section 2.1): views of arrays that the caller keeps alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "buffer.hpp"

namespace pellucid {

/// The number of a tuple, which is the rank of its identifier: "t1[A^id] < t2[A^id]" is "row1 < row2".
using Row = std::uint32_t;

/// Values of one attribute, as ranks in the attribute's order; in the narrowest type that holds them.
using Codes = std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>, std::span<const std::uint32_t>>;

/// One QI attribute A_i^q.
struct Attribute {
    Codes codes;
    /// positions[code], weighted so that Eq. 4 is |G| times the sum over i of (max position - min position).
    std::span<const std::int64_t> positions;
};

enum class Penalty {
    perimeter,       ///< Eq. 4
    discernibility,  ///< |G|^2, as in Example 2: blind to the QI values
};

/// What decisions about cuts and divisions may look at: identifiers (as row numbers) and QI values.
/// It cannot be asked for a sensitive value, so that no decision can depend on who has which (G1).
struct QuasiIdentifiers {
    std::size_t rows;
    std::vector<Attribute> attributes;
    Penalty penalty;
};

/// A^s. Codes are places in the fixed, public order of the sensitive values.
struct Sensitive {
    Codes codes;
    std::size_t values;
};

/// One secret uniform random number per row, from which Assign's draws are made.
using Keys = std::span<const std::uint64_t>;

/// Groups g = members[starts[g]], ..., members[starts[g + 1] - 1], in ascending order.
struct Partition {
    Array<Row> members;
    std::vector<std::int64_t> starts;
};

}  // namespace pellucid
