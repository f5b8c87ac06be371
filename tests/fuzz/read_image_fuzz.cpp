// Feeds arbitrary bytes to the readers of image, flow, Y4M, GeoJSON and tiled TIFF files, of
// transforms and landmarks, of transfer functions and cameras, of circles and tridiagonal systems,
// of tissue models and tables of samples, and to the decoder of compressed bricks. Only an error of
// Tesela may come out.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "tesela/circles_io.h"
#include "tesela/evaluate_circles.h"
#include "tesela/flow_io.h"
#include "tesela/geojson_io.h"
#include "tesela/io.h"
#include "tesela/render_io.h"
#include "tesela/slide_io.h"
#include "tesela/tissue_io.h"
#include "tesela/transform_io.h"
#include "tesela/tridiagonal_io.h"
#include "tesela/video_io.h"
#include "volumes/brick_coder.h"

namespace {

template <class Read>
void attempt(Read read) {
    try {
        read();
    } catch (const tesela::Error&) {
    }
}

// Other videos are FFmpeg's to read.
void read_y4m(const std::filesystem::path& path, std::int64_t max_bytes) {
    if (tesela::io::video_format(path) != "Y4M") return;
    const auto reader = tesela::io::open_frames(path, {.max_bytes = max_bytes});
    while (reader->next()) {
    }
}

// A corner of each level, and the tile at the other end.
void read_slide(const std::filesystem::path& path, std::int64_t max_bytes) {
    const auto slide = tesela::io::open_slide(
        path, {.max_bytes = max_bytes, .reader = tesela::io::SlideReader::tiff});
    int index = 0;
    for (const tesela::TileLevel& level : slide->facts().levels) {
        attempt([&] { slide->read(index, {-3, -3, 40, 40}); });
        attempt([&] { slide->tile(index, level.columns() - 1, level.rows() - 1); });
        ++index;
    }
}

// What is read can be written.
template <class Write>
void write_again(const char* suffix, const Write& write) {
    const std::filesystem::path written = std::filesystem::temp_directory_path() /
                                          ("tesela-fuzz-" + std::to_string(getpid()) + suffix);
    try {
        write(written);
    } catch (const tesela::Error&) {
        std::abort();
    }
}
const tesela::io::WriteOptions replace{.overwrite = true};

void read_annotations(const std::filesystem::path& path, const tesela::io::ReadOptions& options) {
    const tesela::Annotations read = tesela::io::read_geojson(path, options);
    write_again("", [&](const std::filesystem::path& written) {
        tesela::io::write_geojson(read, written, replace);
    });
}

// Also looked up, and the other way round where it does not fold.
void read_transform_file(const std::filesystem::path& path,
                         const tesela::io::ReadOptions& options) {
    const tesela::Transform read = tesela::io::read_transform(path, options);
    write_again(".json", [&](const std::filesystem::path& written) {
        tesela::io::write_transform(read, written, replace);
    });
    const tesela::SpacePoint moved = read({3, 4, 0});
    attempt([&] { static_cast<void>(read.inverse_of(moved)); });
}

void read_landmarks_file(const std::filesystem::path& path,
                         const tesela::io::ReadOptions& options) {
    const tesela::Landmarks read = tesela::io::read_landmarks(path, options);
    write_again(".csv", [&](const std::filesystem::path& written) {
        tesela::io::write_landmarks(read, written, replace);
    });
}

// A transfer function is known by the end of its name: a link that has it leads to the file.
void read_transfer(const std::filesystem::path& path, const char* suffix) {
    const std::filesystem::path link = std::filesystem::temp_directory_path() /
                                       ("tesela-fuzz-read-" + std::to_string(getpid()) + suffix);
    std::error_code exists;
    std::filesystem::create_symlink(path, link, exists);
    const tesela::TransferFunction read = tesela::io::read_transfer_function(link);
    write_again(".json", [&](const std::filesystem::path& written) {
        tesela::io::write_transfer_function(read, written, replace);
    });
}
void read_camera_file(const std::filesystem::path& path) {
    const tesela::Camera read = tesela::io::read_camera(path);
    write_again(".json", [&](const std::filesystem::path& written) {
        tesela::io::write_camera(read, written, replace);
    });
}
void read_circle_list(const std::filesystem::path& path, const tesela::io::ReadOptions& options) {
    const tesela::CircleLists read = tesela::io::read_circles(path, options);
    if (read.pixels) tesela::evaluate_circles(*read.pixels, *read.pixels, 2);
}

// A chunk whose checksum was right: three sides, the coarser voxels, then the chunk.
template <class T>
void decode_brick(const std::uint8_t* data, std::size_t length) {
    namespace detail = tesela::detail;
    constexpr std::size_t sides = 3;
    if (length < sides) return;
    detail::BrickSize size{};
    for (std::size_t axis = 0; axis < sides; ++axis)
        size[axis] = 1 + data[axis] % tesela::BrickSource::side;
    std::vector<T> coarse(static_cast<std::size_t>(detail::voxels_of(detail::halved(size))));
    const std::size_t known = std::min((length - sides) / 2, coarse.size() * sizeof(T));
    std::memcpy(coarse.data(), data + sides, known);
    std::vector<T> fine(static_cast<std::size_t>(detail::voxels_of(size)));
    static_cast<void>(detail::decode_details<T>({data + sides + known, length - sides - known},
                                                coarse, size, data[0] % 4, fine));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A file in memory, whose name is the same in every run: names take part in comparisons, from
    // which the fuzzer learns.
    static const int descriptor = memfd_create("tesela-fuzz", 0);
    static const std::filesystem::path path = "/proc/self/fd/" + std::to_string(descriptor);
    if (descriptor < 0 || ftruncate(descriptor, 0) != 0 ||
        pwrite(descriptor, data, size, 0) != static_cast<ssize_t>(size))
        std::abort();
    static const tesela::io::ReadOptions options{.max_bytes = 1 << 24};
    attempt([] { tesela::io::read_image(path, options); });
    attempt([] { tesela::io::read_flow(path, options); });
    attempt([] { read_y4m(path, options.max_bytes); });
    attempt([] { read_slide(path, options.max_bytes); });
    attempt([] { read_annotations(path, options); });
    attempt([] { read_transform_file(path, options); });
    attempt([] { read_landmarks_file(path, options); });
    attempt([] { read_transfer(path, ".vp"); });
    attempt([] { read_transfer(path, ".json"); });
    attempt([] { read_camera_file(path); });
    attempt([] { tesela::io::read_label_map(path, options); });
    attempt([] { tesela::io::read_label_names(path); });
    attempt([] { tesela::io::read_label_entries(path); });
    attempt([] { read_circle_list(path, options); });
    attempt([] { tesela::io::read_tridiagonal(path, options); });
    attempt([] { tesela::read_tissue_model(path, options); });
    attempt([] { tesela::read_tissue_samples(path, options); });
    decode_brick<std::uint8_t>(data, size);
    decode_brick<std::uint16_t>(data, size);
    return 0;
}
