// Writes a picture and a video with the installed library and reads them back.
#include <filesystem>
#include <iostream>

#include "tesela/io.h"
#include "tesela/video_io.h"

int main() {
    tesela::Image<std::uint8_t> image(tesela::Shape{5, 3});
    image(4, 2) = 200;
    const std::filesystem::path path = "consumer.png";
    tesela::io::write_image(image, path, {.overwrite = true});
    const auto read = tesela::io::read_image(path);
    const bool same = std::get<tesela::Image<std::uint8_t>>(read.image).pixels() == image.pixels();
    std::cout << read.format << ": " << (same ? "the same pixels" : "other pixels") << '\n';

    const auto video = tesela::io::create_video("consumer.y4m", {.overwrite = true});
    for (int i = 0; i < 3; ++i) video->write(image);
    video->finish();
    int frames = 0;
    for (const auto reader = tesela::io::open_frames("consumer.y4m"); reader->next();) ++frames;
    std::cout << frames
              << " frames; other videos: " << (tesela::io::has_video_codecs() ? "yes" : "no")
              << '\n';
    return same && frames == 3 ? 0 : 1;
}
