// Small TIFF files written byte by byte: pages without compression, each before its directory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tesela::io::testing {

struct TiffSamplePage {
    std::vector<std::uint8_t> pixels;
    std::uint32_t kind = 0;  // NewSubfileType: 1 reduced, 4 a mask
};

struct TiffSample {
    std::string description = {};  // of the first page
    std::vector<TiffSamplePage> pages = {};
    std::uint32_t width = 4, height = 3;
    std::uint16_t samples = 1, bits = 8, photometric = 1;
    std::uint32_t pixels_per_unit = 0;  // 0: no resolution
    bool big_endian = false;
    std::vector<std::uint8_t> behind_pixels = {};  // of the first page, before its directory
    std::uint16_t further_tag = 0;  // of the first page, above 296, with the description's text
};

class TiffSampleWriter {
  public:
    explicit TiffSampleWriter(const TiffSample& sample) : s_(sample) {}

    std::vector<std::uint8_t> bytes() {
        for (const char c : std::string(s_.big_endian ? "MM" : "II"))
            out_.push_back(static_cast<std::uint8_t>(c));
        add16(42);
        std::size_t link = out_.size();
        add32(0);
        for (const TiffSamplePage& page : s_.pages) link = add_page(page, link);
        return std::move(out_);
    }

  private:
    struct Entry {
        std::uint16_t tag, type;
        std::uint32_t count, value;
    };

    void add16(std::uint32_t value) { add(value, 2); }
    void add32(std::uint32_t value) { add(value, 4); }
    void add(std::uint32_t value, int count) {
        for (int i = 0; i < count; ++i)
            out_.push_back(
                static_cast<std::uint8_t>(value >> 8 * (s_.big_endian ? count - 1 - i : i)));
    }
    std::uint32_t here() {
        if (out_.size() % 2) out_.push_back(0);
        return static_cast<std::uint32_t>(out_.size());
    }

    // Gives the place of the link to the next directory.
    std::size_t add_page(const TiffSamplePage& page, std::size_t link) {
        const bool first = link == 4;
        const std::uint32_t pixels = here();
        out_.insert(out_.end(), page.pixels.begin(), page.pixels.end());
        if (first) out_.insert(out_.end(), s_.behind_pixels.begin(), s_.behind_pixels.end());
        const std::uint32_t bits = here();
        for (int i = 0; i < s_.samples; ++i) add16(s_.bits);
        const std::uint32_t resolution = here();
        add32(s_.pixels_per_unit);
        add32(1);
        const std::uint32_t text = here();
        if (first) out_.insert(out_.end(), s_.description.begin(), s_.description.end());
        out_.push_back(0);

        constexpr std::uint16_t ascii = 2, u16 = 3, u32 = 4, ratio = 5;
        const auto rows = s_.height;
        std::vector<Entry> entries{
            {254, u32, 1, page.kind}, {256, u32, 1, s_.width}, {257, u32, 1, rows}};
        entries.push_back({258, u16, s_.samples, s_.samples > 2 ? bits : s_.bits});
        entries.push_back({259, u16, 1, 1});
        entries.push_back({262, u16, 1, s_.photometric});
        if (first && !s_.description.empty())
            entries.push_back(
                {270, ascii, static_cast<std::uint32_t>(s_.description.size() + 1), text});
        entries.push_back({273, u32, 1, pixels});
        entries.push_back({277, u16, 1, s_.samples});
        entries.push_back({278, u32, 1, rows});
        entries.push_back({279, u32, 1, static_cast<std::uint32_t>(page.pixels.size())});
        if (s_.pixels_per_unit > 0) {
            entries.push_back({282, ratio, 1, resolution});
            entries.push_back({283, ratio, 1, resolution});
            entries.push_back({296, u16, 1, 1});
        }
        if (first && s_.further_tag != 0)
            entries.push_back({s_.further_tag, ascii,
                               static_cast<std::uint32_t>(s_.description.size() + 1), text});
        const std::uint32_t directory = here();
        patch(link, directory);
        add16(static_cast<std::uint32_t>(entries.size()));
        for (const Entry& entry : entries) add_entry(entry);
        const std::size_t next = out_.size();
        add32(0);
        return next;
    }
    void add_entry(const Entry& entry) {
        add16(entry.tag);
        add16(entry.type);
        add32(entry.count);
        if (entry.type != 3 || entry.count > 2) return add32(entry.value);
        add16(entry.value);
        add16(entry.count == 2 ? entry.value : 0);
    }
    void patch(std::size_t at, std::uint32_t value) {
        std::vector<std::uint8_t> kept = std::exchange(out_, {});
        add32(value);
        for (std::size_t i = 0; i < 4; ++i) kept[at + i] = out_[i];
        out_ = std::move(kept);
    }

    const TiffSample& s_;
    std::vector<std::uint8_t> out_;
};

inline std::vector<std::uint8_t> tiff_bytes(const TiffSample& sample) {
    return TiffSampleWriter(sample).bytes();
}

// Pixel i of page n is 10 n + i, or of `samples` per pixel sample i.
inline std::vector<TiffSamplePage> numbered_pages(int count, int values = 12) {
    std::vector<TiffSamplePage> pages(static_cast<std::size_t>(count));
    for (int n = 0; n < count; ++n)
        for (int i = 0; i < values; ++i)
            pages[static_cast<std::size_t>(n)].pixels.push_back(
                static_cast<std::uint8_t>(10 * n + i));
    return pages;
}

// OME-XML of one image of 4 x 3 pixels; `sizes` are further attributes of Pixels, `inner` is
// inside.
inline std::string ome_text(const std::string& sizes, const std::string& inner) {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME "
           "xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\"><Image ID=\"Image:0\">"
           "<Pixels ID=\"Pixels:0\" Type=\"uint8\" SizeX=\"4\" SizeY=\"3\" PhysicalSizeX=\"0.5\" "
           "PhysicalSizeY=\"0.25\" PhysicalSizeZ=\"2\" " +
           sizes + ">" + inner + "</Pixels></Image></OME>";
}

inline std::string imagej_text(const std::string& lines) { return "ImageJ=1.53t\n" + lines; }

// 2 channels, 3 slices, 4 time points.
inline TiffSample imagej_sample() {
    return {.description = imagej_text("images=24\nchannels=2\nslices=3\nframes=4\n"
                                       "hyperstack=true\nmode=composite\nunit=micron\n"
                                       "spacing=3.0\nfinterval=2.5\nloop=false\n"),
            .pages = numbered_pages(24),
            .pixels_per_unit = 2};
}

// Two channels with names, in an order of the planes that is not that of the pages.
inline TiffSample ome_sample() {
    return {
        .description = ome_text("DimensionOrder=\"XYZCT\" SizeC=\"2\" SizeZ=\"3\" SizeT=\"1\"",
                                "<Channel ID=\"Channel:0:0\" Name=\"DAPI\" SamplesPerPixel=\"1\"/>"
                                "<Channel ID=\"Channel:0:1\" Name=\"GFP\" SamplesPerPixel=\"1\"/>"
                                "<TiffData FirstC=\"1\" IFD=\"0\" PlaneCount=\"3\"/>"
                                "<TiffData FirstC=\"0\" IFD=\"3\" PlaneCount=\"3\"/>"),
        .pages = numbered_pages(6)};
}

// One small valid file for each kind of description, by name.
inline std::vector<std::pair<std::string, std::vector<std::uint8_t>>> sample_stack_files() {
    TiffSample one{.description = imagej_text("images=3\nslices=3\n"), .pages = numbered_pages(1)};
    for (const TiffSamplePage& page : numbered_pages(2))
        one.behind_pixels.insert(one.behind_pixels.end(), page.pixels.begin(), page.pixels.end());
    const TiffSample shaped{.description = R"({"shape": [2, 3, 3, 4], "axes": "TCYX"})",
                            .pages = numbered_pages(6)};
    return {{"imagej.tif", tiff_bytes(imagej_sample())},
            {"imagej-one.tif", tiff_bytes(one)},
            {"planes.ome.tif", tiff_bytes(ome_sample())},
            {"shaped.tif", tiff_bytes(shaped)}};
}

}  // namespace tesela::io::testing
