// The module of FFmpeg's libraries.
#include "io/video/table.h"

extern "C" [[gnu::visibility("default")]] const tesela::io::ModuleHead* tesela_module() {
    using tesela::io::ffmpeg::Table;
#define TESELA_ADDRESS(name) ::name,
    static constexpr Table table{{Table::kind.version}, TESELA_FFMPEG_FUNCTIONS(TESELA_ADDRESS)};
#undef TESELA_ADDRESS
    return &table.head;
}
