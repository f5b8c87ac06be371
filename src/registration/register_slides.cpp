// From two slides to a transform: thumbnails, then windows from coarse to fine resolutions.
#include "tesela/register_slides.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/threads.h"
#include "registration/compared_slide.h"
#include "registration/fit_matches.h"
#include "registration/read_ahead.h"
#include "registration/register_pair.h"
#include "registration/slide_tiles.h"

namespace tesela {
namespace {

constexpr double least_lead = 0.03;    // of a score over that of the next place
constexpr double most_way_back = 1.5;  // pixels of a window
// Of windows: where fewer match, those that do may do so by chance.
constexpr std::int64_t least_matches = 12;
constexpr double least_share = 0.25;
constexpr double match_stiffness = 200;  // of the fit, at a stiffness of 1
constexpr double least_determinant = 0.1;
constexpr double factor = 4;    // between resolutions
constexpr double outlying = 4;  // deviations
constexpr double turned = 1.5;  // side of the box around a window that is turned by 45 degrees
constexpr double areas = 4;  // of windows, that the boxes of a batch have for each of its windows

// Whether a mask leaves out what lies at a pixel of level 0 of its slide. It may be smaller.
bool is_masked(const std::optional<AnyImage>& mask, const ImageGrid& grid,
               const std::array<double, 2>& at) {
    if (!mask) return false;
    const auto along = [](double pixel, std::int64_t full, std::int64_t small) {
        const double share = (pixel + 0.5) / static_cast<double>(full);
        return std::clamp<std::int64_t>(
            static_cast<std::int64_t>(share * static_cast<double>(small)), 0, small - 1);
    };
    const std::int64_t x = along(at[0], grid.shape.x, shape_of(*mask).x);
    const std::int64_t y = along(at[1], grid.shape.y, shape_of(*mask).y);
    return std::visit([&](const auto& pixels) { return pixels(x, y) == 0; }, *mask);
}

std::optional<AnyImage> small_mask(const TileSource* mask, const TileSource& slide,
                                   std::int64_t longest, const char* which) {
    if (!mask) return {};
    const Shape own = slide_grid(*mask).shape, wanted = slide_grid(slide).shape;
    if (own.x != wanted.x || own.y != wanted.y)
        throw InvalidArgument(std::string("the ") + which +
                              " image: its mask has another size: give one mask pixel for each of "
                              "its pixels");
    return thumbnail(*mask, longest);
}

class SlideRegistrar {
  public:
    SlideRegistrar(const TileSource& fixed, const TileSource& moving,
                   const SlideRegistrationOptions& options, Queue& queue, int threads)
        : fixed_source_(fixed),
          moving_source_(moving),
          options_(options),
          queue_(queue),
          threads_(threads),
          sizes_{options.window, options.search},
          fixed_grid_(slide_grid(fixed)),
          moving_grid_(slide_grid(moving)) {}

    SlideRegistration run(const SlideStart& start, const Progress& progress) {
        register_thumbnails(start, progress.part(0, 0.4));
        const bool is_spline = std::holds_alternative<SplineMap>(result_.transform.steps.front());
        if (is_spline && (result_.is_match || start.refine_poor)) {
            const std::vector<double> pixels = resolutions();
            double begin = 0.4;
            for (const double pixel : pixels) {
                const double end = begin + 0.6 / static_cast<double>(pixels.size());
                match(pixel, progress.part(begin, end));
                refine(pixel, pixel == pixels.back(), progress);
                begin = end;
            }
        }
        for (StageTime& stage : clock_.take()) result_.stages.push_back(std::move(stage));
        return std::move(result_);
    }

  private:
    using Samplings = std::pair<ComparedSlide::Sampling, ComparedSlide::Sampling>;

    // The length of a pixel in points that the user asked for; nothing: the finest one.
    std::optional<double> wanted_pixel() const {
        if (!options_.resolution) return {};
        if (!options_.resolution->physical())
            return options_.resolution->value * shortest(fixed_grid_);
        if (!fixed_grid_.geometry.known())
            throw InvalidArgument(
                "the fixed image: its pixels have no physical size: give --resolution in px");
        return options_.resolution->millimeters();
    }
    static double shortest(const ImageGrid& grid) {
        const std::array<double, 2> sides = pixel_sides(grid);
        return std::min(sides[0], sides[1]);
    }

    void register_thumbnails(const SlideStart& start, const Progress& progress) {
        clock_.start("thumbnails");
        progress.report(0, "thumbnails");
        const std::int64_t longest = options_.thumbnail;
        const auto fixed_mask = small_mask(start.fixed_mask, fixed_source_, longest, "fixed");
        const auto moving_mask = small_mask(start.moving_mask, moving_source_, longest, "moving");
        const AnyImage fixed = slide_picture(fixed_source_, longest);
        const AnyImage moving = slide_picture(moving_source_, longest);
        require_same_unit(fixed_grid_, moving_grid_);
        small_pixel_ = std::max(shortest(grid_of(AnyImageView(fixed))),
                                shortest(grid_of(AnyImageView(moving))));
        RegistrationOptions options = options_;
        const std::optional<double> wanted = wanted_pixel();
        options.resolution = {};
        if (wanted && *wanted > small_pixel_)
            options.resolution = Length(*wanted, Length::In::millimeter);
        RegistrationStart starts{.initial = start.initial};
        if (fixed_mask) starts.fixed_mask = *fixed_mask;
        if (moving_mask) starts.moving_mask = *moving_mask;
        std::optional<Transform> initial;
        if (start.initial) {
            require_initial(*start.initial, fixed_grid_, moving_grid_);
            initial = *start.initial;
            // Pixels of slides without spacing are millimeters of their thumbnails.
            initial->unit = Unit::millimeter;
            starts.initial = &*initial;
        }
        clock_.finish();
        static_cast<RegistrationResult&>(result_) =
            register_images(fixed, moving, options, queue_, starts, progress);
        result_.transform.unit = point_unit(fixed_grid_);
        result_.transform.fixed = fixed_grid_;
        result_.transform.moving = moving_grid_;
        queue_.trim();  // the memory is for tiles
        fixed_mask_ = fixed_mask;
        moving_mask_ = moving_mask;
        fixed_.emplace("fixed", fixed_source_, placement(fixed_grid_),
                       GraySteps(options_.channel, fixed));
        moving_.emplace("moving", moving_source_, placement(moving_grid_),
                        GraySteps(options_.channel, moving));
    }

    // Lengths of pixels from coarse to fine. The thumbnails have done those above half of theirs.
    std::vector<double> resolutions() const {
        const double finest = std::max(wanted_pixel().value_or(0),
                                       std::max(shortest(fixed_grid_), shortest(moving_grid_)));
        constexpr double enough = 0.75;
        std::vector<double> pixels;
        if (finest > enough * small_pixel_) return pixels;
        for (double pixel = finest; pixel == finest || pixel <= small_pixel_ / 2; pixel *= factor)
            pixels.insert(pixels.begin(), pixel);
        return pixels;
    }

    SplineMap& spline() { return std::get<SplineMap>(result_.transform.steps.front()); }

    // Tiles beyond the moving slide are not: they are reported as such.
    bool is_left_out(const SlideTiles& tiles, std::int64_t tile) const {
        const SpacePoint middle = tiles.middle(tile);
        if (is_masked(fixed_mask_, fixed_grid_, tiles.in_level_0(middle))) return true;
        const SpacePoint at = in_moving(tiles.placed(middle));
        return lies_in_moving(at) && is_masked(moving_mask_, moving_grid_, {at[0], at[1]});
    }

    std::vector<std::int64_t> chosen_tiles(const SlideTiles& tiles, const Progress& progress) {
        const double side = static_cast<double>(tiles.side);
        const std::vector<double> contrasts = fixed_->contrasts(
            tiles.size, {side * tiles.step[0], side * tiles.step[1]}, threads_, progress);
        std::vector<std::int64_t> chosen;
        for (std::int64_t tile = 0; tile < tiles.count(); ++tile)
            if (contrasts[static_cast<std::size_t>(tile)] >= options_.contrast &&
                !is_left_out(tiles, tile))
                chosen.push_back(tile);
        result_.tiles = tiles.count();
        result_.kept = std::ssize(chosen);
        return spread_tiles(tiles, std::move(chosen), options_.windows);
    }

    // A point of the fixed slide in pixels of level 0 of the moving one.
    SpacePoint in_moving(const SpacePoint& point) const {
        return moving_->placed().inverse()(result_.transform(point));
    }
    bool lies_in_moving(const SpacePoint& at) const {
        const Shape& shape = moving_grid_.shape;
        return at[0] >= -0.5 && at[1] >= -0.5 && at[0] <= static_cast<double>(shape.x) - 0.5 &&
               at[1] <= static_cast<double>(shape.y) - 0.5;
    }

    // Finds the tiles in the moving slide.
    void match(double pixel, const Progress& progress) {
        clock_.start("match");
        const SlideTiles tiles(fixed_grid_, pixel, options_.window);
        const std::vector<std::int64_t> chosen = chosen_tiles(tiles, progress.part(0, 0.05));
        result_.matches.clear();
        std::vector<std::int64_t> inside;
        for (const std::int64_t tile : chosen) {
            const SpacePoint at = tiles.middle(tile);
            if (lies_in_moving(in_moving(tiles.placed(at))))
                inside.push_back(tile);
            else
                result_.matches.push_back(
                    {.fixed = tiles.in_level_0(at), .state = MatchState::outside});
        }
        if (inside.empty()) return;
        const double area = pixel * pixel;
        const SpacePoint inner = tiles.placed(tiles.middle(inside[inside.size() / 2]));
        const double change = std::abs(determinant(result_.transform.jacobian(inner)));
        const Samplings sampling{fixed_->sampling(area), moving_->sampling(area * change)};
        match_batches(tiles, inside, sampling, progress.part(0.05, 1));
    }

    // Windows at once, fewer where their boxes are large.
    std::int64_t batch_of(const Samplings& sampling) const {
        const std::int64_t most = WindowMatcher::batch(queue_.device());
        const double across = turned * std::max(sampling.first.ratio, sampling.second.ratio);
        return std::clamp(
            static_cast<std::int64_t>(areas * static_cast<double>(most) / (across * across)),
            std::int64_t{1}, most);
    }

    void match_batches(const SlideTiles& tiles, const std::vector<std::int64_t>& inside,
                       const Samplings& sampling, const Progress& progress) {
        const auto count = std::ssize(inside), batch = batch_of(sampling);
        WindowMatcher matcher(queue_, sizes_);
        using Pair = std::pair<WindowBoxes, WindowBoxes>;
        for_each_batch(
            count, batch, progress,
            [&](std::int64_t first, std::int64_t many) {
                return boxes_of(tiles,
                                std::span(inside).subspan(static_cast<std::size_t>(first),
                                                          static_cast<std::size_t>(many)),
                                sampling);
            },
            [&](std::int64_t first, const Pair& boxes) {
                const std::vector<WindowPeak> peaks =
                    matcher.match(matcher.lend(boxes.first), matcher.lend(boxes.second));
                for (std::size_t i = 0; i < peaks.size(); ++i)
                    result_.matches.push_back(
                        described(tiles, inside[static_cast<std::size_t>(first) + i], peaks[i]));
            });
    }

    std::pair<WindowBoxes, WindowBoxes> boxes_of(const SlideTiles& tiles,
                                                 std::span<const std::int64_t> chosen,
                                                 const Samplings& sampling) const {
        std::vector<ComparedSlide::ToPoints> fixed, moving;
        for (const std::int64_t tile : chosen) {
            const SpacePoint middle = tiles.middle(tile);
            const double half = static_cast<double>(sizes_.side() - 1) / 2;
            fixed.push_back([&tiles, middle, half](const SpacePoint& pixel) {
                return tiles.placed({middle[0] - half + pixel[0], middle[1] - half + pixel[1], 0});
            });
            moving.push_back([this, place = fixed.back()](const SpacePoint& pixel) {
                return result_.transform(place(pixel));
            });
        }
        return {fixed_->read(sampling.first, sizes_, fixed, threads_),
                moving_->read(sampling.second, sizes_, moving, threads_)};
    }

    SlideMatch described(const SlideTiles& tiles, std::int64_t tile, const WindowPeak& peak) const {
        const SpacePoint middle = tiles.middle(tile);
        const SpacePoint found =
            in_moving(tiles.placed({middle[0] + peak.x, middle[1] + peak.y, 0}));
        SlideMatch match{.fixed = tiles.in_level_0(middle),
                         .moving = {found[0], found[1]},
                         .shift = {peak.x * tiles.step[0], peak.y * tiles.step[1]},
                         .score = peak.score,
                         .second = peak.second,
                         .way_back = peak.way_back};
        match.state = peak.at_border                          ? MatchState::border
                      : peak.score < options_.score           ? MatchState::low
                      : peak.score - peak.second < least_lead ? MatchState::ambiguous
                      : peak.way_back > most_way_back         ? MatchState::one_way
                                                              : MatchState::accepted;
        return match;
    }

    // What the spline would have to be at the accepted matches.
    MatchedPoint wanted_at(const SlideMatch& match) {
        const LinearMap& placed = fixed_->placed();
        const SpacePoint at = placed({match.fixed[0], match.fixed[1], 0});
        const SpacePoint moved =
            placed({match.fixed[0] + match.shift[0], match.fixed[1] + match.shift[1], 0});
        const SpacePoint mapped = spline()(moved);
        return {at, {mapped[0] - at[0], mapped[1] - at[1], 0}};
    }

    void refine(double pixel, bool is_finest, const Progress& progress) {
        clock_.start("fit");
        std::vector<SlideMatch*> accepted;
        std::vector<MatchedPoint> points;
        for (SlideMatch& match : result_.matches)
            if (match.state == MatchState::accepted) {
                accepted.push_back(&match);
                points.push_back(wanted_at(match));
            }
        const std::int64_t tried = windows_within(result_.matches);
        result_.is_refined =
            std::ssize(points) >= least_matches &&
            static_cast<double>(points.size()) >= least_share * static_cast<double>(tried);
        if (!result_.is_refined) {
            if (is_finest)
                warn_unrefined(std::to_string(points.size()) + " of " + std::to_string(tried) +
                                   " windows match",
                               pixel);
            return;
        }
        double stiffness = options_.stiffness;
        FittedSpline fit = unfolded_fit(points, pixel, stiffness, progress);
        if (!result_.is_refined) {
            warn_unrefined(
                "the spline folds, even with --stiffness " + detail::shown(stiffness) + ",", pixel);
            return;
        }
        if (stiffness > options_.stiffness)
            result_.warnings.push_back("the spline folded and was made stiffer: --stiffness " +
                                       detail::shown(stiffness));
        result_.estimated_error = spread_of_halves(fit.spline, points, pixel, stiffness, progress);
        const double most = outlying * std::max(fit.deviation, pixel / 4);
        for (std::size_t i = 0; i < points.size(); ++i)
            if (distance_to(fit.spline, points[i]) > most) accepted[i]->state = MatchState::outlier;
        spline() = std::move(fit.spline);
    }

    void warn_unrefined(const std::string& reason, double pixel) {
        result_.warnings.push_back(reason + " at a pixel size of " +
                                   detail::shown(pixel / shortest(fixed_grid_)) +
                                   " pixels: the transform is that of the coarser images");
    }

    // Stiffer where it folds; not refined where that does not help.
    FittedSpline unfolded_fit(const std::vector<MatchedPoint>& points, double pixel,
                              double& stiffness, const Progress& progress) {
        const SplineMap start = with_nodes_for(points.size());
        const std::int64_t step = std::max<std::int64_t>(1, fixed_grid_.shape.x / 512);
        constexpr int most_tries = 8;
        for (int attempt = 1;; ++attempt) {
            FittedSpline fit = fitted(start, points, pixel, match_stiffness * stiffness, progress);
            const double least = least_jacobian({.steps = {fit.spline}}, fixed_grid_, step);
            result_.is_refined = least >= least_determinant;
            if (result_.is_refined) result_.least_jacobian = least;
            if (result_.is_refined || attempt == most_tries) return fit;
            stiffness *= 3;
        }
    }

    // Nodes no further apart than matches.
    SplineMap with_nodes_for(std::size_t matches) {
        SplineMap map = spline();
        const auto cells = [&] { return (map.size[0] - 3) * (map.size[1] - 3); };
        while (4 * cells() <= static_cast<std::int64_t>(matches)) map = refined(map);
        return map;
    }

    // From splines that are fitted to every other match each: where their errors are independent,
    // each has twice the variance of the spline of all matches, and their difference four times.
    static double spread_of_halves(const SplineMap& start, const std::vector<MatchedPoint>& points,
                                   double noise, double stiffness, const Progress& progress) {
        const auto of_half = [&](std::size_t first) {
            std::vector<MatchedPoint> half;
            for (std::size_t i = first; i < points.size(); i += 2) half.push_back(points[i]);
            return fitted(start, half, noise, match_stiffness * stiffness, progress).spline;
        };
        const SplineMap even = of_half(0), odd = of_half(1);
        std::vector<double> distances;
        for (const MatchedPoint& point : points) {
            const SpacePoint a = even(point.at), b = odd(point.at);
            distances.push_back(std::hypot(a[0] - b[0], a[1] - b[1]));
        }
        const auto middle = distances.begin() + std::ssize(distances) / 2;
        std::nth_element(distances.begin(), middle, distances.end());
        return *middle / 2;
    }

    const TileSource &fixed_source_, &moving_source_;
    const SlideRegistrationOptions& options_;
    Queue& queue_;
    int threads_;
    WindowSizes sizes_;
    ImageGrid fixed_grid_, moving_grid_;
    double small_pixel_ = 0;  // of the thumbnails
    std::optional<AnyImage> fixed_mask_, moving_mask_;
    std::optional<ComparedSlide> fixed_, moving_;
    StageClock clock_;
    SlideRegistration result_;
};

}  // namespace

std::int64_t windows_within(const std::vector<SlideMatch>& matches) {
    return std::count_if(matches.begin(), matches.end(), [](const SlideMatch& match) {
        return match.state != MatchState::outside;
    });
}

AnyImage slide_picture(const TileSource& slide, std::int64_t longest) {
    AnyImage small = thumbnail(slide, longest);
    Geometry& geometry = geometry_of(small);
    if (geometry.known()) return small;
    const Shape &full = slide.facts().levels.front().shape, &shape = shape_of(small);
    geometry.unit = Unit::millimeter;
    geometry.spacing = {static_cast<double>(full.x) / static_cast<double>(shape.x),
                        static_cast<double>(full.y) / static_cast<double>(shape.y), 1};
    for (std::size_t axis = 0; axis < 2; ++axis)
        geometry.origin[axis] = (geometry.spacing[axis] - 1) / 2;
    return small;
}

SlideRegistration register_slides(const TileSource& fixed, const TileSource& moving,
                                  const SlideRegistrationOptions& options, Queue& queue,
                                  const SlideStart& start, int threads, const Progress& progress) {
    validate_options(options);
    return SlideRegistrar(fixed, moving, options, queue, threads).run(start, progress);
}

SlideRegistrationBytes slide_registration_bytes(const TileSource& fixed, const TileSource& moving,
                                                const SlideRegistrationOptions& options,
                                                const Device& device, int threads) {
    const auto small = [&](const TileSource& slide) {
        const Shape& full = slide.facts().levels.front().shape;
        const std::int64_t side = std::max(full.x, full.y);
        return full.x * full.y * std::min<std::int64_t>(options.thumbnail, side) / side *
               std::min<std::int64_t>(options.thumbnail, side) / side;
    };
    const WindowSizes sizes{options.window, options.search};
    // Boxes of both slides, at least one window of each.
    constexpr double largest = turned * ComparedSlide::Sampling::most_ratio;
    const auto in_batch = static_cast<std::int64_t>(
        std::max(areas * static_cast<double>(WindowMatcher::batch(device)), largest * largest));
    const std::int64_t boxes = 2 * 2 * in_batch * sizes.side() * sizes.side();
    // What each thread has read, and its gray values.
    const auto read = [](const TileSource& slide) {
        const int channels = slide.facts().levels.front().shape.channels;
        return ComparedSlide::held * (channels * pixel_type_bytes(slide.facts().type) + 2);
    };
    const std::int64_t reading =
        detail::threads_or_all(threads) * std::max(read(fixed), read(moving));
    const Shape& full = fixed.facts().levels.front().shape;
    constexpr std::int64_t each_tile = 40;  // sums, contrasts, numbers
    const std::int64_t tiles = full.x / options.window * (full.y / options.window) * each_tile;
    const std::int64_t pictures = std::max(small(fixed), small(moving));
    constexpr std::int64_t dense = 4 * (8 + 5 * 3);  // as of registration_device_bytes
    // The boxes of the next batch are read meanwhile.
    return {std::max(dense * pictures, WindowMatcher::device_bytes(sizes, device) + boxes),
            2 * boxes + reading + tiles + 16 * pictures};
}

}  // namespace tesela
