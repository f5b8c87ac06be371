#include "io/output_place.h"

#include "io/dicom_writer.h"
#include "io/zarr/label_group.h"

namespace tesela::io {

bool is_output_folder(const fs::path& path) {
    const bool is_named_so = path.extension() == ".zarr" || !zarr::image_of_labels(path).empty();
    return (is_named_so && zarr::is_zarr_folder(path)) || is_own_dicom_folder(path);
}

fs::path staging_folder(const fs::path& target) {
    if (fs::path image = zarr::image_of_labels(target); !image.empty()) return image;
    const fs::path parent = target.parent_path();
    return parent.empty() ? "." : parent;
}

void give_name(const fs::path& staged, const fs::path& target) {
    if (!zarr::is_label_group(target)) return fs::rename(staged, target);
    zarr::unlist_labels(target);
    fs::rename(staged, target);
    try {
        zarr::list_labels(target);
    } catch (...) {
        remove_output(target);
        throw;
    }
}

void keep_old(const fs::path& target, const fs::path& kept) {
    if (fs::is_directory(target)) {
        if (zarr::is_label_group(target)) zarr::unlist_labels(target);
        return fs::rename(target, kept);
    }
    std::error_code no_links;
    fs::create_hard_link(target, kept, no_links);
    if (no_links) fs::copy_file(target, kept);
}

void put_back(const fs::path& kept, const fs::path& target) noexcept {
    try {
        // A folder that is not empty cannot be replaced.
        if (fs::is_directory(target)) fs::remove_all(target);
        fs::rename(kept, target);
        if (zarr::is_label_group(target)) zarr::list_labels(target);
    } catch (const std::exception&) {
        return;  // another error is told already
    }
}

void remove_output(const fs::path& target) noexcept {
    try {
        if (zarr::is_label_group(target)) zarr::unlist_labels(target);
        fs::remove_all(target);
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace tesela::io
