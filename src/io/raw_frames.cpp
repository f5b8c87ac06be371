// Frames without a header: one or several in each file.
#include <algorithm>

#include "core/point_text.h"
#include "io/video.h"
#include "tesela/volume_io.h"

namespace tesela::io {
namespace {

// A layout of one frame holds for as many as the file has.
RawLayout layout_in(const InputFile& file, RawLayout layout) {
    if (layout.shape.z > 1) return layout;
    const std::int64_t points = layout.shape.points(), value = pixel_type_bytes(layout.type);
    const std::int64_t held = file.size() - layout.offset;
    if (points > held / value || held % (points * value) != 0)
        throw unreadable(file.path(), "the " + std::to_string(std::max<std::int64_t>(held, 0)) +
                                          " bytes behind its offset are not whole frames of " +
                                          size_text(layout.shape) + " pixels, as --raw says");
    layout.shape.z = held / (points * value);
    return layout;
}

class RawFrameReader : public FrameReader {
  public:
    RawFrameReader(std::vector<fs::path> files, const RawLayout& layout,
                   const FrameReadOptions& options)
        : files_(std::move(files)), max_bytes_(options.max_bytes) {
        facts_.format = "raw";
        facts_.frame = {layout.shape.x, layout.shape.y};
        facts_.frames = 0;
        for (const fs::path& file : files_) {
            layouts_.push_back(layout_in(InputFile(file), layout));
            *facts_.frames += layouts_.back().shape.z;
        }
    }

    const FrameStreamFacts& facts() const override { return facts_; }
    std::string frame_name(std::int64_t index) const override {
        std::int64_t first = 0;
        for (std::size_t i = 0; i < files_.size(); first += layouts_[i++].shape.z)
            if (index < first + layouts_[i].shape.z)
                return quoted(files_[i]) + ", frame " + std::to_string(index);
        return "frame " + std::to_string(index);
    }

    std::optional<AnyImage> next() override {
        if (open_ && slice_ == layouts_[file_].shape.z) {
            open_.reset();
            slice_ = 0;
            ++file_;
        }
        if (file_ == files_.size()) return {};
        const RawLayout& layout = layouts_[file_];
        const Shape& s = layout.shape;
        if (!open_) {
            require_memory(files_[file_], s.x * s.y * pixel_type_bytes(layout.type), max_bytes_);
            open_ = open_raw(files_[file_], layout);
        }
        const std::int64_t z = slice_++;
        return open_->read({{0, 0, z}, {s.x, s.y, z + 1}}, 0);
    }

  private:
    std::vector<fs::path> files_;
    std::vector<RawLayout> layouts_;  // of the files
    std::int64_t max_bytes_;
    FrameStreamFacts facts_;
    std::size_t file_ = 0;
    std::int64_t slice_ = 0;             // that comes next
    std::unique_ptr<VolumeInput> open_;  // the current file
};

}  // namespace

std::unique_ptr<FrameReader> open_raw_frames(std::vector<fs::path> files, const RawLayout& layout,
                                             const FrameReadOptions& options) {
    return std::make_unique<RawFrameReader>(std::move(files), layout, options);
}

}  // namespace tesela::io
