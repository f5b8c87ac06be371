// Foreign decoders in modules of their own: shared objects that are loaded when the first file
// needs them, so that nobody else waits for the libraries below them. A module gives one table, of
// C functions and types alone, and holds no code of Tesela's library.
#pragma once

#include <cstdint>

#include "io/file.h"

namespace tesela::io {

// What each table begins with. The version is that of its kind, or the table is not used.
struct ModuleHead {
    std::uint32_t version;
};

// The one function that a module exports, by this name, as `const ModuleHead* tesela_module()`.
inline constexpr const char* module_entry = "tesela_module";

struct ModuleKind {
    const char* name;       // its file is tesela-NAME.so
    const char* decoder;    // what it brings, as users know it
    const char* package;    // of Debian, that has the decoder
    const char* own;        // Tesela's Debian package that has the module
    std::uint32_t version;  // to be raised with every change of the table
};

// Either a table, which stays loaded until the process ends, or why there is none: what happened
// and what to install.
struct LoadedModule {
    const ModuleHead* table = nullptr;
    std::string problem = {};
};

LoadedModule load_module(const fs::path& file, const ModuleKind& kind);
// Looks in fixed places, seen from the library or program that holds this code; no setting of the
// environment leads elsewhere.
LoadedModule find_module(const ModuleKind& kind);

// The module with this table, which names its kind. It is looked for once in a process.
template <class Table>
const LoadedModule& module_of() {
    static const LoadedModule found = find_module(Table::kind);
    return found;
}

// For the file `path`, which cannot be read without it. Throws UnsupportedFormat.
template <class Table>
const Table& require_module(const fs::path& path) {
    const LoadedModule& found = module_of<Table>();
    if (!found.table) throw unsupported(path, found.problem);
    return *reinterpret_cast<const Table*>(found.table);
}

}  // namespace tesela::io
