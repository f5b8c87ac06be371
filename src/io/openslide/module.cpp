// The module of OpenSlide.
#include "io/openslide/table.h"

extern "C" [[gnu::visibility("default")]] const tesela::io::ModuleHead* tesela_module() {
    using tesela::io::openslide_module::Table;
    static constexpr Table table{{Table::kind.version},
                                 openslide_close,
                                 openslide_detect_vendor,
                                 openslide_get_error,
                                 openslide_get_level_count,
                                 openslide_get_level_dimensions,
                                 openslide_get_level_downsample,
                                 openslide_get_property_value,
                                 openslide_open,
                                 openslide_read_region};
    return &table.head;
}
