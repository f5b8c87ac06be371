#include "io/output_place.h"

#include "io/dicom_writer.h"
#include "io/format.h"
#include "io/zarr/label_group.h"

namespace tesela::io {
namespace {

// Whether these are labels in an image, which lists them.
bool is_listed(const fs::path& path) {
    return zarr::is_label_group(path) && zarr::is_zarr_folder(path);
}

}  // namespace

bool is_output_folder(const fs::path& path) {
    return is_image_folder(path) || is_own_dicom_folder(path);
}

fs::path staging_folder(const fs::path& target) {
    if (fs::path image = zarr::image_of_labels(target); !image.empty()) return image;
    const fs::path parent = target.parent_path();
    return parent.empty() ? "." : parent;
}

void give_name(const fs::path& staged, const fs::path& target) {
    // Tables and what else may lie there are no labels.
    if (!zarr::is_label_group(target) || !zarr::is_zarr_folder(staged))
        return fs::rename(staged, target);
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
        if (!is_listed(target)) return fs::rename(target, kept);
        zarr::unlist_labels(target);
        try {
            return fs::rename(target, kept);
        } catch (const fs::filesystem_error&) {
            zarr::list_labels(target);
            throw;
        }
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
        if (is_listed(target)) zarr::list_labels(target);
    } catch (const std::exception&) {
        return;  // another error is told already
    }
}

void remove_output(const fs::path& target) noexcept {
    try {
        if (is_listed(target)) zarr::unlist_labels(target);
        fs::remove_all(target);
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace tesela::io
