#include "tesela/print_io.h"

#include "io/dicom_writer.h"
#include "io/format.h"
#include "io/labels.h"
#include "io/lost_geometry.h"
#include "io/picture.h"
#include "io/plane_choice.h"
#include "io/volume_file/volume_file.h"
#include "tesela/slide_io.h"

namespace tesela::io {

ReadResult read_image(const fs::path& path, const ReadOptions& options) {
    const DecodeOptions decoding{options.max_bytes, false, options.stored, options.choice};
    if (!options.raw) {
        ReadResult result = decode(path, decoding);
        add_side_file(path, result);
        return result;
    }
    ReadResult result = read_raw(path, *options.raw, decoding);
    with_memory_guard(path, [&] { choose_planes(path, decoding, result); });
    return result;
}

std::vector<std::string> write_for_print(const AnyImage& picture, const fs::path& path,
                                         const WriteOptions& options) {
    const OutputFormat format = output_format(path);
    if (format.format != Format::png && format.format != Format::tiff)
        return write_image(picture, path, options);
    with_memory_guard(path, [&] {
        check_compression(options.compression, format, path);
        check_fits(picture, format, path);
        Staging staging(files_written(path), options.overwrite);
        OutputFile file(staging.staged(), staging.target());
        if (format.format == Format::png)
            write_png(picture, file, options.compression, true);
        else
            write_tiff(picture, file, is_ome_tiff_name(path), options.compression, true);
        staging.commit();
    });
    return {};
}

std::vector<std::string> write_image(const AnyImage& image, const fs::path& path,
                                     const WriteOptions& options) {
    std::vector<std::string> warnings;
    with_memory_guard(path, [&] {
        if (is_dicom_folder_name(path)) {
            warnings = write_dicom_series(image, path, options);
            return;
        }
        const OutputFormat format = output_format(path);
        if (format.format == Format::segmentation || format.format == Format::dicom ||
            format.format == Format::label_group) {
            warnings = write_as_labels(image, path, options);
            return;
        }
        check_compression(options.compression, format, path);
        check_fits(image, format, path);
        Staging staging(files_written(path), options.overwrite);
        encode(image, format, staging, {.compression = options.compression, .zarr = options.zarr});
        staging.commit();
        warnings = lost_geometry(image, format, path);
    });
    return warnings;
}

}  // namespace tesela::io
