// Volume rendering by ray casting: compositing, maximum and mean projection, and isosurfaces.
//
// M. Levoy, "Display of surfaces from volume data", IEEE Computer Graphics and Applications 8(3),
// 1988. The model in detail: docs/rendering.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tesela/brick_source.h"
#include "tesela/camera.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"
#include "tesela/transfer_function.h"

namespace tesela {

enum class RenderMode { composite, mip, average, isosurface };
constexpr auto enum_names(RenderMode) {
    return std::array{EnumNames<RenderMode>{RenderMode::composite, "composite"},
                      EnumNames<RenderMode>{RenderMode::mip, "mip"},
                      EnumNames<RenderMode>{RenderMode::average, "average"},
                      EnumNames<RenderMode>{RenderMode::isosurface, "isosurface"}};
}
constexpr auto enum_help(RenderMode) {
    return std::array<std::string_view, 4>{"colors and opacities", "maximum intensity projection",
                                           "mean along the ray", "shaded surfaces of one value"};
}

// Keeps the points with normal . p + offset >= 0, in mm of the physical frame.
struct ClipPlane {
    Vector3 normal{1, 0, 0};
    double offset = 0;
};

// Voxels kept, from `first` to `last` along each axis, both included.
struct ClipBox {
    std::array<double, 3> first{}, last{};
};

struct Background {
    std::array<double, 3> color{};
    bool transparent = false;  // the picture has an alpha channel
};

struct RenderSettings {
    RenderMode mode = RenderMode::composite;
    std::int64_t width = 1024, height = 1024;
    double step = 0.5;  // of the shortest voxel side
    bool shading = true;
    bool skipping = true;  // over blocks that cannot be seen; changes no pixel
    std::vector<double> isovalues = {};
    std::optional<ClipBox> clip_box = {};
    std::vector<ClipPlane> clip_planes = {};
    // Of a volume in bricks: bricks with these voxels have level 0, others at least level 2, or the
    // one that was named.
    std::optional<ClipBox> focus = {};
    Background background = {};
};

// The options of `tesela render`; text where a number is not enough.
struct RenderOptions {
    RenderMode mode = RenderMode::composite;
    std::string size = "1024x1024";
    std::string iso = {};
    std::string level = "auto";
    double step = 0.5;
    double azimuth = 0, elevation = 0, roll = 0, zoom = 1, perspective = 0;
    std::string clip_box = {}, clip_plane = {}, focus = {};
    bool no_shading = false;
    std::string background = "black";
    std::string label_opacity = {};
    std::int32_t turntable = 0;
    double fps = 12;
};

template <class V>
void describe(V&& v, RenderOptions& o) {
    v("mode", o.mode, "how values along a ray become a color");
    v("size", o.size, "width and height of the picture in pixels");
    v("iso", o.iso, "isovalues V,... of the mode isosurface, file units");
    v("level", o.level, "resolution, 0 (finest) to 4; auto: finest that fits");
    v("step", o.step, "distance of samples along a ray",
      OptionRange{.lowest = 0.05, .highest = 16, .unit = "voxel sides"});
    v("azimuth", o.azimuth, "move the camera to the right around the volume",
      OptionRange{.lowest = -3600, .highest = 3600, .unit = "degrees"});
    v("elevation", o.elevation, "move the camera upwards around the volume",
      OptionRange{.lowest = -3600, .highest = 3600, .unit = "degrees"});
    v("roll", o.roll, "turn the picture clockwise",
      OptionRange{.lowest = -3600, .highest = 3600, .unit = "degrees"});
    v("zoom", o.zoom, "magnification", OptionRange{.lowest = 0.001, .highest = 1000});
    v("perspective", o.perspective, "vertical view angle; 0: parallel rays",
      OptionRange{.lowest = 0, .highest = 160, .unit = "degrees"});
    v("clip-box", o.clip_box, "voxels kept, x0,y0,z0,x1,y1,z1");
    v("clip-plane", o.clip_plane, "keep nx x + ny y + nz z + d >= 0: nx,ny,nz,d;...",
      OptionRange{.unit = "mm"});
    v("focus", o.focus, "voxels at full resolution, x0,y0,z0,x1,y1,z1; others coarser");
    v("no-shading", o.no_shading, "leave out the light");
    v("background", o.background, "black, white, gray, #rrggbb or transparent");
    v("label-opacity", o.label_opacity, "opacity by label, LABEL=OPACITY,...; 0 hides it");
    v("turntable", o.turntable, "frames of one turn around the volume; 0: one picture",
      OptionRange{.lowest = 0, .highest = 10000});
    v("fps", o.fps, "frames of a turntable video per second",
      OptionRange{.lowest = 0.1, .highest = 240});
}

// The color of a label; an opacity of 0 hides it. In composited volumes the color replaces that of
// the transfer function, and the opacity multiplies its opacity; as isosurfaces, labels have smooth
// surfaces.
struct LabelColor {
    std::uint32_t label = 0;
    std::array<double, 3> color{};
    double opacity = 1;
};

struct RenderedView {
    Image<std::uint8_t> picture;  // RGB, or RGBA without background
    // Millimeters along the ray, from the eye or from the plane of the camera; NaN where nothing is
    // hit. In composited volumes, to where the transmittance falls to one half.
    Image<float> depth;
};

struct RenderHit {
    Vector3 position{};  // mm, in the physical frame
    Vector3 voxel{};     // of the volume, whose voxels have their centers at whole numbers
    double value = 0;
    std::uint32_t label = 0;
};

// How a renderer keeps a volume in bricks.
struct BrickOptions {
    // Nothing: for each picture the coarsest level of which a voxel is no larger than a pixel where
    // the volume is nearest; steps are in voxels of the level.
    std::optional<int> level = {};
    // Device memory for decoded bricks, those on their way and what is known of blocks; 0: half of
    // what is free.
    std::int64_t max_bytes = 0;
};

// What a renderer of bricks did for its last frame.
struct BrickCounts {
    std::int64_t tiles = 0;                       // of the picture
    std::int64_t pages = 0;                       // bricks of the pool that were filled
    std::int64_t decoded = 0;                     // bricks of the volume that were decoded for them
    std::int64_t blocks = 0, skipped_blocks = 0;  // of 16^3 voxels of the level
    double read_ms = 0, decode_ms = 0, copy_ms = 0;
    // Since the renderer was made: a sentence for each brick that cannot be decoded.
    std::vector<std::string> damaged = {};
};

// Keeps a volume on a queue, which has to outlive it; pixels and labels of the host are not needed
// after the calls that take them. New cameras, transfer functions and labels need no upload of it,
// and a second frame of the same size allocates nothing.
class Renderer {
  public:
    // One channel, or three: red, green, blue of 8 or 16 bits. Level 0 is the volume itself; each
    // further one has half as many voxels along every axis, to 4. The finest level, from `level`
    // on, that fits on the device is kept; steps are in its voxels. Throws UnsupportedFormat (other
    // channels, a time axis), InvalidArgument (the level) and OutOfMemory, where not even level 4
    // fits.
    Renderer(const AnyImageView& volume, Queue& queue, int level = 0);
    // Of a volume that is on the device and need not stay; T is std::uint8_t, std::uint16_t,
    // std::int16_t or float. Gray voxels are read back once, for the percentiles of their values,
    // as are those that coarser levels are made of.
    template <class T>
    Renderer(const DeviceImage<const T>& volume, Queue& queue, int level = 0);
    // Of a volume in bricks, which need not fit into any memory. Bricks are decoded when a picture
    // needs them, on the device where the wavelet codes them. A picture whose bricks do not fit is
    // made in tiles, with the same bits. Bricks that are damaged are named in `counts` and hold the
    // lowest value of the volume. Labels are not shown. Percentiles are of at most 256 bricks.
    // Throws as above, and InvalidArgument (the level).
    explicit Renderer(std::shared_ptr<const BrickSource> volume, Queue& queue,
                      const BrickOptions& options = {});
    ~Renderer();
    Renderer(Renderer&&) noexcept;

    // Without one, gray from the 1st to the 99th percentile. Throws InvalidArgument.
    void set_transfer(const TransferFunction& transfer);
    void clear_transfer();
    // Label 0, and labels without a color, are not shown. Throws InvalidArgument for labels of
    // another size and more than 65534 colors.
    void set_labels(const LabelView& labels, const std::vector<LabelColor>& colors);
    // The same labels but for a box of voxels of the volume: no more than that is read and
    // uploaded. Labels that had no color occur within the box alone; others may have other colors
    // now. Throws as set_labels, and InvalidArgument for a box that is not within the volume.
    void update_labels(const LabelView& labels, const std::vector<LabelColor>& colors,
                       const VoxelBox& box);
    void clear_labels();

    // The camera of a named view; a square picture shows the sphere around the volume.
    Camera camera(CameraView view, double view_angle = 0) const;
    std::array<Vector3, 8> corners() const;  // of the volume, in mm
    // The values that 0 and 1 of a relative transfer function stand for.
    std::array<double, 2> value_range() const;

    // Throws InvalidArgument (camera, settings), OutOfMemory and Cancelled.
    RenderedView render(const Camera& camera, const RenderSettings& settings,
                        const Progress& progress = {});
    // The same, without copying the picture to the host, as for benchmarks.
    void render_only(const Camera& camera, const RenderSettings& settings);
    // The last frame without its background: premultiplied red, green and blue, and opacity.
    Image<float> colors();
    bool in_colors() const;  // red, green and blue
    int level() const;       // that is kept; of bricks that of the last frame
    BrickCounts counts() const;
    // The point seen at a pixel of the last frame; nothing where there is background.
    std::optional<RenderHit> hit(std::int64_t x, std::int64_t y);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

// Where a volume is seen from: a named view, or a camera of one's own.
using CameraChoice = std::variant<CameraView, Camera>;
// The camera turned by the options. At a zoom of 1 a named view shows all of the volume, in each
// frame of the options' turntable; a camera of one's own keeps its height. Throws InvalidArgument
// (camera, options).
Camera camera_of(const Renderer& renderer, const CameraChoice& choice,
                 const RenderOptions& options);

// The preset for a gray volume of which nothing is known: ct-bone where the values are Hounsfield
// units, otherwise mr with a reference length of a share of the diagonal.
TransferFunction default_transfer(const Renderer& renderer);

// One turn around the volume in so many frames, from 1 on, along t; the depth is that of the first.
// Throws as Renderer::render.
RenderedView render_turntable(Renderer& renderer, const Camera& camera,
                              const RenderSettings& settings, std::int32_t frames,
                              const Progress& progress = {});

// All throw InvalidArgument that names the option.
RenderSettings settings_of(const RenderOptions& options);
int level_of(const RenderOptions& options);                       // auto is 0
std::optional<int> fixed_level_of(const RenderOptions& options);  // auto is nothing
// Sets opacities from text such as "1=0.3,4=0". Throws InvalidArgument.
void set_opacities(std::vector<LabelColor>& colors, const std::string& text);

// Upper bound of the device memory for a level of a volume, its labels and a picture of this size.
std::int64_t render_device_bytes(const AnyImageView& volume, bool has_labels, std::int64_t pixels,
                                 int level = 0);
// The same of bricks, for the smallest pool that is of use.
std::int64_t render_bricks_bytes(const BrickSource& volume, std::int64_t pixels,
                                 std::optional<int> level = {});

}  // namespace tesela
