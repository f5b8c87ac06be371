// The module of libwebp.
#include "io/webp/table.h"

extern "C" [[gnu::visibility("default")]] const tesela::io::ModuleHead* tesela_module() {
    using tesela::io::webp_module::Table;
    static constexpr Table table{
        {Table::kind.version}, WebPGetFeaturesInternal, WebPDecodeRGBInto, WebPDecodeRGBAInto};
    return &table.head;
}
