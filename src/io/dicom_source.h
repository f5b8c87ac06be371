// The DICOM series that others are derived from: what they take over, and where its images lie.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/dicom_elements.h"
#include "io/dicom_geometry.h"
#include "io/file.h"
#include "tesela/align.h"
#include "tesela/io.h"

namespace tesela::io {

inline constexpr char ct_image_class[] = "1.2.840.10008.5.1.4.1.1.2",
                      mr_image_class[] = "1.2.840.10008.5.1.4.1.1.4";

struct DicomSource {
    fs::path path;           // as the caller names it
    DicomElements subject;   // patient and study, and the character set of all texts
    DicomElements exposure;  // how CT or MR took the images, and where the patient lay
    std::string character_set, modality, description, series_uid, sop_class;
    std::optional<std::int64_t> number;
    std::string frame_of_reference, position_reference;  // where positions count from
    std::string slice_thickness;
    DicomElements lossy;  // whether values were changed by compression, and how much

    // Of the stored values, where all images have the same.
    std::optional<ValueScaling> scaling = {};

    std::int64_t columns = 0, rows = 0;
    std::optional<DicomOrientation> orientation;
    std::optional<std::array<double, 2>> spacing;  // between rows, between columns, mm
    struct Image {
        std::string sop_class, instance;
        int frame = 0;  // from 1; 0: the file has but one
        std::optional<DicomPosition> position;
        double along = 0;  // of the position, along the normal of the images, mm
    };
    std::vector<Image> images;  // along the normal, where all say where they lie

    bool has_places() const;
    // What follows is of a source that has places.
    double step() const;      // between two images, mm; 0 where there is but one
    ImageGrid grid() const;   // without a shear
    bool is_sheared() const;  // the images are shifted sideways
    // The numbers of the images that have a place between two, along their normal.
    std::vector<std::size_t> images_between(double first, double last) const;
};

// Throws InvalidArgument where no source is named, it is no DICOM or not one series, or it would be
// replaced, and UnreadableInput. `shown` is the output. Texts become UTF-8 where that is asked for
// and they are in Latin-1 or ASCII.
DicomSource read_dicom_source(const DicomOrigin& origin, const fs::path& shown,
                              bool as_utf8 = false);

// An item that refers to an image, with the purpose of the reference.
DicomElements reference_to(const DicomSource::Image& image);
// An item of a coded concept (PS3.3, section 8.8).
DicomElements coded(const std::string& value, const std::string& scheme,
                    const std::string& meaning);

// The elements of every file of a new series of a study: of patient and study, series, equipment
// and time.
DicomElements new_series(const DicomSource& source, const DicomOrigin& origin,
                         const std::string& modality);
// "Tesela", with what made the output: at most 64 characters.
std::string process_text(const DicomOrigin& origin);

}  // namespace tesela::io
