#include "io/compressed_dicom.h"

#include <gdcmByteValue.h>
#include <gdcmImage.h>
#include <gdcmImageChangeTransferSyntax.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>

namespace tesela::io::testing {

DicomSample compressed(DicomSample s, const std::string& syntax) {
    gdcm::Trace::WarningOff();
    s.syntax = "1.2.840.10008.1.2." + syntax;
    const Bytes pixels = dicom_pixels(s);
    gdcm::DataElement element(gdcm::Tag(0x7fe0, 0x10));
    element.SetByteValue(reinterpret_cast<const char*>(pixels.data()),
                         gdcm::VL(static_cast<std::uint32_t>(pixels.size())));
    const gdcm::SmartPointer<gdcm::Image> image = new gdcm::Image;
    image->SetNumberOfDimensions(2);
    image->SetDimension(0, static_cast<unsigned>(s.columns));
    image->SetDimension(1, static_cast<unsigned>(s.rows));
    const auto number = [](int value) { return static_cast<unsigned short>(value); };
    image->SetPixelFormat(gdcm::PixelFormat(number(s.samples), number(s.bits_allocated),
                                            number(s.bits_stored), number(s.bits_stored - 1)));
    image->SetPhotometricInterpretation(gdcm::PhotometricInterpretation(
        gdcm::PhotometricInterpretation::GetPIType(s.colors.c_str())));
    image->SetTransferSyntax(gdcm::TransferSyntax::ExplicitVRLittleEndian);
    image->SetDataElement(element);
    gdcm::ImageChangeTransferSyntax change;
    change.SetTransferSyntax(
        gdcm::TransferSyntax(gdcm::TransferSyntax::GetTSType(s.syntax.c_str())));
    change.SetInput(*image);
    if (!change.Change()) throw std::runtime_error("GDCM cannot encode " + s.syntax);
    const auto& output = static_cast<const gdcm::Image&>(change.GetOutput());
    const gdcm::ByteValue* stream =
        output.GetDataElement().GetSequenceOfFragments()->GetFragment(0).GetByteValue();
    s.colors = output.GetPhotometricInterpretation().GetString();
    while (s.colors.back() == ' ') s.colors.pop_back();
    Bytes bytes(stream->GetPointer(), stream->GetPointer() + stream->GetLength());
    if (bytes.size() % 2) bytes.push_back(0);
    s.fragments = {std::move(bytes)};
    return s;
}

DicomSample smooth_sample(const std::string& syntax, int samples, std::int64_t columns,
                          std::int64_t rows) {
    DicomSample s;
    s.columns = columns;
    s.rows = rows;
    s.samples = samples;
    if (samples == 3) s.colors = "RGB";
    if (samples == 3 || syntax == jpeg_baseline) s.bits_allocated = s.bits_stored = 8;
    std::uint32_t state = 1;
    for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < columns; ++x)
            for (int channel = 0; channel < samples; ++channel) {
                state = state * 1664525u + 1013904223u;
                const std::int64_t value = 40 + 2 * x + y + 10 * channel + (state >> 16) % 8;
                s.values.push_back(static_cast<std::uint16_t>(
                    s.bits_allocated == 8 ? std::min<std::int64_t>(value, 255) : 7 * value));
            }
    return s;
}

}  // namespace tesela::io::testing
