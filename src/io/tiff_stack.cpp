// The image of a TIFF file: its pages as channels, slices and time points, from one file or a set.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <set>

#include "io/pixel_size.h"
#include "io/plane_choice.h"
#include "io/tiff_reader.h"
#include "io/tiff_samples.h"

namespace tesela::io {
namespace {

// Another file of a set.
struct SetMember {
    SetMember(const fs::path& path, const DecodeOptions& options)
        : file(path), reader(file, options) {
        reader.find_pages();
    }

    InputFile file;
    TiffReader reader;
};

class TiffStack {
  public:
    TiffStack(const InputFile& file, const DecodeOptions& options)
        : path_(file.path()), options_(options), reader_(file, options) {}

    ReadResult read();

  private:
    void plan();
    void choose();
    std::int64_t work_bytes(const Shape& shape) const;
    void check_claim() const;
    bool is_chosen(const Plane& plane) const;
    std::int64_t chosen_planes_in(const PlaneRun& run) const;
    void require_files() const;
    void read_planes();
    std::int64_t read_run(const PlaneRun& run, TiffReader& source);
    void place(const Plane& plane, const std::uint8_t* decoded);
    std::uint8_t* place_of(const Plane& plane);
    void color();
    AnyImage through_palette(const Image<std::uint8_t>& indices);
    AnyImage without_opacity(const Image<std::uint8_t>& indices);
    bool has_opacity() const;
    void set_geometry();
    void warn(const std::string& sentence) { result_.warnings.push_back(sentence); }

    const fs::path& path_;
    const DecodeOptions& options_;
    TiffReader reader_;
    PagePlan plan_;
    TiffPage form_;  // of all planes
    StackScale scale_;
    Shape whole_;                     // before a choice, as the samples are stored
    bool colored_ = false;            // by a palette
    ChosenPlanes chosen_;             // of the stored samples
    std::vector<std::uint8_t> page_;  // decoded, where its samples are not all, or not alone
    ReadResult result_;
};

void TiffStack::plan() {
    reader_.find_pages();
    plan_ = plan_pages(reader_.file(), reader_.tiff(), reader_.description(), reader_.directories(),
                       reader_.first());
    if (plan_.first != reader_.first()) reader_.take(plan_.first);
    form_ = reader_.form();
    scale_ = plan_.scale ? *plan_.scale : stack_scale(reader_.tiff(), reader_.description());
    for (const std::string& warning : plan_.warnings) warn(warning);
    const std::int64_t channels = plan_.axes.channels * form_.samples;
    if (channels > std::numeric_limits<int>::max())
        throw unreadable(path_, "its description claims " + std::to_string(channels) + " channels");
    whole_ = {form_.width, form_.height, plan_.axes.z, plan_.axes.t, static_cast<int>(channels)};
    check_claim();
}

// Planes may be missing from a file, but hardly all of them.
void TiffStack::check_claim() const {
    if (!plan_.is_told) return;
    constexpr double planes_to_one = 256;
    double stored = static_cast<double>(reader_.file().size());
    for (const SetFile& other : plan_.files) {
        std::error_code error;
        const auto size = fs::file_size(other.path, error);
        if (!error) stored += static_cast<double>(size);
    }
    const double bytes = static_cast<double>(whole_.x) * static_cast<double>(whole_.y) *
                         static_cast<double>(plan_.axes.planes()) * form_.samples * form_.bits / 8;
    if (bytes > planes_to_one * reader_.most_expansion() * stored)
        throw unreadable(path_, "its description claims " + std::to_string(plan_.axes.planes()) +
                                    " planes, but the file is far too short for them");
}

// What the channels are, and which of all planes are read.
void TiffStack::choose() {
    const bool palette = form_.photometric == PHOTOMETRIC_PALETTE && !options_.indices;
    const bool gray =
        form_.photometric == PHOTOMETRIC_MINISBLACK || form_.photometric == PHOTOMETRIC_MINISWHITE;
    const bool apart = plan_.axes.channels > 1;
    colored_ = palette && !apart;
    if (palette && apart)
        warn("the palette of the pages is not applied: they are channels of an image");
    const bool has_alpha = form_.alpha && !apart;
    result_.separate_channels = apart || (gray && whole_.channels > (has_alpha ? 2 : 1));
    result_.channel_names = plan_.channel_names;
    Shape seen = whole_;
    if (colored_) seen.channels = 2 + form_.samples;
    const auto names = result_.channel_names.empty() && !result_.separate_channels
                           ? color_names(seen, has_alpha)
                           : result_.channel_names;
    chosen_ = chosen_planes(path_, seen, names, options_.choice);
    if (colored_) chosen_.channel = -1;
    note_choice(chosen_, result_);
}

// Beside an image of this shape; colors of a palette and upright copies come after the decoding.
std::int64_t TiffStack::work_bytes(const Shape& shape) const {
    const std::int64_t value = pixel_type_bytes(stored_type(form_));
    const std::int64_t bytes = shape.elements() * value;
    const std::int64_t colors = colored_ ? (2 + form_.samples) * shape.points() : 0;
    const std::int64_t upright =
        is_upright(form_.orientation) ? 0 : std::max(2 * colors - bytes, bytes);
    const std::int64_t page =
        shape.channels == form_.samples ? 0 : shape.x * shape.y * form_.samples * value;
    return std::max({reader_.chunk_work() + page, colors, upright});
}

bool TiffStack::is_chosen(const Plane& plane) const {
    const std::int64_t first = plane.channel * form_.samples;
    const bool has_channel = chosen_.channel < 0 ||
                             (chosen_.channel >= first && chosen_.channel < first + form_.samples);
    return has_channel && (chosen_.slice < 0 || plane.z == chosen_.slice) &&
           (chosen_.time < 0 || plane.t == chosen_.time);
}

std::int64_t TiffStack::chosen_planes_in(const PlaneRun& run) const {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < run.count; ++i)
        count += is_chosen(plan_.axes.plane(run.plane + i));
    return count;
}

// Throws UnsupportedFormat where chosen planes lie in files that are not there.
void TiffStack::require_files() const {
    std::int64_t missing = 0;
    std::string names;
    constexpr std::size_t most = 3;
    std::set<std::size_t> files;
    for (const PlaneRun& run : plan_.runs) {
        if (run.file == 0 || !plan_.files[run.file - 1].path.empty()) continue;
        const std::int64_t planes = chosen_planes_in(run);
        missing += planes;
        if (planes == 0 || !files.insert(run.file).second || files.size() > most) continue;
        names += (names.empty() ? "'" : ", '") + printable(plan_.files[run.file - 1].name) + "'";
    }
    if (missing == 0) return;
    throw unsupported(path_, std::to_string(missing) + " of its planes are in " + names +
                                 (files.size() > most ? ", ..." : "") +
                                 ": put all files of the set into one folder");
}

std::uint8_t* TiffStack::place_of(const Plane& plane) {
    const Shape& shape = shape_of(result_.image);
    const std::int64_t z = chosen_.slice < 0 ? plane.z : 0, t = chosen_.time < 0 ? plane.t : 0;
    return static_cast<std::uint8_t*>(pixel_data(result_.image)) +
           (t * shape.z + z) * shape.x * shape.y * shape.channels *
               pixel_type_bytes(pixel_type_of(result_.image));
}

// Among the channels of other pages, or without those that were not chosen.
void TiffStack::place(const Plane& plane, const std::uint8_t* decoded) {
    const Shape& shape = shape_of(result_.image);
    const std::int64_t value = pixel_type_bytes(pixel_type_of(result_.image));
    const std::int64_t first = plane.channel * form_.samples, samples = form_.samples;
    const bool all = chosen_.channel < 0;
    const std::uint8_t* from = decoded + (all ? 0 : chosen_.channel - first) * value;
    std::uint8_t* to = place_of(plane) + (all ? first : 0) * value;
    const auto bytes = static_cast<std::size_t>((all ? samples : 1) * value);
    for (std::int64_t p = 0; p < shape.x * shape.y; ++p)
        std::memcpy(to + p * shape.channels * value, from + p * samples * value, bytes);
}

// Gives the number of planes that were there.
std::int64_t TiffStack::read_run(const PlaneRun& run, TiffReader& source) {
    const auto directories = static_cast<std::int64_t>(source.directories().size());
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < run.count; ++i) {
        if (!plan_.in_one_directory && run.directory >= directories - i) break;
        const Plane plane = plan_.axes.plane(run.plane + i);
        if (!is_chosen(plane)) continue;
        std::uint8_t* decoded = page_.empty() ? place_of(plane) : page_.data();
        if (plan_.in_one_directory)
            source.read_behind(run.plane + i, decoded);
        else if (!source.read(run.directory + i, form_, decoded))
            continue;
        if (!page_.empty()) place(plane, decoded);
        ++found;
    }
    return found;
}

void TiffStack::read_planes() {
    const Shape shape = chosen_.left_of(whole_);
    const PixelType type = stored_type(form_);
    require_files();
    result_.work_bytes = work_bytes(shape);
    result_.image = allocate(path_, type, shape, options_, result_.work_bytes);
    if (shape.channels != form_.samples)
        page_.resize(
            static_cast<std::size_t>(shape.x * shape.y * form_.samples * pixel_type_bytes(type)));
    std::stable_sort(plan_.runs.begin(), plan_.runs.end(),
                     [](const PlaneRun& a, const PlaneRun& b) { return a.file < b.file; });
    std::unique_ptr<SetMember> member;
    std::size_t open = 0;
    std::int64_t found = 0;
    for (const PlaneRun& run : plan_.runs) {
        if (chosen_planes_in(run) == 0) continue;
        if (run.file != open) {
            member.reset();
            member = std::make_unique<SetMember>(plan_.files[run.file - 1].path, options_);
            open = run.file;
        }
        found += read_run(run, run.file == 0 ? reader_ : member->reader);
    }
    const std::int64_t pages = (chosen_.channel < 0 ? plan_.axes.channels : 1) * shape.z * shape.t;
    if (found == 0) throw unreadable(path_, "none of the planes that it describes are there");
    if (found < pages)
        warn(std::to_string(pages - found) + " of " + std::to_string(pages) +
             " planes are missing; their values are 0");
}

AnyImage TiffStack::through_palette(const Image<std::uint8_t>& indices) {
    const Palette palette = palette_of(reader_.tiff(), form_.bits);
    if (palette[0].empty()) throw reader_.damaged();
    Shape shape = indices.shape();
    shape.channels = 2 + form_.samples;
    AnyImage colors = allocate(path_, PixelType::u8, shape, options_);
    look_up(form_, indices, palette, std::get<Image<std::uint8_t>>(colors));
    return colors;
}

// The numbers of a label map that has a palette.
AnyImage TiffStack::without_opacity(const Image<std::uint8_t>& indices) {
    Shape shape = indices.shape();
    shape.channels = 1;
    AnyImage numbers = allocate(path_, PixelType::u8, shape, options_);
    const std::uint8_t* in = indices.data();
    for (std::uint8_t& number : std::get<Image<std::uint8_t>>(numbers).pixels()) {
        number = *in;
        in += form_.samples;
    }
    warn("the opacity beside the numbers of its palette is left out");
    return numbers;
}

// Whether the last channel of what was read is opacity.
bool TiffStack::has_opacity() const {
    const bool indices = form_.photometric == PHOTOMETRIC_PALETTE && options_.indices;
    return form_.alpha && plan_.axes.channels == 1 && shape_of(result_.image).channels > 1 &&
           !indices;
}

// From stored samples to the values that they stand for.
void TiffStack::color() {
    const auto stored = [&]() -> const Image<std::uint8_t>& {
        return std::get<Image<std::uint8_t>>(result_.image);
    };
    if (colored_) {
        result_.image = through_palette(stored());
        DecodeOptions of_colors = options_;
        of_colors.choice.slice = of_colors.choice.time = {};
        choose_planes(path_, of_colors, result_);
    }
    const bool is_palette = form_.photometric == PHOTOMETRIC_PALETTE;
    if (is_palette && options_.indices && form_.samples > 1 && plan_.axes.channels == 1 &&
        chosen_.channel < 0)
        result_.image = without_opacity(stored());
    const bool has_alpha = has_opacity();
    std::visit([&](auto& i) { i.has_alpha = has_alpha; }, result_.image);
    const bool only_opacity = form_.alpha && chosen_.channel == form_.samples - 1;
    if (form_.photometric == PHOTOMETRIC_MINISWHITE && !options_.indices && !only_opacity) {
        if (form_.format != SAMPLEFORMAT_UINT)
            warn(
                "0 is white in this TIFF of signed or floating-point numbers; their order was "
                "turned");
        invert(result_.image, form_.bits);
    }
    if (form_.premultiplied) warn("the TIFF's colors are multiplied by its opacity");
}

// Of an image that is upright already.
void TiffStack::set_geometry() {
    AnyImage& image = result_.image;
    Geometry& geometry = geometry_of(image);
    if (plan_.time_step && plan_.axes.t > 1) geometry.time_step = *plan_.time_step;
    const double time_step = geometry.time_step;
    result_.spacing_source =
        set_pixel_size(image, scale_.pixel, form_.orientation, result_.warnings);
    geometry.time_step = time_step;
    if (result_.spacing_source.empty()) return;
    if (scale_.depth > 0) {
        geometry.spacing[2] = scale_.depth;
        if (chosen_.slice > 0) move_to_slice(chosen_.slice, geometry);
    } else if (shape_of(image).z > 1) {
        geometry.spacing[2] = geometry.spacing[0];
        warn("the distance of its pages is not told; that of pixels is taken");
    }
}

ReadResult TiffStack::read() {
    result_.format = "TIFF";
    plan();
    choose();
    read_planes();
    for (const std::string& warning : reader_.warnings()) warn(warning);
    color();
    apply_orientation(result_.image, form_.orientation);
    set_geometry();
    return std::move(result_);
}

}  // namespace

ReadResult read_tiff(const InputFile& file, const DecodeOptions& options) {
    return TiffStack(file, options).read();
}

std::vector<fs::path> tiff_set_files(const InputFile& file) {
    const TiffHandle tiff(file.handle(), "rm");
    if (!tiff.get()) return {};
    const std::string description = description_of(tiff);
    return is_ome(description) ? ome_files(file.path(), description) : std::vector<fs::path>();
}

}  // namespace tesela::io
