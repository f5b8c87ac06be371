// What the module of ITK's DICOM reader gives.
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/module.h"

namespace tesela::io::itk_module {

inline constexpr std::uint32_t most_axes = 8;

// Axes from the first; those that there are not have length 1.
struct Facts {
    std::uint32_t axes;
    std::int64_t lengths[most_axes];
    double spacing[most_axes], origin[most_axes];  // mm
    double direction[most_axes][most_axes];        // a column for each axis
    std::int32_t channels;
    std::int32_t component_bytes;
    char component_kind;           // 'u' unsigned, 'i' signed, 'f' floating point, 0 another
    const char* component_name;    // ITK's
    bool has_alpha, is_no_vector;  // complex numbers and the like
    std::int64_t bytes;            // of all pixels
};

// Looks at the facts, which last until it returns, and gives the room for the pixels; null to stop.
using Receiver = void*(void* caller, const Facts* facts);

enum Outcome : std::int32_t { done, stopped, failed, no_memory };

struct Table {
    static constexpr ModuleKind kind{"dicom", "ITK's reader of DICOM", TESELA_ITK_PACKAGE, "tesela",
                                     1};

    ModuleHead head;
    // Reads a file without compression. One call runs at a time, for ITK keeps global state, and
    // nothing is printed. After a failure `reason` has a text of less than `reason_bytes`.
    Outcome (*read)(const char* path, Receiver* receive, void* caller, char* reason,
                    std::size_t reason_bytes);
};

}  // namespace tesela::io::itk_module
