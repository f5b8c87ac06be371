// Writes a picture and a video with the installed library and reads them back, and a compressed
// DICOM file, for which the library must find its decoder.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "tesela/io.h"
#include "tesela/video_io.h"

namespace {

std::string number(std::size_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
}
std::string element(unsigned group, unsigned tag, const std::string& vr, std::string value) {
    if (value.size() % 2) value += vr == "UI" ? '\0' : ' ';
    return number(group, 2) + number(tag, 2) + vr + number(value.size(), 2) + value;
}

// The picture of a gray JPEG file, as DICOM keeps it.
std::string dicom_of(std::string jpeg, std::size_t columns, std::size_t rows) {
    if (jpeg.size() % 2) jpeg += '\0';
    std::string image = std::string(128, '\0') + "DICM";
    image += element(2, 0x10, "UI", "1.2.840.10008.1.2.4.50");
    image += element(0x28, 2, "US", number(1, 2)) + element(0x28, 4, "CS", "MONOCHROME2");
    image += element(0x28, 0x10, "US", number(rows, 2));
    image += element(0x28, 0x11, "US", number(columns, 2));
    image += element(0x28, 0x100, "US", number(8, 2)) + element(0x28, 0x101, "US", number(8, 2));
    image += element(0x28, 0x102, "US", number(7, 2)) + element(0x28, 0x103, "US", number(0, 2));
    image += number(0x7fe0, 2) + number(0x10, 2) + "OB" + number(0, 2) + number(0xffffffff, 4);
    image += number(0xe000fffe, 4) + number(0, 4);
    image += number(0xe000fffe, 4) + number(jpeg.size(), 4) + jpeg;
    return image + number(0xe0ddfffe, 4) + number(0, 4);
}

bool reads_compressed_dicom(const tesela::Image<std::uint8_t>& image) {
    tesela::io::write_image(image, "consumer.jpg");
    std::ifstream jpeg("consumer.jpg", std::ios::binary);
    std::ofstream("consumer.dcm", std::ios::binary) << dicom_of(
        {std::istreambuf_iterator<char>(jpeg), {}}, static_cast<std::size_t>(image.shape().x),
        static_cast<std::size_t>(image.shape().y));
    const auto expected = tesela::io::read_image("consumer.jpg");
    const auto read = tesela::io::read_image("consumer.dcm");
    return std::get<tesela::Image<std::uint8_t>>(read.image).pixels() ==
           std::get<tesela::Image<std::uint8_t>>(expected.image).pixels();
}

}  // namespace

int main() {
    tesela::Image<std::uint8_t> image(tesela::Shape{5, 3});
    image(4, 2) = 200;
    const std::filesystem::path path = "consumer.png";
    tesela::io::write_image(image, path);
    const auto read = tesela::io::read_image(path);
    const bool same = std::get<tesela::Image<std::uint8_t>>(read.image).pixels() == image.pixels();
    std::cout << read.format << ": " << (same ? "the same pixels" : "other pixels") << '\n';

    const bool compressed = reads_compressed_dicom(image);
    std::cout << "compressed DICOM: " << (compressed ? "the same pixels" : "other pixels") << '\n';

    const auto video = tesela::io::create_video("consumer.y4m");
    for (int i = 0; i < 3; ++i) video->write(image);
    video->finish();
    int frames = 0;
    for (const auto reader = tesela::io::open_frames("consumer.y4m"); reader->next();) ++frames;
    std::cout << frames
              << " frames; other videos: " << (tesela::io::has_video_codecs() ? "yes" : "no")
              << '\n';
    return same && compressed && frames == 3 ? 0 : 1;
}
