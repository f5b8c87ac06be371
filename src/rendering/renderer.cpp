#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/vectors.h"
#include "rendering/casts.h"
#include "rendering/levels.h"
#include "rendering/tables.h"
#include "rendering/values.h"
#include "rendering/view.h"
#include "tesela/render.h"

namespace tesela {
namespace {

using namespace rendering;
using namespace detail;

constexpr std::int64_t group_side = 8;  // pixels, of the kernels that cast rays

// Colors of isosurfaces without a transfer function, from the outermost on.
constexpr std::array<std::array<float, 3>, kernels::render_max_surfaces> surface_colors{
    {{0.91f, 0.84f, 0.72f},
     {0.82f, 0.36f, 0.30f},
     {0.35f, 0.55f, 0.80f},
     {0.95f, 0.77f, 0.30f},
     {0.45f, 0.70f, 0.45f},
     {0.65f, 0.45f, 0.70f},
     {0.40f, 0.75f, 0.75f},
     {0.85f, 0.55f, 0.35f}}};
constexpr float outer_opacity = 0.35f;  // of all isosurfaces but the last one named

template <class T>
const Shape& checked_shape(const PixelSource<T>& volume) {
    constexpr PixelType type = pixel_type_of<T>();
    const Shape& shape = volume.shape();
    if (shape.t > 1)
        throw UnsupportedFormat("render: the volume has " + std::to_string(shape.t) +
                                " time points: take one of them");
    const bool in_colors = shape.channels == 3 && !volume.has_alpha &&
                           (type == PixelType::u8 || type == PixelType::u16);
    if (shape.channels != 1 && !in_colors)
        throw UnsupportedFormat(
            "render: volumes have one channel, or red, green and blue of 8 or "
            "16 bits; this one has " +
            std::to_string(shape.channels) + " channels of " + std::string(pixel_type_name(type)));
    return shape;
}

TransferFunction gray(double low, double high) {
    if (!(high > low)) high = low + 1;
    return {.name = "gray",
            .color = {{low, {0, 0, 0}}, {high, {1, 1, 1}}},
            .opacity = {{low, 0}, {high, 1}},
            .gradient_opacity = {},
            .reference_length = 1};
}

ValueScale scale_of(const ValueStatistics& values) {
    constexpr double nodes = kernels::render_table_nodes;
    const double width = values.highest - values.lowest;
    if (!(width > 0)) return {values.lowest, 1};
    // Integers fall on nodes, where there are enough of them.
    const double per_value = nodes / width;
    return {values.lowest, per_value >= 1 ? std::floor(per_value) : per_value};
}

}  // namespace

class Renderer::Implementation {
  public:
    template <class T>
    Implementation(const PixelSource<T>& volume, Queue& queue, int level)
        : queue_(queue),
          placement_(volume.geometry, checked_shape(volume)),
          shape_(volume.shape()),
          values_(statistics_of(volume)),
          scale_(scale_of(values_)) {
        upload_from_level(volume, level);
        placement_ = placement_.at(level_);
        for (auto& map : distance_map_)
            map = queue.allocate<std::uint8_t>(bricks_.blocks(), "distance map");
        labels_ = no_labels(queue);
        label_colors_ = queue.allocate_filled<float>(4, 0, "colors of labels");
    }

    void set_transfer(const TransferFunction& transfer) {
        validate(transfer);
        transfer_ = in_file_units(transfer, values_.percentile_1, values_.percentile_99);
        has_transfer_ = true;
        tables_step_ = -1;
    }
    void clear_transfer() {
        has_transfer_ = false;
        tables_step_ = -1;
    }

    void set_labels(const LabelView& labels, const std::vector<LabelColor>& colors) {
        if (!(labels.shape() == Shape{shape_.x, shape_.y, shape_.z}))
            throw InvalidArgument("render: the labels are not of the size of the volume");
        constexpr std::size_t most = 65534;
        if (colors.size() > most)
            throw InvalidArgument("render: there are " + std::to_string(colors.size()) +
                                  " labels to show, of at most " + std::to_string(most));
        std::unordered_map<std::uint32_t, std::uint16_t> numbers;
        std::vector<float> table(4, 0.0f);
        visible_labels_ = 0;
        for (const bool is_visible : {true, false})  // visible ones are numbered first
            for (const LabelColor& label : colors) {
                if ((label.opacity > 0) != is_visible) continue;
                numbers[label.label] = static_cast<std::uint16_t>(table.size() / 4);
                for (const double channel : label.color)
                    table.push_back(static_cast<float>(channel));
                table.push_back(static_cast<float>(label.opacity));
                visible_labels_ += is_visible;
            }
        numbers[0] = 0;
        table.insert(table.end(), 4, 0.0f);  // labels without a color
        const auto hidden = static_cast<std::uint16_t>(table.size() / 4 - 1);
        LabelImage smaller;
        for (int i = 0; i < level_; ++i)
            smaller = half_of_labels(i == 0 ? labels : LabelView(smaller));
        const LabelView shown = level_ == 0 ? labels : LabelView(smaller);
        Image<std::uint16_t> numbered(shown.shape());
        std::transform(shown.pixels().begin(), shown.pixels().end(), numbered.pixels().begin(),
                       [&](std::uint32_t label) {
                           const auto found = numbers.find(label);
                           return found == numbers.end() ? hidden : found->second;
                       });
        labels_ = label_bricks_of(numbered, bricks_, queue_);
        label_colors_ = queue_.upload(std::span<const float>(table), "colors of labels");
        label_names_.assign(static_cast<std::size_t>(hidden) + 1, 0);
        for (const auto& [label, number] : numbers) label_names_[number] = label;
        has_labels_ = true;
    }
    void clear_labels() {
        labels_ = no_labels(queue_);
        has_labels_ = false;
    }

    Camera camera(CameraView view, double view_angle) const {
        return camera_of(view, placement_.middle, placement_.radius, view_angle);
    }
    std::array<Vector3, 8> corners() const { return placement_.corners; }
    int level() const { return level_; }
    std::array<double, 2> value_range() const {
        return {values_.percentile_1, values_.percentile_99};
    }

    void draw(const Camera& camera, const RenderSettings& settings, const Progress& progress) {
        if (has_labels_ &&
            (settings.mode == RenderMode::mip || settings.mode == RenderMode::average))
            throw InvalidArgument(
                "render: labels are shown by the modes composite, as tint, and "
                "isosurface, as surfaces");
        mode_ = settings.mode;
        view_ = view_of(camera, settings, placement_);
        grid_ = clipped(bricks_.grid, settings, placement_);
        allocate_pixels(settings.width * settings.height);
        if (settings.mode == RenderMode::isosurface)
            draw_surfaces(settings, progress);
        else if (settings.mode == RenderMode::composite)
            draw_composite(settings, progress);
        else
            draw_projection(settings, progress);
    }

    RenderedView picture(const RenderSettings& settings) {
        const int channels = settings.background.transparent ? 4 : 3;
        const Shape shape{settings.width, settings.height, 1, 1, channels};
        if (picture_.size() != shape.elements())
            picture_ = queue_.allocate<std::uint8_t>(shape.elements(), "picture");
        const auto& color = settings.background.color;
        queue_.launch(kernels::render_picture, Range{shape.points()}, pixels_,
                      static_cast<float>(color[0]), static_cast<float>(color[1]),
                      static_cast<float>(color[2]), std::int32_t{channels}, picture_);
        RenderedView view{Image<std::uint8_t>(shape),
                          Image<float>({settings.width, settings.height})};
        view.picture.has_alpha = channels == 4;
        queue_.read(picture_, std::span(view.picture.pixels()));
        queue_.read(depth_, std::span(view.depth.pixels()));
        for (float& depth : view.depth.pixels())
            if (depth < 0) depth = std::numeric_limits<float>::quiet_NaN();
        return view;
    }

    std::optional<RenderHit> hit(std::int64_t x, std::int64_t y) {
        if (x < 0 || x >= view_.width || y < 0 || y >= view_.height) return {};
        const std::vector<float> depth = queue_.download(depth_);
        const double distance = depth[static_cast<std::size_t>(y * view_.width + x)];
        if (distance < 0) return {};
        RenderHit hit;
        hit.position = point_on_ray(view_, placement_, x, y, distance);
        hit.voxel = voxel_at(hit.position);
        for (double& place : hit.voxel) place = (place + 0.5) * placement_.covers - 0.5;
        hit.value = probed(hit.position)[0] + bricks_.value_offset;
        // A surface is between voxels: its label is that of the voxel behind it.
        const double a_little = 0.25 * placement_.shortest;
        const Vector3 behind = point_on_ray(view_, placement_, x, y, distance + a_little);
        if (has_labels_) hit.label = label_names_[static_cast<std::size_t>(probed(behind)[1])];
        return hit;
    }

    Image<float> colors() {
        auto colors = Image<float>::unwritten({view_.width, view_.height, 1, 1, 4});
        queue_.read(pixels_, std::span(colors.pixels()));
        return colors;
    }

  private:
    // The finest level, from `level` on, that fits.
    template <class T>
    void upload_from_level(const PixelSource<T>& volume, int level) {
        if (level < 0 || level > coarsest_level)
            throw InvalidArgument("render: the level must be from 0 to " +
                                  std::to_string(coarsest_level));
        std::optional<Image<T>> smaller;
        for (;; ++level_) {
            const PixelSource<T> source = smaller ? PixelSource<T>(*smaller) : volume;
            try {
                if (level_ >= level) bricks_ = bricks_of(source, queue_);
                if (level_ >= level) return;
            } catch (const OutOfMemory&) {
                if (level_ == coarsest_level) throw;
                queue_.trim();
            }
            const PixelView<T> whole(source.pixels().data(), source.shape(), source.geometry,
                                     source.has_alpha);
            smaller = std::get<Image<T>>(half_of(whole));
        }
    }

    // Of the level.
    Vector3 voxel_at(const Vector3& position) const {
        return placement_.to_voxel * (position - placement_.middle) + placement_.middle_voxel;
    }

    // The value at a position in mm, and the number of its label.
    std::vector<float> probed(const Vector3& position) {
        const Vector3 voxel = voxel_at(position);
        Buffer<float> found = queue_.allocate<float>(2, "probed value");
        const std::int32_t shown_as = !has_labels_                      ? kernels::render_no_labels
                                      : mode_ == RenderMode::isosurface ? kernels::render_surfaces
                                                                        : kernels::render_tints;
        probe(cast_of(style_of({})), shown_as,
              {static_cast<float>(voxel[0]), static_cast<float>(voxel[1]),
               static_cast<float>(voxel[2])},
              found);
        return queue_.download(found);
    }

    Cast cast_of(const kernels::render_style& style) {
        return {queue_,          bricks_,       distance_map_.back(),
                labels_,         label_colors_, table_,
                opacity_tables_, pixels_,       depth_,
                view_,           grid_,         style};
    }

    void allocate_pixels(std::int64_t count) {
        if (depth_.size() == count) return;
        pixels_ = queue_.allocate<float>(4 * count, "pixels");
        depth_ = queue_.allocate<float>(count, "depths");
    }

    // Calls `launch` with the groups of bands of rows; between bands the job can be cancelled.
    template <class Launch>
    void in_bands(const Progress& progress, const Launch& launch) {
        const std::int64_t bands = prefers_groups(queue_.device()) ? 1 : 16;
        const std::int64_t rows = (view_.height + group_side - 1) / group_side;
        const std::int64_t columns = (view_.width + group_side - 1) / group_side;
        const std::int64_t band = (rows + bands - 1) / bands;
        for (std::int64_t first = 0; first < rows; first += band) {
            view_.first_row = static_cast<std::int32_t>(first * group_side);
            launch(Groups{columns, std::min(band, rows - first), 1});
            progress.report(static_cast<double>(std::min(first + band, rows)) / double(rows),
                            "render");
        }
    }

    template <class T>
    void upload(const std::vector<T>& host, Buffer<T>& buffer, const char* name) {
        const std::span<const T> span(host);
        if (buffer.size() == std::ssize(host))
            queue_.write(buffer, span);
        else
            buffer = queue_.upload(span, name);
    }

    // Without a transfer function values are shown in gray, with white at `white`.
    void use_tables(Opacity opacity, double white) {
        if (tables_step_ == view_.step && tables_opacity_ == opacity && tables_white_ == white)
            return;
        tables_step_ = view_.step;
        tables_opacity_ = opacity;
        tables_white_ = white;
        TransferFunction used = has_transfer_ ? transfer_ : gray(values_.percentile_1, white);
        // Mean and highest values are shown as opaque gray.
        if (!has_transfer_ && opacity == Opacity::as_is) used.opacity = {{0, 1}};
        const Tables tables = tables_of(used, scale_, view_.step, opacity);
        gradient_scale_ = tables.gradient_nodes_per_value;
        visible_above_ = tables.visible_above;
        upload(tables.rgba, table_, "transfer function");
        upload(tables.opacities, opacity_tables_, "opacity tables");
        upload(tables.visible_below, visible_below_, "visible nodes");
        distance_map_matches_tables_ = false;
    }
    float table_scale() const { return static_cast<float>(scale_.nodes_per_value); }
    float table_offset() const {
        return static_cast<float>((bricks_.value_offset - scale_.lowest) * scale_.nodes_per_value);
    }

    kernels::render_style style_of(const RenderSettings& settings) const {
        kernels::render_style style{};
        style.flags = (settings.shading ? kernels::render_shaded : 0) |
                      (settings.skipping ? kernels::render_skips : 0) |
                      (has_labels_ ? kernels::render_has_labels : 0);
        style.visible_labels = visible_labels_;
        style.table_scale = table_scale();
        style.table_offset = table_offset();
        style.ambient = 0.25f;
        style.diffuse = 0.7f;
        style.specular = 0.15f;
        return style;
    }

    // From marks of empty blocks in the first of `distance_map_` to distances in the last.
    void measure_distances() {
        const kernels::render_grid& grid = bricks_.grid;
        for (std::int32_t axis = 0; axis < 3; ++axis) {
            const auto to = static_cast<std::size_t>(axis + 1) % 2;
            queue_.launch(kernels::render_distance_map,
                          Range{grid.blocks[0], grid.blocks[1], grid.blocks[2]},
                          distance_map_[1 - to], grid, axis, distance_map_[to]);
        }
    }

    void draw_composite(const RenderSettings& settings, const Progress& progress) {
        kernels::render_style style = style_of(settings);
        const bool by_gradient = has_transfer_ && !transfer_.gradient_opacity.empty();
        use_tables(by_gradient || has_labels_ ? Opacity::corrected : Opacity::of_step,
                   values_.percentile_99);
        if (by_gradient) style.flags |= kernels::render_has_gradient_opacity;
        style.gradient_scale = static_cast<float>(gradient_scale_);
        style.visible_above = visible_above_;
        if (!distance_map_matches_tables_) {
            queue_.launch(kernels::render_mark_empty, Range{bricks_.blocks()}, bricks_.ranges,
                          visible_below_, table_scale(), table_offset(), distance_map_.front());
            measure_distances();
            distance_map_matches_tables_ = true;
        }
        in_bands(progress, [&](const Groups& groups) { cast_composite(cast_of(style), groups); });
    }

    void draw_projection(const RenderSettings& settings, const Progress& progress) {
        const bool takes_mean = settings.mode == RenderMode::average;
        use_tables(Opacity::as_is, takes_mean ? values_.percentile_99 : values_.highest);
        const kernels::render_style style = style_of(settings);
        in_bands(progress, [&](const Groups& groups) {
            cast_projection(cast_of(style), groups, takes_mean);
        });
    }

    void add_surfaces(const RenderSettings& settings, kernels::render_style& style) {
        const std::vector<double>& named = settings.isovalues;
        if (named.size() > kernels::render_max_surfaces)
            throw InvalidArgument("render: there are " + std::to_string(named.size()) +
                                  " isovalues, of at most " +
                                  std::to_string(kernels::render_max_surfaces));
        if (named.empty() && !has_labels_)
            throw InvalidArgument(
                "render: the mode isosurface needs isovalues or labels: give "
                "--iso V or --labels FILE");
        std::vector<std::size_t> order(named.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return named[a] < named[b]; });
        for (const std::size_t i : order) {
            if (!std::isfinite(named[i]))
                throw InvalidArgument("render: an isovalue is not finite");
            float* rgba = style.surface_color + 4 * style.surfaces;
            std::copy(surface_colors[i].begin(), surface_colors[i].end(), rgba);
            if (has_transfer_) {
                const auto color = color_at(transfer_.color, named[i]);
                std::transform(color.begin(), color.end(), rgba,
                               [](double channel) { return static_cast<float>(channel); });
            }
            rgba[3] = i + 1 == named.size() ? 1 : outer_opacity;
            style.isovalue[style.surfaces++] = static_cast<float>(named[i] - bricks_.value_offset);
        }
    }

    void draw_surfaces(const RenderSettings& settings, const Progress& progress) {
        kernels::render_style style = style_of(settings);
        add_surfaces(settings, style);
        queue_.launch(kernels::render_mark_without_surface, Range{bricks_.blocks()}, bricks_.ranges,
                      labels_.ranges, std::int32_t{has_labels_}, style, distance_map_.front());
        measure_distances();
        distance_map_matches_tables_ = false;
        if (has_labels_) add_shares(labels_, visible_labels_, bricks_, queue_);
        in_bands(progress, [&](const Groups& groups) { cast_surfaces(cast_of(style), groups); });
    }

    Queue& queue_;
    Placement placement_;  // of the level
    Shape shape_;          // of the volume
    ValueStatistics values_;
    ValueScale scale_;
    int level_ = 0;  // that is kept
    Bricks bricks_;

    TransferFunction transfer_;
    bool has_transfer_ = false;
    double gradient_scale_ = 0;
    float visible_above_ = 0;
    float tables_step_ = -1;  // that the tables are made for
    Opacity tables_opacity_ = Opacity::of_step;
    double tables_white_ = 0;
    Buffer<float> table_, opacity_tables_;
    Buffer<std::uint32_t> visible_below_;
    // For space leaping: from each block, the distance in blocks to the nearest visible one.
    std::array<Buffer<std::uint8_t>, 2> distance_map_;
    bool distance_map_matches_tables_ = false;

    bool has_labels_ = false;
    std::uint32_t visible_labels_ = 0;
    LabelBricks labels_;
    Buffer<float> label_colors_;
    std::vector<std::uint32_t> label_names_;  // of the numbers in the pool

    RenderMode mode_{};  // of the last frame, like the following members
    kernels::render_view view_{};
    kernels::render_grid grid_{};
    Buffer<float> pixels_, depth_;
    Buffer<std::uint8_t> picture_;
};

Renderer::Renderer(const AnyImageView& volume, Queue& queue, int level)
    : implementation_(volume.visit([&]<class T>(const PixelView<T>& voxels) {
          return std::make_unique<Implementation>(PixelSource<T>(voxels), queue, level);
      })) {}
template <class T>
Renderer::Renderer(const DeviceImage<const T>& volume, Queue& queue, int level)
    : implementation_(
          std::make_unique<Implementation>(PixelSource<T>(queue, volume), queue, level)) {}
template Renderer::Renderer(const DeviceImage<const std::uint8_t>&, Queue&, int);
template Renderer::Renderer(const DeviceImage<const std::uint16_t>&, Queue&, int);
template Renderer::Renderer(const DeviceImage<const std::int16_t>&, Queue&, int);
template Renderer::Renderer(const DeviceImage<const float>&, Queue&, int);
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;

void Renderer::set_transfer(const TransferFunction& transfer) {
    implementation_->set_transfer(transfer);
}
void Renderer::clear_transfer() { implementation_->clear_transfer(); }
void Renderer::set_labels(const LabelView& labels, const std::vector<LabelColor>& colors) {
    implementation_->set_labels(labels, colors);
}
void Renderer::clear_labels() { implementation_->clear_labels(); }
std::array<Vector3, 8> Renderer::corners() const { return implementation_->corners(); }
Camera Renderer::camera(CameraView view, double view_angle) const {
    return implementation_->camera(view, view_angle);
}
std::array<double, 2> Renderer::value_range() const { return implementation_->value_range(); }

RenderedView Renderer::render(const Camera& camera, const RenderSettings& settings,
                              const Progress& progress) {
    implementation_->draw(camera, settings, progress);
    return implementation_->picture(settings);
}
void Renderer::render_only(const Camera& camera, const RenderSettings& settings) {
    implementation_->draw(camera, settings, {});
}
Image<float> Renderer::colors() { return implementation_->colors(); }
int Renderer::level() const { return implementation_->level(); }
std::optional<RenderHit> Renderer::hit(std::int64_t x, std::int64_t y) {
    return implementation_->hit(x, y);
}

std::int64_t render_device_bytes(const AnyImageView& volume, bool has_labels, std::int64_t pixels,
                                 int level) {
    Shape shape = volume.shape();
    for (int i = 0; i < level; ++i) shape = half_of(shape);
    const int bytes = shape.channels == 3 ? 4 : std::min(pixel_type_bytes(volume.pixel_type()), 4);
    constexpr std::int64_t tables = (kernels::render_table_nodes + 2) * 28;
    return bricks_bytes(shape, bytes) +
           (has_labels ? bricks_bytes(shape, label_bytes_per_voxel) : 0) + 24 * pixels + tables;
}

}  // namespace tesela
