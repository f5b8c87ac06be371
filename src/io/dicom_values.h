// Pixels without compression, brought into the plainest layout.
#pragma once

#include "io/dicom_header.h"

namespace tesela::io {

// Little endian, in whole bytes, values from the lowest bit on, every pixel with its own colors.
std::vector<std::uint8_t> plain_values(std::vector<std::uint8_t> pixels, const DicomHeader& header);

// Of every sample, the stored bits from `first_bit` on become its value, with the header's sign.
void take_bits(std::vector<std::uint8_t>& pixels, const DicomHeader& header, int first_bit);

// Values beyond the stored bits, which lossy decoders make of those near the end, become the last.
void saturate(std::vector<std::uint8_t>& pixels, bool is_signed, const DicomHeader& header);

}  // namespace tesela::io
