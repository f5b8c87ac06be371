// The module of Blosc.
#include "io/blosc/table.h"

extern "C" [[gnu::visibility("default")]] const tesela::io::ModuleHead* tesela_module() {
    using tesela::io::blosc_module::Table;
    static constexpr Table table{
        {Table::kind.version}, blosc_cbuffer_validate, blosc_compress_ctx, blosc_decompress_ctx};
    return &table.head;
}
