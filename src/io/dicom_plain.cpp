#include "io/dicom_elements.h"
#include "io/dicom_header.h"

namespace tesela::io {
namespace {

constexpr char ct_image[] = "1.2.840.10008.5.1.4.1.1.2";  // has a rescale slope, places and spacing
constexpr char any_instance[] = "1.2.3";

DicomElements elements_of(const DicomHeader& h) {
    DicomElements out;
    out.text(0x00080016, "UI", ct_image);
    out.text(0x00080018, "UI", any_instance);
    if (h.position) out.decimals(position_tag, *h.position);
    if (h.orientation) out.decimals(orientation_tag, *h.orientation);
    out.number(0x00280002, h.samples);
    out.text(0x00280004, "CS", h.colors);
    if (h.samples > 1) out.number(0x00280006, h.planar);
    out.number(0x00280010, h.rows);
    out.number(0x00280011, h.columns);
    if (h.spacing) out.decimals(spacing_tag, *h.spacing);
    out.number(0x00280100, h.bits_allocated);
    out.number(0x00280101, h.bits_stored);
    out.number(0x00280102, h.bits_stored - 1);
    out.number(0x00280103, h.is_signed);
    out.decimals(intercept_tag, {&h.intercept, 1});
    out.decimals(slope_tag, {&h.slope, 1});
    return out;
}

}  // namespace

std::vector<std::uint8_t> plain_dicom(const DicomHeader& header,
                                      std::span<const std::uint8_t> pixels) {
    constexpr std::uint32_t pixels_tag = 0x7fe00010;
    const auto length = static_cast<std::uint32_t>(pixels.size() + pixels.size() % 2);
    std::string front =
        dicom_file_head(ct_image, any_instance,
                        header.compressed ? header.transfer_syntax : explicit_little_endian) +
        elements_of(header).bytes();
    if (header.compressed)  // one fragment behind an empty table of offsets
        front +=
            element_head(pixels_tag, "OB", undefined_length) + item_head(0) + item_head(length);
    else
        front += element_head(pixels_tag, header.bits_allocated == 8 ? "OB" : "OW", length);
    std::vector<std::uint8_t> bytes(front.begin(), front.end());
    bytes.insert(bytes.end(), pixels.begin(), pixels.end());
    bytes.resize(front.size() + length);
    const std::string end = header.compressed ? sequence_end() : "";
    bytes.insert(bytes.end(), end.begin(), end.end());
    return bytes;
}

}  // namespace tesela::io
