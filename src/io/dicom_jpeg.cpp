// Streams of JPEG (ITU-T T.81, annex B) and JPEG-LS (T.87, annex C).
#include <optional>
#include <set>

#include "io/dicom_streams.h"

namespace tesela::io {
namespace {

constexpr unsigned start_of_image = 0xd8, end_of_image = 0xd9, start_of_scan = 0xda,
                   application_0 = 0xe0, application_14 = 0xee, baseline_frame = 0xc0,
                   sequential_frame = 0xc1, lossless_frame = 0xc3, jpegls_frame = 0xf7;

constexpr std::uint32_t jfif = 0x4a464946;  // "JFIF"

bool is_frame(unsigned marker) {
    const bool table = marker == 0xc4 || marker == 0xc8 || marker == 0xcc;
    return (marker >= 0xc0 && marker <= 0xcf && !table) || marker == jpegls_frame;
}
bool is_restart(unsigned marker) { return marker >= 0xd0 && marker <= 0xd7; }

class JpegWalker {
  public:
    JpegWalker(StreamBytes& stream, DicomHeader& header) : s_(stream), h_(header) {
        const std::string& syntax = header.transfer_syntax;
        const std::string last = syntax.substr(syntax.rfind('.') + 1);
        if (last == "80" || last == "81")
            frames_ = {jpegls_frame};
        else if (last == "57" || last == "70")
            frames_ = {lossless_frame};
        else
            frames_ = {baseline_frame, sequential_frame};
    }

    void walk() {
        if (s_.u16(0) != (0xff00 | start_of_image)) s_.damaged("they do not begin as JPEG does");
        at_ = 2;
        for (unsigned marker = next_marker(); marker != end_of_image; marker = next_marker()) {
            const std::size_t length = s_.u16(at_);
            if (length < 2 || at_ + length > s_.size()) s_.damaged("a segment has no valid length");
            if (is_frame(marker)) take_frame(marker, length);
            has_jfif_ |= marker == application_0 && length >= 7 && s_.u32(at_ + 2) == jfif;
            if (marker == application_14) take_adobe(length);
            if (marker == start_of_scan) take_scan(length);
            at_ += length;
            if (marker == start_of_scan) skip_entropy_coded();
        }
        if (components_.empty() || !missing_.empty()) s_.damaged("they lack a scan");
        take_colors();
        s_.require_padding(at_);
        s_.cut(0, at_);
    }

  private:
    // Adobe's segment says by its last byte what three components are (T.872, 6.5.3).
    void take_adobe(std::size_t length) {
        constexpr std::uint32_t adobe = 0x41646f62;  // "Adob"
        if (length >= 14 && s_.u32(at_ + 2) == adobe) is_ycbcr_ = s_.u8(at_ + 13) != 0;
    }

    // What the stream says of its colors counts, whatever the header says. A JFIF file of three
    // components is in YCbCr (JFIF 1.02).
    void take_colors() {
        if (!is_lossy() || h_.samples != 3) return;
        const bool is_rgb = h_.colors == "RGB";
        const bool ycbcr = is_ycbcr_.value_or(has_jfif_ || !is_rgb);
        if (ycbcr != is_rgb) return;
        h_.colors = ycbcr ? "YBR_FULL" : "RGB";
        h_.warnings.push_back(
            std::string("the DICOM header and its JPEG data differ about colors; they are in ") +
            (ycbcr ? "YCbCr" : "RGB") + ", as the data say");
    }

    // The code behind 0xff and fill bytes.
    unsigned next_marker() {
        if (s_.u8(at_) != 0xff) s_.damaged("a marker is missing");
        while (s_.u8(at_) == 0xff) ++at_;
        const unsigned marker = s_.u8(at_++);
        if (marker == 0 || marker == 1 || is_restart(marker) || marker == start_of_image)
            s_.damaged("a marker stands where none may be");
        return marker;
    }

    void take_frame(unsigned marker, std::size_t length) {
        if (!components_.empty()) s_.damaged("they hold a second frame");
        if (frames_.count(marker) == 0) s_.differs("of another kind of JPEG");
        const unsigned bits = s_.u8(at_ + 2), rows = s_.u16(at_ + 3), columns = s_.u16(at_ + 5),
                       count = s_.u8(at_ + 7);
        if (length != 8 + 3 * count) s_.damaged("their frame header has no valid length");
        require_image(s_, h_, columns, rows, count, bits);
        for (unsigned i = 0; i < count; ++i) {
            const std::size_t component = at_ + 8 + 3 * i;
            components_.insert(s_.u8(component));
            check_sampling(s_.u8(component + 1), i);
        }
        if (components_.size() != count) s_.damaged("two components have one number");
        missing_ = components_;
    }

    // Color differences of lossy JPEG may have half the samples along x and y: the factors of the
    // first component are then two.
    void check_sampling(unsigned factors, unsigned component) const {
        const unsigned across = factors >> 4, down = factors & 15;
        const bool whole = h_.samples == 1 || component > 0 || !is_lossy();
        const unsigned most = whole ? 1 : 2;
        if (across < 1 || down < 1 || across > most || down > most)
            s_.damaged("their subsampling is not supported");
    }

    void take_scan(std::size_t length) {
        const unsigned count = s_.u8(at_ + 2);
        if (components_.empty() || length != 6 + 2 * count)
            s_.damaged("a scan has no valid header");
        for (unsigned i = 0; i < count; ++i)
            if (missing_.erase(s_.u8(at_ + 3 + 2 * i)) == 0)
                s_.damaged("a scan is of no component, or of one again");
    }

    // In JPEG a zero is stuffed behind 0xff, in JPEG-LS a zero bit.
    void skip_entropy_coded() {
        const bool bits = frames_.count(jpegls_frame) != 0;
        for (;; ++at_) {
            if (s_.u8(at_) != 0xff) continue;
            const unsigned next = s_.u8(at_ + 1);
            const bool stuffed = bits ? next < 0x80 : next == 0;
            if (!stuffed && !is_restart(next)) return;
        }
    }

    bool is_lossy() const { return frames_.count(baseline_frame) != 0; }

    StreamBytes& s_;
    DicomHeader& h_;
    std::set<unsigned> frames_;  // kinds of frame that the transfer syntax allows
    bool has_jfif_ = false;
    std::optional<bool> is_ycbcr_;  // by Adobe's segment
    std::size_t at_ = 0;
    std::set<unsigned> components_, missing_;  // in the frame, and so far in no scan
};

}  // namespace

void check_jpeg(StreamBytes& stream, DicomHeader& header) { JpegWalker(stream, header).walk(); }

}  // namespace tesela::io
