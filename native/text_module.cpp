// Binds the reader and the writer of text files to Python, as module.cpp does with the kernels.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "text_reader.hpp"
#include "text_writer.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace pellucid {
namespace {

/// A fault, and the line it is in.
struct TextError : std::runtime_error {
    TextError(const TextFile& file, const TextFault& fault)
        : std::runtime_error("The file is not a table."), fault(fault), line(line_of(file, fault.at)) {}
    TextFault fault;
    std::uint64_t line;
};

const char* name(TextFault::Kind kind) {
    switch (kind) {
        case TextFault::Kind::width: return "width";
        case TextFault::Kind::after_quote: return "after_quote";
        case TextFault::Kind::open_quote: return "open_quote";
        case TextFault::Kind::not_text: return "not_text";
    }
    return "";
}

void translate(const std::exception_ptr& problem, void* text_error) {
    try {
        std::rethrow_exception(problem);
    } catch (const TextError& error) {
        const auto arguments = nb::make_tuple(name(error.fault.kind), error.line, error.fault.fields);
        PyErr_SetObject(static_cast<PyObject*>(text_error), arguments.ptr());
    } catch (const std::system_error& error) {
        errno = error.code().value();
        PyErr_SetFromErrno(PyExc_OSError);
    }
}

void require(bool holds, const char* otherwise) {
    if (!holds) throw nb::value_error(otherwise);
}

nb::str to_python(std::string_view text) { return nb::str(text.data(), text.size()); }

nb::tuple read(int descriptor, std::uint64_t size, const std::string& separator, std::size_t width,
               const std::vector<std::size_t>& numbers, const std::string& quote, std::uint64_t stop,
               std::uint64_t chunk_bytes, unsigned threads, Run& run) {
    require(separator.size() == 1 && threads >= 1 && chunk_bytes >= 1, "separator, threads or chunk_bytes is wrong.");
    require(quote.size() <= 1 && quote != separator, "quote is wrong.");
    std::vector<bool> wanted(width);
    for (const std::size_t number : numbers) {
        require(number < width && !wanted[number], "numbers must be below width, each once.");
        wanted[number] = true;
    }
    const int quote_byte = quote.empty() ? no_quote : static_cast<unsigned char>(quote[0]);
    const TextFile file{descriptor, size, separator[0], quote_byte, width};
    TextTable table;
    {
        nb::gil_scoped_release unlocked;
        table = read_text(file, numbers, stop, chunk_bytes, threads, run);
        if (table.fault) throw TextError(file, *table.fault);
    }
    nb::list columns;
    for (TextColumn& column : table.columns) {
        nb::list texts;
        for (std::uint32_t code = 1; code <= column.texts.size(); ++code) texts.append(to_python(column.texts[code]));
        std::visit(
            [&](auto& codes) {
                auto* data = codes.release();
                nb::capsule owner(data, [](void* memory) noexcept { Free()(memory); });
                using Code = std::remove_pointer_t<decltype(data)>;
                nb::ndarray<nb::numpy, Code, nb::ndim<1>> array(data, {table.rows}, owner);
                columns.append(nb::make_tuple(array, texts, column.has_missing));
            },
            column.codes);
    }
    return nb::make_tuple(table.rows, columns);
}

using Input = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu, nb::ndim<1>>;

template <class T>
bool take(const Input& array, TextOutput::Column& column) {
    if (array.dtype() != nb::dtype<T>()) return false;
    const std::span<const T> codes(static_cast<const T*>(array.data()), array.size());
    T most = 0;
    for (const T code : codes) most = std::max(most, code);
    require(codes.empty() || most < column.texts.size(), "A code has no text.");
    column.codes = codes;
    return true;
}

void add_text(FieldTexts& texts, nb::handle object) {
    if (object.is_none()) return texts.add(std::nullopt);
    Py_ssize_t size;
    const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
    if (!text) throw nb::python_error();
    texts.add(std::string_view(text, static_cast<std::size_t>(size)));
}

void write(int descriptor, const std::string& separator, nb::sequence names, nb::sequence texts,
           const std::vector<Input>& codes, std::size_t block_rows, unsigned threads, Run& run) {
    require(separator.size() == 1 && threads >= 1 && block_rows >= 1, "separator, threads or block_rows is wrong.");
    const std::size_t width = codes.size();
    require(width >= 1 && nb::len(names) == width && nb::len(texts) == width, "Every column needs all three.");
    TextOutput output;
    output.rows = codes[0].size();
    for (std::size_t c = 0; c < width; ++c) {
        FieldTexts title(separator[0], c + 1 == width);
        add_text(title, names[c]);
        output.header += title[0];
        TextOutput::Column column{FieldTexts(separator[0], c + 1 == width), {}};
        for (nb::handle text : texts[c]) add_text(column.texts, text);
        column.texts.close();
        require(codes[c].size() == output.rows, "Columns must be equally long.");
        require(take<std::uint8_t>(codes[c], column) || take<std::uint16_t>(codes[c], column) ||
                    take<std::uint32_t>(codes[c], column),
                "Codes must be uint8, uint16 or uint32.");
        output.columns.push_back(std::move(column));
    }
    nb::gil_scoped_release unlocked;
    write_text(descriptor, output, block_rows, threads, run);
}

}  // namespace

void bind_text(nb::module_& m) {
    const nb::object text_error =
        nb::steal(PyErr_NewException("pellucid._native.TextError", PyExc_ValueError, nullptr));
    m.attr("TextError") = text_error;
    nb::register_exception_translator(translate, text_error.ptr());
    m.def("read_text", &read, "descriptor"_a, "size"_a, "separator"_a, "width"_a, "numbers"_a, nb::kw_only(),
          "quote"_a, "stop"_a, "chunk_bytes"_a, "threads"_a, "run"_a);
    m.def("write_text", &write, "descriptor"_a, "separator"_a, "names"_a, "texts"_a, "codes"_a, nb::kw_only(),
          "block_rows"_a, "threads"_a, "run"_a);
}

}  // namespace pellucid
