#include "tesela/section_stack.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/fingerprint.h"
#include "registration/image_hash.h"
#include "registration/register_pair.h"
#include "registration/section_canvas.h"
#include "tesela/error.h"
#include "tesela/tile_source.h"

namespace tesela {
namespace {

// Parts of the progress: at the end of the first reading, and of the pairs.
constexpr double read_fraction = 0.05, paired_fraction = 0.9;
constexpr std::size_t apart = 2;  // sections of a pair: neighbors, and neighbors of neighbors
constexpr double least_trust = 0.05, least_weight = 0.05;

std::string named(const SeriesSection& section) { return "section '" + section.name + "'"; }

std::string absent_reference(const SectionOfStack& section) {
    return "--reference " + std::to_string(section.number) + " is " +
           std::string(enum_name(section.state)) + ": " + section.reason;
}

class Stacking {
  public:
    Stacking(const SectionSeries& series, const SectionStackOptions& options, Queue& queue,
             const PairStore& store, const Progress& progress)
        : series_(series),
          options_(options),
          queue_(queue),
          store_(store),
          progress_(progress),
          registration_{.model = options.model,
                        .rotation = options.rotation,
                        .mirror = options.mirror,
                        .channel = options.channel,
                        .resolution = options.resolution,
                        .stiffness = options.stiffness,
                        .nodes = options.nodes,
                        .accept_poor = true} {}

    SectionStack stacked(const std::function<void(const VolumeInputFacts&)>& require) {
        require_series();
        for (std::size_t i = 0; i < series_.size(); ++i) inspect(i);
        require_alike();
        if (require) require(least_volume());
        find_duplicates();
        for (std::size_t i = 0; i < series_.size(); ++i) register_section(i);
        images_.clear();
        place();
        name_absent();
        return std::move(stack_);
    }

  private:
    void require_series() {
        if (series_.size() < 2)
            throw InvalidArgument("a series has at least two sections, and there " +
                                  std::string(series_.empty() ? "is none" : "is one"));
        for (std::size_t i = 1; i < series_.size(); ++i) {
            if (series_[i].number <= series_[i - 1].number)
                throw InvalidArgument(named(series_[i]) + " has the number " +
                                      std::to_string(series_[i].number) + ", behind " +
                                      std::to_string(series_[i - 1].number) + " of '" +
                                      series_[i - 1].name + "': numbers must increase");
            for (std::int64_t n = series_[i - 1].number + 1; n < series_[i].number; ++n) {
                stack_.missing.push_back(n);
                if (stack_.missing.size() > 10 * series_.size())
                    throw InvalidArgument(
                        "the names of the sections have numbers that are far apart, such as " +
                        std::to_string(series_[i - 1].number) + " and " +
                        std::to_string(series_[i].number) +
                        ": give a list of the files in their order");
            }
        }
        if (options_.reference && !reference_section())
            throw InvalidArgument("--reference " + std::to_string(*options_.reference) +
                                  ": no section has this number");
    }

    std::optional<std::size_t> reference_section() const {
        for (std::size_t i = 0; i < series_.size(); ++i)
            if (options_.reference == series_[i].number) return i;
        return {};
    }

    AnyImage read(std::size_t i) const {
        AnyImage image = series_[i].read();
        if (options_.mpp) geometry_of(image) = micrometers_per_pixel(*options_.mpp, *options_.mpp);
        return image;
    }

    // Each section is read once before the work, so that what cannot be stacked is found then.
    void inspect(std::size_t i) {
        progress_.report(
            read_fraction * static_cast<double>(i) / static_cast<double>(series_.size()), "read");
        SectionOfStack section{series_[i].name, series_[i].number};
        Facts facts;
        try {
            const AnyImage image = read(i);
            const Shape& shape = shape_of(image);
            if (shape.z > 1 || shape.t > 1)
                throw UnreadableInput("it is a volume or a sequence, not a picture");
            section.grid = ImageGrid{shape, geometry_of(image)};
            facts = {pixel_type_of(image), shape.channels, has_alpha(image), pixels_hash(image)};
            if (is_constant(image)) {
                section.state = SectionState::blank;
                section.reason = "all pixels have one value";
            }
        } catch (const UnreadableInput& error) {
            section.state = SectionState::unreadable;
            section.reason = error.what();
        } catch (const UnsupportedFormat& error) {
            section.state = SectionState::unreadable;
            section.reason = error.what();
        }
        stack_.sections.push_back(std::move(section));
        facts_.push_back(std::move(facts));
    }

    bool is_picture(std::size_t i) const {
        return stack_.sections[i].state == SectionState::unmatched;
    }

    // One pixel type, gray or colors, and a pixel size of all or of none.
    void require_alike() {
        std::size_t first = series_.size(), gray = first, colored = first;
        for (std::size_t i = 0; i < series_.size(); ++i) {
            if (!is_picture(i)) continue;
            if (first == series_.size()) first = i;
            const Facts &one = facts_[first], &other = facts_[i];
            const std::string both = named(series_[first]) + " and " + named(series_[i]);
            if (one.type != other.type)
                throw InvalidArgument(
                    both + " have the pixel types " + std::string(pixel_type_name(one.type)) +
                    " and " + std::string(pixel_type_name(other.type)) + ": convert them to one");
            if (stack_.sections[first].grid->geometry.known() !=
                stack_.sections[i].grid->geometry.known())
                throw InvalidArgument("of " + both +
                                      " one has a pixel size and the other has none: give --mpp");
            if (other.channels == 1) {
                gray = i;
                continue;
            }
            if (colored == series_.size()) colored = i;
            if (other.channels != facts_[colored].channels ||
                other.has_alpha != facts_[colored].has_alpha)
                throw InvalidArgument(named(series_[colored]) + " and " + named(series_[i]) +
                                      " have different channels: give them alike");
        }
        if (first == series_.size()) throw NoMatch("no section can be read that is not blank");
        require_options(stack_.sections[first].grid->geometry);
        const Facts& form = facts_[colored < series_.size() ? colored : first];
        stack_.type = form.type;
        stack_.channels = form.channels;
        stack_.has_alpha = form.has_alpha;
        if (gray == series_.size() || colored == series_.size()) return;
        if (form.channels != 3)
            throw InvalidArgument(named(series_[gray]) + " has one channel and " +
                                  named(series_[colored]) + " has " +
                                  std::to_string(form.channels) + ": give them alike");
        stack_.warnings.push_back(named(series_[gray]) + " is gray and others have colors: its " +
                                  "values are repeated in three channels");
    }

    // What only the sections tell of the options.
    void require_options(const Geometry& geometry) const {
        if (options_.thickness) static_cast<void>(plane_distance(options_, geometry));
        if (options_.resolution && options_.resolution->physical() && !geometry.known())
            throw InvalidArgument("the sections have no pixel size beside --resolution " +
                                  options_.resolution->to_string() +
                                  ": give --mpp, or --resolution in px");
        if (const auto reference = reference_section(); reference && !is_picture(*reference))
            throw InvalidArgument(absent_reference(stack_.sections[*reference]));
    }

    VolumeInputFacts least_volume() const {
        std::vector<ImageGrid> grids;
        for (std::size_t i = 0; i < series_.size(); ++i)
            if (is_picture(i)) grids.push_back(*stack_.sections[i].grid);
        VolumeInputFacts least;
        least.type = stack_.type;
        least.shape = least_plane(grids);
        least.shape.z = planes();
        least.shape.channels = stack_.channels;
        return least;
    }
    std::int64_t planes() const { return series_.back().number - series_.front().number + 1; }

    void find_duplicates() {
        std::map<std::string, std::size_t> seen;
        for (std::size_t i = 0; i < series_.size(); ++i) {
            if (!is_picture(i)) continue;
            const auto [found, is_new] = seen.emplace(facts_[i].hash, i);
            if (!is_new)
                stack_.warnings.push_back(named(series_[i]) + " has the pixels of '" +
                                          series_[found->second].name +
                                          "': one of them may be a copy");
        }
    }

    struct NoTissue {
        std::string reason;
    };

    // With up to two sections before it. A section in which no tissue is found is passed over.
    void register_section(std::size_t i) {
        if (!is_picture(i)) return;
        try {
            if (usable_.empty()) prepared(i);
            for (std::size_t back = 1; back <= std::min(apart, usable_.size()); ++back) {
                const double done =
                    (static_cast<double>(i) + static_cast<double>(back) / (apart + 1)) /
                    static_cast<double>(series_.size());
                progress_.report(read_fraction + (paired_fraction - read_fraction) * done,
                                 "register");
                register_pair_of(usable_[usable_.size() - back], i);
            }
        } catch (const NoTissue& nothing) {
            stack_.sections[i].state = SectionState::blank;
            stack_.sections[i].reason = nothing.reason;
            return;
        }
        usable_.push_back(i);
        if (usable_.size() > apart) images_.erase(usable_[usable_.size() - apart - 1]);
    }

    RegistrationImage& prepared(std::size_t i) {
        const auto found = images_.find(i);
        if (found != images_.end()) return found->second;
        const AnyImage picture = read(i);
        try {
            return images_.emplace(i, registration_image(picture, registration_, queue_))
                .first->second;
        } catch (const InvalidArgument& error) {  // of the picture: options are checked before
            throw NoTissue{error.what()};
        }
    }

    std::string key_of(std::size_t fixed, std::size_t moving) const {
        detail::Fingerprint hash;
        const DeviceProperties& device = queue_.device().properties();
        const auto hash_of = [&](std::size_t i) {
            return image_hash(facts_[i].hash, stack_.sections[i].grid->geometry);
        };
        std::string text = TESELA_VERSION " " + hash_of(fixed) + " " + hash_of(moving) + " " +
                           device.name + " " + device.driver;
        for (const std::string_view name :
             {enum_name(options_.model), enum_name(options_.rotation), enum_name(options_.mirror),
              enum_name(options_.channel)})
            text += " " + std::string(name);
        text += options_.resolution ? " " + options_.resolution->to_string() : " auto";
        for (const double number : {options_.stiffness, options_.nodes})
            text += " " + detail::shown(number);
        hash.add(text);
        return hash.text();
    }

    void register_pair_of(std::size_t fixed, std::size_t moving) {
        PairOfStack pair{fixed, moving, {}, {}};
        const std::string key = key_of(fixed, moving);
        const std::int64_t from = series_[fixed].number, to = series_[moving].number;
        std::optional<RegisteredPair> kept;
        if (store_.find) kept = store_.find(from, to);
        pair.is_kept = kept && kept->key == key;
        pair.found = pair.is_kept ? std::move(*kept) : registered(fixed, moving, key);
        if (store_.keep && !pair.is_kept) store_.keep(from, to, pair.found);
        stack_.pairs.push_back(std::move(pair));
    }

    RegisteredPair registered(std::size_t fixed, std::size_t moving, const std::string& key) {
        RegisteredPair pair;
        pair.key = key;
        pair.transform.unit = point_unit(*stack_.sections[fixed].grid);
        RegistrationImage& there = prepared(moving);
        try {
            RegistrationResult found = register_pair(prepared(fixed), there, registration_, queue_,
                                                     nullptr, Progress({}, progress_.token()));
            pair.transform = std::move(found.transform);
            pair.is_match = found.is_match;
            pair.agreement = found.agreement;
            pair.similarity = found.coarse_similarity;
            pair.margin = found.margin;
            pair.overlap = found.score.overlap;
            pair.estimated_error = found.estimated_error;
        } catch (const NoMatch&) {  // no position at all
        }
        return pair;
    }

    // By the pairs that match. Sections have their numbers among those that are usable.
    void place() {
        progress_.report(paired_fraction, "place");
        std::vector<ImageGrid> grids;
        std::map<std::size_t, std::int64_t> number;
        for (const std::size_t i : usable_) {
            number[i] = std::ssize(grids);
            grids.push_back(*stack_.sections[i].grid);
        }
        std::vector<SectionPair> pairs;
        std::vector<std::size_t> whose;
        for (std::size_t p = 0; p < stack_.pairs.size(); ++p) {
            PairOfStack& pair = stack_.pairs[p];
            pair.is_rejected = !pair.found.is_match;
            if (pair.is_rejected) continue;
            whose.push_back(p);
            pairs.push_back({number[pair.fixed], number[pair.moving], pair.found.transform,
                             std::max(pair.found.agreement.share(), least_trust)});
        }
        if (pairs.empty()) throw NoMatch(no_pair_text());
        const LinearKind kind = options_.model == RegistrationModel::rigid ? LinearKind::rigid
                                : options_.model == RegistrationModel::similarity
                                    ? LinearKind::similarity
                                    : LinearKind::affine;
        const std::optional<std::int64_t> reference = reference_among(number);
        const SectionPlaces places =
            place_sections(grids, pairs, {.kind = kind, .reference = reference});
        for (std::size_t p = 0; p < whose.size(); ++p) {
            PairOfStack& pair = stack_.pairs[whose[p]];
            pair.fit = places.pairs[p];
            pair.is_rejected = pair.fit.weight < least_weight;
        }
        std::vector<std::optional<Transform>> maps = linear_maps(grids, places);
        // Before nodes of splines take memory all over it.
        require_canvas(grids, canvas_of(grids, maps), options_.max_canvas);
        if (options_.model == RegistrationModel::spline)
            maps = bend_sections(grids, pairs, places,
                                 {.nodes = options_.nodes, .reference = reference},
                                 progress_.part(paired_fraction, 1));
        set_maps(grids, std::move(maps));
    }
    std::string no_pair_text() const {
        for (const SectionOfStack& section : stack_.sections)
            if (section.state == SectionState::blank)
                return "no two neighboring sections match; '" + section.name +
                       "' is left out: " + section.reason;
        return "no two neighboring sections match: are they of one tissue?";
    }
    std::optional<std::int64_t> reference_among(
        const std::map<std::size_t, std::int64_t>& number) const {
        const auto reference = reference_section();
        if (!reference) return {};
        const auto found = number.find(*reference);
        if (found == number.end())
            throw InvalidArgument(absent_reference(stack_.sections[*reference]));
        return found->second;
    }
    static std::vector<std::optional<Transform>> linear_maps(const std::vector<ImageGrid>& grids,
                                                             const SectionPlaces& places) {
        std::vector<std::optional<Transform>> maps(grids.size());
        for (std::size_t i = 0; i < grids.size(); ++i)
            if (places.maps[i])
                maps[i] = Transform{
                    .unit = point_unit(grids[i]), .steps = {*places.maps[i]}, .moving = grids[i]};
        return maps;
    }

    // The canvas has the finest pixels of all sections.
    void set_maps(const std::vector<ImageGrid>& grids, std::vector<std::optional<Transform>> maps) {
        const CanvasBox box = canvas_of(grids, maps);
        require_canvas(grids, box, options_.max_canvas);
        const bool is_known = grids.front().geometry.known();
        const double pixel = finest_pixel(grids);
        const std::array<double, 2> size{box.high[0] - box.low[0], box.high[1] - box.low[1]};
        ImageGrid& canvas = stack_.canvas;
        canvas.shape = {static_cast<std::int64_t>(std::floor(size[0] / pixel)) + 1,
                        static_cast<std::int64_t>(std::floor(size[1] / pixel)) + 1, planes()};
        if (is_known) {
            canvas.geometry.unit = Unit::millimeter;
            canvas.geometry.spacing = {pixel, pixel, pixel};
            canvas.geometry.origin = {box.low[0], box.low[1], 0};
        }
        ImageGrid plane = canvas;
        plane.shape.z = 1;
        for (std::size_t i = 0; i < grids.size(); ++i) {
            if (!maps[i]) continue;
            if (!is_known)
                maps[i]->steps.insert(maps[i]->steps.begin(),
                                      LinearMap{LinearKind::rigid, LinearMap{}.matrix, box.low});
            maps[i]->fixed = plane;
            stack_.sections[usable_[i]].state = SectionState::aligned;
            stack_.sections[usable_[i]].transform = std::move(maps[i]);
        }
    }

    // Whose planes have no section.
    void name_absent() {
        std::string missing;
        for (const std::int64_t number : stack_.missing)
            missing += (missing.empty() ? "" : ", ") + std::to_string(number);
        if (!missing.empty())
            stack_.warnings.push_back("there is no section with the number " + missing);
        for (const SectionOfStack& section : stack_.sections) {
            const std::string who = "section " + std::to_string(section.number) + " ('" +
                                    section.name + "') is left out: ";
            if (section.state == SectionState::unmatched)
                stack_.warnings.push_back(who + "it matches none of its neighbors");
            else if (section.state != SectionState::aligned)
                stack_.warnings.push_back(who + section.reason);
        }
    }

    struct Facts {
        PixelType type = PixelType::u8;
        int channels = 1;
        bool has_alpha = false;
        std::string hash = {};
    };

    const SectionSeries& series_;
    const SectionStackOptions& options_;
    Queue& queue_;
    const PairStore& store_;
    const Progress& progress_;
    RegistrationOptions registration_;
    std::vector<Facts> facts_;
    std::vector<std::size_t> usable_;
    std::map<std::size_t, RegistrationImage> images_;
    SectionStack stack_;
};

}  // namespace

SectionStack stack_sections(const SectionSeries& series, const SectionStackOptions& options,
                            Queue& queue, const PairStore& store, const Progress& progress,
                            const std::function<void(const VolumeInputFacts&)>& require) {
    validate_options(options);
    return Stacking(series, options, queue, store, progress).stacked(require);
}

}  // namespace tesela
