#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/vectors.h"
#include "rendering/brick_pool.h"
#include "rendering/brick_values.h"
#include "rendering/casts.h"
#include "rendering/label_numbers.h"
#include "rendering/levels.h"
#include "rendering/style.h"
#include "rendering/tables.h"
#include "rendering/values.h"
#include "rendering/view.h"
#include "rendering/visible_bricks.h"
#include "tesela/render.h"

namespace tesela {
namespace {

using namespace rendering;
using namespace detail;

constexpr std::int64_t group_side = 8;  // pixels, of the kernels that cast rays

const Shape& checked(const Shape& shape, PixelType type, bool has_alpha) {
    if (shape.t > 1)
        throw UnsupportedFormat("render: the volume has " + std::to_string(shape.t) +
                                " time points: take one of them");
    const bool in_colors =
        shape.channels == 3 && !has_alpha && (type == PixelType::u8 || type == PixelType::u16);
    if (shape.channels != 1 && !in_colors)
        throw UnsupportedFormat(
            "render: volumes have one channel, or red, green and blue of 8 or "
            "16 bits; this one has " +
            std::to_string(shape.channels) + " channels of " + std::string(pixel_type_name(type)));
    return shape;
}

}  // namespace

class Renderer::Implementation {
  public:
    template <class T>
    Implementation(const PixelSource<T>& volume, Queue& queue, int level)
        : queue_(queue),
          placement_(volume.geometry,
                     checked(volume.shape(), pixel_type_of<T>(), volume.has_alpha)),
          shape_(volume.shape()),
          values_(statistics_of(volume)),
          scale_(scale_of(values_)) {
        upload_from_level(volume, level);
        placement_ = placement_.at(level_);
        prepare();
    }
    Implementation(std::shared_ptr<const BrickSource> source, Queue& queue,
                   const BrickOptions& options)
        : queue_(queue),
          placement_(source->facts().geometries.front(),
                     checked(source->facts().levels.front(), source->facts().type,
                             source->facts().has_alpha)),
          shape_(source->facts().levels.front()),
          values_(statistics_of(*source)),
          scale_(scale_of(values_)),
          asked_level_(options.level),
          whole_(placement_) {
        check_level(options.level.value_or(0));
        if (shape_.channels == 3 && source->facts().scaling.needed())
            throw UnsupportedFormat("render: colors have no scaling");
        pool_ = std::make_unique<BrickPool>(std::move(source), queue, options.max_bytes, values_,
                                            bricks_);
        level_ = options.level.value_or(coarsest_level);
        pool_->require(level_);
        prepare();
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
        if (pool_)
            throw InvalidArgument(
                "render: labels are shown in volumes that are in memory, not in bricks");
        LabelNumbers numbers(colors);
        labels_ = label_bricks_of(numbers.of(labels, level_), bricks_, queue_);
        label_numbers_ = std::move(numbers);
        upload(label_numbers_->colors(), label_colors_, "colors of labels");
    }
    void update_labels(const LabelView& labels, const std::vector<LabelColor>& colors,
                       const VoxelBox& box) {
        const std::array lengths{shape_.x, shape_.y, shape_.z};
        for (std::size_t a = 0; a < 3; ++a)
            if (box.begin[a] < 0 || box.length(a) < 0 || box.end[a] > lengths[a])
                throw InvalidArgument("render: the box of labels is not within the volume");
        if (!label_numbers_ || !(labels.shape() == Shape{shape_.x, shape_.y, shape_.z}) ||
            !label_numbers_->replace_colors(colors))
            return set_labels(labels, colors);
        upload(label_numbers_->colors(), label_colors_, "colors of labels");
        if (box.length(0) == 0 || box.length(1) == 0 || box.length(2) == 0) return;
        update_label_bricks(labels_, label_numbers_->of(labels, level_, box), at_level(box, level_),
                            label_numbers_->visible(), bricks_, queue_);
    }
    void clear_labels() {
        labels_ = no_labels(queue_);
        label_numbers_.reset();
    }

    Camera camera(CameraView view, double view_angle) const {
        return camera_of(view, placement_.middle, placement_.radius, view_angle);
    }
    std::array<Vector3, 8> corners() const { return placement_.corners; }
    int level() const { return level_; }
    bool in_colors() const { return shape_.channels == 3; }
    std::array<double, 2> value_range() const {
        return {values_.percentile_1, values_.percentile_99};
    }

    void draw(const Camera& camera, const RenderSettings& settings, const Progress& progress) {
        if (label_numbers_ &&
            (settings.mode == RenderMode::mip || settings.mode == RenderMode::average))
            throw InvalidArgument(
                "render: labels are shown by the modes composite, as tint, and "
                "isosurface, as surfaces");
        mode_ = settings.mode;
        if (settings.focus && !pool_)
            throw InvalidArgument(
                "render: --focus is of volumes in bricks: give a .tvol or an OME-Zarr, without "
                "labels");
        if (pool_) {
            pool_->counts() = {.damaged = std::move(pool_->counts().damaged)};
            take_levels(levels_of_pixels(
                camera, settings, asked_level_, shape_, *whole_,
                [this](int level) { pool_->require(level); }, progress));
        }
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
        if (label_numbers_)
            hit.label = label_numbers_->name(static_cast<std::size_t>(probed(behind)[1]));
        return hit;
    }

    Image<float> colors() {
        auto colors = Image<float>::unwritten({view_.width, view_.height, 1, 1, 4});
        queue_.read(pixels_, std::span(colors.pixels()));
        return colors;
    }

    BrickCounts counts() const { return pool_ ? pool_->counts() : BrickCounts{}; }

  private:
    static void check_level(int level) {
        if (level < 0 || level > coarsest_level)
            throw InvalidArgument("render: the level must be from 0 to " +
                                  std::to_string(coarsest_level));
    }
    void prepare() {
        for (auto& map : distance_map_)
            map = queue_.allocate<std::uint8_t>(bricks_.blocks(), "distance map");
        labels_ = no_labels(queue_);
        label_colors_ = queue_.allocate_filled<float>(4, 0, "colors of labels");
    }

    void take_levels(const LevelChoice& choice) {
        pool_->set_level(choice.level, choice.coarser);
        if (pool_->takes_new_ranges()) distance_map_matches_tables_ = false;
        level_ = choice.level;
        placement_ = whole_->at(level_);
        if (distance_map_.front().size() != bricks_.blocks()) prepare();
    }

    // The finest level, from `level` on, that fits.
    template <class T>
    void upload_from_level(const PixelSource<T>& volume, int level) {
        check_level(level);
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
        if (pool_) pool_->load(std::array{brick_at(voxel, bricks_.grid)}, {});
        Buffer<float> found = queue_.allocate<float>(2, "probed value");
        const std::int32_t shown_as = !label_numbers_                   ? kernels::render_no_labels
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

    // Calls `launch` with the groups of bands of rows of a tile; between bands the job can be
    // cancelled.
    template <class Launch>
    void in_bands(const PictureTile& tile, const Progress& progress, const Launch& launch) {
        const std::int64_t bands = prefers_groups(queue_.device()) ? 1 : 16;
        const std::int64_t rows = (tile.length(1) + group_side - 1) / group_side;
        const std::int64_t columns = (tile.length(0) + group_side - 1) / group_side;
        const std::int64_t band = (rows + bands - 1) / bands;
        view_.first_column = static_cast<std::int32_t>(tile.begin[0]);
        for (std::int64_t first = 0; first < rows; first += band) {
            view_.first_row = static_cast<std::int32_t>(tile.begin[1] + first * group_side);
            launch(Groups{columns, std::min(band, rows - first), 1});
            progress.report(static_cast<double>(std::min(first + band, rows)) / double(rows),
                            "render");
        }
    }

    // The whole picture, or, of a volume whose bricks come and go, tiles of it. `wanted` has a flag
    // for each brick.
    template <class Launch>
    void cast(const Progress& progress, const std::vector<std::uint8_t>& wanted,
              const Launch& launch) {
        const PictureTile whole{{0, 0}, {view_.width, view_.height}};
        if (!pool_) return in_bands(whole, progress, launch);
        const auto cast_tile = [&](const PictureTile& tile, const Progress& part) {
            if (pool_->takes_new_ranges() && mark_) measure_distances();
            in_bands(tile, part, launch);
        };
        const Sight sight(view_, grid_, placement_);
        pool_->in_tiles(sight, whole, sight.bricks(wanted), cast_tile, progress);
    }
    // Bricks with a block that is at most as far from a visible one; all without skipping.
    std::vector<std::uint8_t> wanted(const RenderSettings& settings, int distance) {
        if (!pool_) return {};
        pool_->counts().blocks = bricks_.blocks();
        if (!settings.skipping || distance >= kernels::render_max_skip)
            return std::vector<std::uint8_t>(static_cast<std::size_t>(bricks_.bricks()), 1);
        const std::vector<std::uint8_t> distances = queue_.download(distance_map_.back());
        pool_->counts().skipped_blocks = std::count_if(
            distances.begin(), distances.end(), [](std::uint8_t blocks) { return blocks > 0; });
        return bricks_near(distances, distance, bricks_.grid);
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
    std::uint32_t visible_labels() const { return label_numbers_ ? label_numbers_->visible() : 0; }
    float table_scale() const { return static_cast<float>(scale_.nodes_per_value); }
    float table_offset() const {
        return static_cast<float>((bricks_.value_offset - scale_.lowest) * scale_.nodes_per_value);
    }

    kernels::render_style style_of(const RenderSettings& settings) const {
        kernels::render_style style{};
        style.flags = (settings.shading ? kernels::render_shaded : 0) |
                      (settings.skipping ? kernels::render_skips : 0) |
                      (label_numbers_ ? kernels::render_has_labels : 0);
        style.visible_labels = visible_labels();
        style.table_scale = table_scale();
        style.table_offset = table_offset();
        style.ambient = 0.25f;
        style.diffuse = 0.7f;
        style.specular = 0.15f;
        return style;
    }

    // From marks of empty blocks in the first of `distance_map_` to distances in the last.
    void measure_distances() {
        mark_();
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
        use_tables(by_gradient || label_numbers_ ? Opacity::corrected : Opacity::of_step,
                   values_.percentile_99);
        if (by_gradient) style.flags |= kernels::render_has_gradient_opacity;
        style.gradient_scale = static_cast<float>(gradient_scale_);
        style.visible_above = visible_above_;
        mark_ = [this] {
            queue_.launch(kernels::render_mark_empty, Range{bricks_.blocks()}, bricks_.ranges,
                          visible_below_, table_scale(), table_offset(), distance_map_.front());
        };
        if (!distance_map_matches_tables_) measure_distances();
        distance_map_matches_tables_ = true;
        cast(progress, wanted(settings, 0),
             [&](const Groups& groups) { cast_composite(cast_of(style), groups); });
    }

    void draw_projection(const RenderSettings& settings, const Progress& progress) {
        const bool takes_mean = settings.mode == RenderMode::average;
        use_tables(Opacity::as_is, takes_mean ? values_.percentile_99 : values_.highest);
        const kernels::render_style style = style_of(settings);
        mark_ = {};
        cast(progress, wanted(settings, kernels::render_max_skip),
             [&](const Groups& groups) { cast_projection(cast_of(style), groups, takes_mean); });
    }

    void draw_surfaces(const RenderSettings& settings, const Progress& progress) {
        kernels::render_style style = style_of(settings);
        if (settings.isovalues.empty() && !label_numbers_)
            throw InvalidArgument(
                "render: the mode isosurface needs isovalues or labels: give "
                "--iso V or --labels FILE");
        add_surfaces(settings.isovalues, has_transfer_ ? &transfer_ : nullptr, bricks_.value_offset,
                     style);
        mark_ = [this, style] {
            queue_.launch(kernels::render_mark_without_surface, Range{bricks_.blocks()},
                          bricks_.ranges, labels_.ranges, std::int32_t{label_numbers_.has_value()},
                          style, distance_map_.front());
        };
        measure_distances();
        distance_map_matches_tables_ = false;
        if (label_numbers_) add_shares(labels_, visible_labels(), bricks_, queue_);
        // Samples before and after visible blocks are compared with theirs.
        cast(progress, wanted(settings, 1),
             [&](const Groups& groups) { cast_surfaces(cast_of(style), groups); });
    }

    Queue& queue_;
    Placement placement_;  // of the level
    Shape shape_;          // of the volume
    ValueStatistics values_;
    ValueScale scale_;
    int level_ = 0;  // that is kept
    Bricks bricks_;

    // Of a volume whose bricks come and go.
    std::unique_ptr<BrickPool> pool_;
    std::optional<int> asked_level_ = {};  // nothing: that of the pixels
    std::optional<Placement> whole_ = {};  // of level 0

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
    std::function<void()> mark_;  // of the mode of the frame, into the first of them
    bool distance_map_matches_tables_ = false;

    std::optional<LabelNumbers> label_numbers_;  // in the pool; nothing: without labels
    LabelBricks labels_;
    Buffer<float> label_colors_;

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
Renderer::Renderer(std::shared_ptr<const BrickSource> volume, Queue& queue,
                   const BrickOptions& options)
    : implementation_(std::make_unique<Implementation>(std::move(volume), queue, options)) {}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;

void Renderer::set_transfer(const TransferFunction& transfer) {
    implementation_->set_transfer(transfer);
}
void Renderer::clear_transfer() { implementation_->clear_transfer(); }
void Renderer::set_labels(const LabelView& labels, const std::vector<LabelColor>& colors) {
    implementation_->set_labels(labels, colors);
}
void Renderer::update_labels(const LabelView& labels, const std::vector<LabelColor>& colors,
                             const VoxelBox& box) {
    implementation_->update_labels(labels, colors, box);
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
bool Renderer::in_colors() const { return implementation_->in_colors(); }
BrickCounts Renderer::counts() const { return implementation_->counts(); }
std::optional<RenderHit> Renderer::hit(std::int64_t x, std::int64_t y) {
    return implementation_->hit(x, y);
}

}  // namespace tesela
