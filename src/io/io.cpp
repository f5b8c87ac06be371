#include "tesela/io.h"

#include "io/format.h"

namespace tesela::io {

ReadResult read_image(const fs::path& path, const ReadOptions& options) {
    return decode(path, {options.max_bytes, false});
}

void write_image(const AnyImage& image, const fs::path& path, const WriteOptions& options) {
    with_memory_guard(path, [&] {
        const OutputFormat format = output_format(path);
        check_fits(image, format, path);
        Staging staging(files_written(path), options.overwrite);
        encode(image, format, staging, false);
        staging.commit();
    });
}

}  // namespace tesela::io
