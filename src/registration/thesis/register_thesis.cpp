// From two sections to a polynomial: a rigid start, windows, matches on several devices, a fit.
#include "tesela/register_thesis.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>
#include <utility>

#include "core/stages.h"
#include "core/threads.h"
#include "registration/compared_slide.h"
#include "registration/read_ahead.h"
#include "registration/slide_tiles.h"
#include "registration/thesis/gray_matcher.h"
#include "tesela/register_slides.h"

namespace tesela {
namespace {

constexpr std::int64_t least_regions = 10;  // of a section: fewer do not vote reliably

// A window of the fixed section that is looked for, and which match it becomes.
struct Wanted {
    std::int64_t tile = 0;
    std::size_t match = 0;
    SpacePoint fixed{}, expected{};  // its middle, and where the rigid start has it, in points
};

class ThesisRegistrar {
  public:
    ThesisRegistrar(const TileSource& fixed, const TileSource& moving,
                    const ThesisRegisterOptions& options, std::span<Queue* const> queues,
                    int threads)
        : fixed_source_(fixed),
          moving_source_(moving),
          options_(options),
          queues_(queues),
          threads_(threads),
          sizes_(thesis_windows(options)),
          fixed_grid_(slide_grid(fixed)),
          moving_grid_(slide_grid(moving)),
          pixel_(std::min(pixel_sides(fixed_grid_)[0], pixel_sides(fixed_grid_)[1])),
          tiles_(fixed_grid_, pixel_, sizes_.window) {
        require_same_unit(fixed_grid_, moving_grid_);
    }

    ThesisRegistration run(const Progress& progress) {
        StageClock clock;
        clock.start("rigid");
        progress.report(0, "rigid");
        find_rigid(progress.part(0, 0.3));
        clock.start("variance");
        const std::vector<std::int64_t> kept = kept_tiles(progress.part(0.3, 0.4));
        clock.start("match");
        match(kept, progress.part(0.4, 1));
        clock.start("fit");
        fit();
        result_.stages = clock.take();
        progress.report(1, "done");
        return std::move(result_);
    }

  private:
    void find_rigid(const Progress& progress) {
        const AnyImage fixed = slide_picture(fixed_source_, options_.thumbnail);
        const AnyImage moving = slide_picture(moving_source_, options_.thumbnail);
        Queue& queue = *queues_.front();
        const std::vector<ThesisRegion> here = thesis_regions(fixed, queue);
        const std::vector<ThesisRegion> there = thesis_regions(moving, queue);
        result_.fixed_regions = std::ssize(here);
        result_.moving_regions = std::ssize(there);
        progress.throw_if_cancelled();
        std::optional<ThesisVote> vote;
        if (std::min(here.size(), there.size()) >= static_cast<std::size_t>(least_regions))
            vote = thesis_vote(here, there, longer_side());
        result_.is_voted = vote.has_value();
        if (vote) {
            result_.rigid = vote->map;
            result_.votes = vote->votes;
        } else {
            result_.rigid = searched(fixed, moving, queue, progress);
        }
        queue.trim();  // the memory is for windows
        fixed_.emplace("fixed", fixed_source_, placement(fixed_grid_),
                       GraySteps(RegistrationChannel::gray, fixed));
        moving_.emplace("moving", moving_source_, placement(moving_grid_),
                        GraySteps(RegistrationChannel::gray, moving));
    }

    LinearMap searched(const AnyImage& fixed, const AnyImage& moving, Queue& queue,
                       const Progress& progress) {
        RegistrationOptions options;
        options.model = RegistrationModel::rigid;
        options.mirror = MirrorChoice::no;
        options.channel = RegistrationChannel::gray;
        options.accept_poor = true;
        const RegistrationResult found =
            register_images(fixed, moving, options, queue, {}, progress);
        if (!found.is_match) result_.warnings.push_back(mismatch_text(found));
        return std::get<LinearMap>(found.transform.steps.front());
    }

    double longer_side() const {
        return pixel_ * static_cast<double>(std::max(fixed_grid_.shape.x, fixed_grid_.shape.y));
    }

    std::vector<std::int64_t> kept_tiles(const Progress& progress) {
        const auto side = static_cast<double>(sizes_.window);
        const std::vector<double> contrasts = fixed_->contrasts(
            tiles_.size, {side * tiles_.step[0], side * tiles_.step[1]}, threads_, progress);
        std::vector<std::int64_t> kept;
        for (std::int64_t tile = 0; tile < tiles_.count(); ++tile)
            if (contrasts[static_cast<std::size_t>(tile)] >= options_.contrast)
                kept.push_back(tile);
        result_.tiles = tiles_.count();
        return kept;
    }

    // Upper rows to the first queue, or tile by tile in turn.
    std::size_t queue_of(std::int64_t tile) const {
        const std::int64_t count = std::ssize(queues_);
        if (options_.sharing == ThesisSharing::cyclic)
            return static_cast<std::size_t>(tile % count);
        const std::int64_t row = tile / tiles_.size[0];
        return static_cast<std::size_t>(((row + 1) * count - 1) / tiles_.size[1]);
    }

    void match(const std::vector<std::int64_t>& kept, const Progress& progress) {
        result_.shares.resize(queues_.size());
        for (std::size_t i = 0; i < queues_.size(); ++i)
            result_.shares[i].device = queues_[i]->device().id();
        for (std::int64_t tile = 0; tile < tiles_.count(); ++tile)
            ++result_.shares[queue_of(tile)].tested;
        std::vector<std::vector<Wanted>> wanted(queues_.size());
        std::int64_t inside = 0;
        for (const std::int64_t tile : kept) {
            const std::size_t share = queue_of(tile);
            ++result_.shares[share].processed;
            const SpacePoint fixed = tiles_.placed(tiles_.middle(tile));
            const Wanted own{tile, result_.matches.size(), fixed, result_.rigid(fixed)};
            result_.matches.push_back({.fixed = tiles_.in_level_0(tiles_.middle(tile)),
                                       .moving = in_moving(own.expected),
                                       .state = ThesisMatchState::outside});
            if (!lies_in_moving(result_.matches.back().moving)) continue;
            wanted[share].push_back(own);
            ++inside;
        }
        // Batches of one size, whatever the shares are, so that all windows take the same
        // transforms.
        const std::int64_t batch = std::min(gray_batch(sizes_, queues_.front()->device()),
                                            std::max<std::int64_t>(inside, 1));
        const auto count = static_cast<int>(queues_.size());
        // Told of by the caller's thread alone.
        std::atomic<std::int64_t> matched{0};
        const auto caller = std::this_thread::get_id();
        const auto batch_done = [&](std::int64_t windows) {
            const std::int64_t all = matched += windows;
            if (std::this_thread::get_id() == caller)
                progress.report(static_cast<double>(all) / static_cast<double>(inside), "match");
        };
        detail::for_each_index(count, count, [&](std::int64_t i) {
            const auto share = static_cast<std::size_t>(i);
            const auto begin = detail::Clock::now();
            detail::naming(result_.shares[share].device, count > 1, [&] {
                match_share(*queues_[share], wanted[share], batch, Progress({}, progress.token()),
                            batch_done);
            });
            result_.shares[share].seconds = detail::seconds_since(begin);
        });
    }

    using Boxes = std::pair<WindowBoxes, WindowBoxes>;

    void match_share(Queue& queue, const std::vector<Wanted>& wanted, std::int64_t batch,
                     const Progress& progress,
                     const std::function<void(std::int64_t)>& batch_done) {
        for_each_batch(
            std::ssize(wanted), batch, progress,
            [&](std::int64_t first, std::int64_t many) {
                std::vector<Wanted> chosen(wanted.begin() + first, wanted.begin() + first + many);
                chosen.resize(static_cast<std::size_t>(batch), chosen.back());
                return boxes_of(chosen);
            },
            [&](std::int64_t first, const Boxes& boxes) {
                const std::vector<GrayPeak> peaks =
                    gray_peaks(queue, sizes_, boxes.first, boxes.second);
                const auto at = static_cast<std::size_t>(first);
                for (std::size_t i = 0; i < peaks.size() && at + i < wanted.size(); ++i)
                    take(wanted[at + i], peaks[i]);
                batch_done(std::min(batch, std::ssize(wanted) - first));
            });
    }

    // Shifts before the place where the window is expected.
    std::int64_t before() const { return (sizes_.search - sizes_.window) / 2; }
    double middle() const { return static_cast<double>(sizes_.window - 1) / 2; }

    // Windows of the fixed section are turned, so that only a shift is left.
    Boxes boxes_of(const std::vector<Wanted>& chosen) const {
        std::vector<ComparedSlide::ToPoints> fixed, moving;
        const SpaceMatrix& turn = result_.rigid.matrix;
        for (const Wanted& wanted : chosen) {
            fixed.push_back([this, &turn, at = wanted.fixed](const SpacePoint& pixel) {
                const double x = (pixel[0] - middle()) * pixel_;
                const double y = (pixel[1] - middle()) * pixel_;
                return SpacePoint{at[0] + turn[0] * x + turn[3] * y,
                                  at[1] + turn[1] * x + turn[4] * y, 0};
            });
            const double first = middle() + static_cast<double>(before());
            moving.push_back([this, first, at = wanted.expected](const SpacePoint& pixel) {
                return SpacePoint{at[0] + (pixel[0] - first) * pixel_,
                                  at[1] + (pixel[1] - first) * pixel_, 0};
            });
        }
        const double area = pixel_ * pixel_;
        const int threads =
            std::max(1, detail::threads_or_all(threads_) / static_cast<int>(queues_.size()));
        return {
            fixed_->read(fixed_->sampling(area), whole_windows(sizes_.window), fixed, threads),
            moving_->read(moving_->sampling(area), whole_windows(sizes_.search), moving, threads)};
    }

    void take(const Wanted& wanted, const GrayPeak& peak) {
        ThesisMatch& match = result_.matches[wanted.match];
        match.moving =
            in_moving({wanted.expected[0] + static_cast<double>(peak.x - before()) * pixel_,
                       wanted.expected[1] + static_cast<double>(peak.y - before()) * pixel_, 0});
        match.score = peak.score;
        match.state =
            peak.score >= options_.threshold ? ThesisMatchState::accepted : ThesisMatchState::low;
    }

    std::array<double, 2> in_moving(const SpacePoint& point) const {
        const SpacePoint pixel = moving_->placed().inverse()(point);
        return {pixel[0], pixel[1]};
    }
    bool lies_in_moving(const std::array<double, 2>& at) const {
        const Shape& shape = moving_grid_.shape;
        return at[0] >= -0.5 && at[1] >= -0.5 && at[0] <= static_cast<double>(shape.x) - 0.5 &&
               at[1] <= static_cast<double>(shape.y) - 0.5;
    }

    void fit() {
        result_.transform = {.dimensions = 2,
                             .unit = point_unit(fixed_grid_),
                             .steps = {result_.rigid},
                             .fixed = fixed_grid_,
                             .moving = moving_grid_};
        std::vector<SpacePoint> from, to;
        std::vector<ThesisMatch*> accepted;
        for (ThesisMatch& match : result_.matches) {
            if (match.state != ThesisMatchState::accepted) continue;
            accepted.push_back(&match);
            from.push_back(fixed_->placed()({match.fixed[0], match.fixed[1], 0}));
            to.push_back(moving_->placed()({match.moving[0], match.moving[1], 0}));
        }
        const std::optional<ThesisFit> fit = fit_thesis_polynomial(from, to, pixel_ / 4);
        if (!fit) {
            result_.warnings.push_back(
                std::to_string(accepted.size()) + " of " + std::to_string(result_.matches.size()) +
                " windows match, which determine no polynomial: the transform is the rigid start");
            return;
        }
        for (std::size_t i = 0; i < accepted.size(); ++i)
            if (fit->is_outlier[i]) accepted[i]->state = ThesisMatchState::outlier;
        result_.polynomial = fit->polynomial;
        result_.deviation = fit->deviation;
        result_.transform =
            thesis_transform(fit->polynomial, result_.rigid, fixed_grid_, moving_grid_);
    }

    const TileSource &fixed_source_, &moving_source_;
    const ThesisRegisterOptions& options_;
    std::span<Queue* const> queues_;
    int threads_;
    ThesisWindows sizes_;
    ImageGrid fixed_grid_, moving_grid_;
    double pixel_;  // of windows, in points
    SlideTiles tiles_;
    std::optional<ComparedSlide> fixed_, moving_;
    ThesisRegistration result_;
};

}  // namespace

ThesisWindows thesis_windows(const ThesisRegisterOptions& options) {
    return {options.window, options.search > 0 ? options.search : 2 * options.window};
}

std::int64_t ThesisRegistration::accepted() const {
    return std::count_if(matches.begin(), matches.end(), [](const ThesisMatch& match) {
        return match.state == ThesisMatchState::accepted;
    });
}

double ThesisRegistration::imbalance() const {
    const auto [fewest, most] =
        std::minmax_element(shares.begin(), shares.end(),
                            [](const auto& a, const auto& b) { return a.processed < b.processed; });
    if (fewest == shares.end() || most->processed == 0) return 0;
    return 1 - static_cast<double>(fewest->processed) / static_cast<double>(most->processed);
}

ThesisRegistration register_thesis(const TileSource& fixed, const TileSource& moving,
                                   const ThesisRegisterOptions& options,
                                   std::span<Queue* const> queues, int threads,
                                   const Progress& progress) {
    validate_options(options);
    if (queues.empty()) throw InvalidArgument("sections are registered on at least one queue");
    const ThesisWindows sizes = thesis_windows(options);
    if (sizes.search < sizes.window)
        throw InvalidArgument("--search: windows of " + std::to_string(sizes.window) +
                              " pixels are not found in windows of " +
                              std::to_string(sizes.search));
    return ThesisRegistrar(fixed, moving, options, queues, threads).run(progress);
}

ThesisRegisterBytes thesis_register_bytes(const TileSource& fixed, const TileSource& moving,
                                          const ThesisRegisterOptions& options,
                                          const Device& device, int queues) {
    const auto small = [&](const TileSource& slide) {
        const Shape& full = slide.facts().levels.front().shape;
        const double scale =
            std::min(1.0, options.thumbnail / static_cast<double>(std::max(full.x, full.y)));
        return static_cast<std::int64_t>(scale * scale * static_cast<double>(full.x * full.y)) + 1;
    };
    const ThesisWindows sizes = thesis_windows(options);
    // Boxes around turned windows, of this batch and the next.
    const std::int64_t boxes = 2 * 2 * gray_batch(sizes, device) *
                               (sizes.search * sizes.search + 2 * sizes.window * sizes.window);
    const std::int64_t pictures = std::max(small(fixed), small(moving));
    constexpr std::int64_t dense = 4 * (8 + 5 * 3);  // as of registration_device_bytes
    return {std::max(dense * pictures, queues * gray_device_bytes(sizes, device)),
            queues * (boxes + 2 * 2 * ComparedSlide::held) + 16 * pictures};
}

}  // namespace tesela
