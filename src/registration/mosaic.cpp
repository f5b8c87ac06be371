#include "tesela/mosaic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/threads.h"
#include "registration/chain_system.h"
#include "registration/image_hash.h"
#include "registration/mosaic_layout.h"
#include "registration/mosaic_matches.h"
#include "registration/mosaic_pieces.h"
#include "tesela/error.h"
#include "tesela/registration.h"

namespace tesela {
namespace {

// Parts of the progress: at the end of the first reading, and of the pairs.
constexpr double read_fraction = 0.3, matched_fraction = 0.98;
constexpr double least_weight = 0.05;  // of a pair that is not rejected

std::string quoted(const std::string& name) { return "'" + name + "'"; }

class Joining {
  public:
    Joining(const MosaicTiles& tiles, const MosaicOptions& options, Queue& queue, TileCache& cache,
            const TilePositions* positions, int threads, const Progress& progress)
        : tiles_(tiles),
          options_(options),
          queue_(queue),
          tile_{tiles, options, cache, cache.new_source()},
          positions_(positions),
          threads_(threads),
          progress_(progress) {}

    Mosaic joined(const std::function<void(const SlideForm&)>& require) {
        require_tiles();
        mosaic_.source = tile_.source;
        inspect();
        require_alike();
        find_duplicates();
        find_places();
        if (require) require(least_form());
        const Progress matching = progress_.part(read_fraction, matched_fraction);
        TileMatches matches(mosaic_.tiles, tile_, largest_deviation(), queue_, matching);
        if (!options_.as_given)
            mosaic_.pairs = is_laid_out_ ? matches.of_neighbors(neighbors_) : matches.of_all();
        progress_.report(matched_fraction, "place");
        place();
        set_form();
        name_states();
        std::vector<double> residuals;
        for (const PairOfMosaic& pair : mosaic_.pairs)
            if (pair.state == MatchState::accepted) residuals.push_back(pair.fit.residual);
        mosaic_.residual = median_of(std::move(residuals));
        return std::move(mosaic_);
    }

  private:
    void require_tiles() const {
        if (tiles_.size() < 2)
            throw InvalidArgument("a mosaic has at least two tiles, and there " +
                                  std::string(tiles_.empty() ? "is none" : "is one"));
        std::set<std::string> names;
        for (const MosaicTile& tile : tiles_)
            if (!names.insert(tile.name).second)
                throw InvalidArgument("the tile " + quoted(tile.name) + " is listed twice");
    }

    struct Facts {
        PixelType type = PixelType::u8;
        bool has_alpha = false;
        Geometry geometry;
        std::string hash = {};
    };

    // Each tile is read once before the work, so that what cannot be joined is found then.
    void inspect() {
        mosaic_.tiles.resize(tiles_.size());
        facts_.resize(tiles_.size());
        const auto count = static_cast<std::int64_t>(tiles_.size());
        detail::for_each_index(
            count, threads_, [&](std::int64_t i) { inspect(static_cast<std::size_t>(i)); },
            [&](std::int64_t done) {
                progress_.report(
                    read_fraction * static_cast<double>(done) / static_cast<double>(count), "read");
            });
    }
    void inspect(std::size_t i) {
        TileOfMosaic& tile = mosaic_.tiles[i];
        tile.name = tiles_[i].name;
        try {
            const Tile read = tile_(i);
            tile.shape = shape_of(*read);
            if (tile.shape.z > 1 || tile.shape.t > 1)
                throw UnreadableInput("it is a volume or a sequence, not a picture");
            facts_[i] = {pixel_type_of(*read), has_alpha(*read), geometry_of(*read),
                         pixels_hash(*read)};
            tile.state = is_constant(*read) ? TileState::blank : TileState::nominal;
        } catch (const UnreadableInput& error) {
            tile.state = TileState::unreadable;
            tile.reason = error.what();
        } catch (const UnsupportedFormat& error) {
            tile.state = TileState::unreadable;
            tile.reason = error.what();
        }
    }

    bool is_read(std::size_t i) const { return mosaic_.tiles[i].state != TileState::unreadable; }

    void require_alike() {
        std::optional<std::size_t> first;
        for (std::size_t i = 0; i < tiles_.size(); ++i) {
            if (!is_read(i)) continue;
            if (!first) first = i;
            const std::string both =
                "the tiles " + quoted(tiles_[*first].name) + " and " + quoted(tiles_[i].name);
            const Facts &one = facts_[*first], &other = facts_[i];
            if (one.type != other.type)
                throw InvalidArgument(
                    both + " have the pixel types " + std::string(pixel_type_name(one.type)) +
                    " and " + std::string(pixel_type_name(other.type)) + ": convert them to one");
            const int channels = mosaic_.tiles[*first].shape.channels,
                      others = mosaic_.tiles[i].shape.channels;
            if (channels != others || one.has_alpha != other.has_alpha)
                throw InvalidArgument(both + " have " + std::to_string(channels) + " and " +
                                      std::to_string(others) +
                                      " channels: give tiles of the same channels");
            if (!same_pixels(one.geometry, other.geometry))
                throw InvalidArgument(both +
                                      " have different pixel sizes: give --mpp for all, or "
                                      "tiles of the same size");
        }
        if (!first) throw NoMatch("no tile can be read: " + mosaic_.tiles.front().reason);
        first_ = *first;
        tell_of_places();
        const Shape& shape = mosaic_.tiles[first_].shape;
        if (options_.channel && *options_.channel >= shape.channels)
            throw InvalidArgument("--compare " + std::to_string(*options_.channel) +
                                  ": the tiles have the channels 0 to " +
                                  std::to_string(shape.channels - 1));
    }
    // Positions tell where tiles lie, in pixels along the rows and columns of all of them.
    void tell_of_places() {
        for (std::size_t i = 0; i < tiles_.size(); ++i) {
            const Geometry& geometry = facts_[i].geometry;
            const bool is_turned = geometry.direction != Geometry{}.direction;
            if (!is_read(i) || !geometry.known() ||
                (!is_turned && geometry.origin == Geometry{}.origin))
                continue;
            mosaic_.warnings.push_back("the file of the tile " + quoted(tiles_[i].name) +
                                       " has an origin" + (is_turned ? " and a direction" : "") +
                                       ", which the picture does not keep: it begins at 0");
            return;
        }
    }
    static bool same_pixels(const Geometry& a, const Geometry& b) {
        if (!a.known() || !b.known()) return a.known() == b.known();
        constexpr double rounding = 1e-3;  // of files
        const auto one = a.spacing_mm(), other = b.spacing_mm();
        for (std::size_t axis = 0; axis < 2; ++axis)
            if (!(std::abs(one[axis] - other[axis]) <= rounding * one[axis])) return false;
        return true;
    }

    void find_duplicates() {
        std::map<std::string, std::size_t> seen;
        for (std::size_t i = 0; i < tiles_.size(); ++i) {
            if (!is_read(i) || mosaic_.tiles[i].state == TileState::blank) continue;
            const auto [found, is_new] = seen.emplace(facts_[i].hash, i);
            if (!is_new)
                mosaic_.warnings.push_back(
                    "the tile " + quoted(tiles_[i].name) + " has the pixels of " +
                    quoted(tiles_[found->second].name) + ": one of them may be a copy");
        }
    }

    std::array<double, 2> pixel_um() const {
        const Geometry& geometry = facts_[first_].geometry;
        if (!geometry.known()) return {0, 0};
        const auto mm = geometry.spacing_mm();
        return {1000 * mm[0], 1000 * mm[1]};
    }

    // A grid has one step along each axis.
    void require_one_size() const {
        for (std::size_t i = 0; i < tiles_.size(); ++i) {
            const Shape &one = mosaic_.tiles[first_].shape, &other = mosaic_.tiles[i].shape;
            if (is_read(i) && (one.x != other.x || one.y != other.y))
                throw InvalidArgument("--grid is of tiles of one size, and " +
                                      quoted(tiles_[first_].name) + " and " +
                                      quoted(tiles_[i].name) + " differ: give --positions");
        }
    }
    static void require_near(const TileOfMosaic& tile) {
        constexpr double farthest = 1e12;
        if (tile.nominal &&
            !(std::abs((*tile.nominal)[0]) <= farthest && std::abs((*tile.nominal)[1]) <= farthest))
            throw InvalidArgument("the position of the tile " + quoted(tile.name) +
                                  " is no position");
    }

    void find_places() {
        std::vector<TileOfMosaic>& tiles = mosaic_.tiles;
        std::vector<bool> read;
        for (std::size_t i = 0; i < tiles.size(); ++i) read.push_back(is_read(i));
        if (!positions_ && !options_.grid.empty()) require_one_size();
        const auto places = tile_layout(tiles_, {tiles[first_].shape, pixel_um(), read}, options_,
                                        positions_, mosaic_.warnings);
        is_laid_out_ = places.has_value();
        if (!is_laid_out_ && options_.as_given)
            throw InvalidArgument(
                "--as-given keeps positions, and there are none: give --positions or --grid");
        std::vector<Shape> shapes;
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            if (is_laid_out_) tiles[i].nominal = (*places)[i];
            require_near(tiles[i]);
            if (!is_read(i)) tiles[i].nominal = {};
            if (is_read(i) && is_laid_out_ && !tiles[i].nominal)
                tiles[i].state = TileState::unplaced;
            nominal_.push_back(tiles[i].nominal);
            shapes.push_back(tiles[i].shape);
        }
        if (is_laid_out_ && std::none_of(nominal_.begin(), nominal_.end(),
                                         [](const auto& place) { return place.has_value(); }))
            throw InvalidArgument("no tile that can be read has a position: give others");
        neighbors_ = neighbors_of(nominal_, shapes);
        if (is_laid_out_ && neighbors_.empty() && !options_.as_given)
            throw InvalidArgument(
                "no two tiles overlap at their positions: give others, or --as-given to keep them");
    }

    // Tiles that are farther apart than they are long share nothing.
    double largest_deviation() const {
        const Shape& shape = mosaic_.tiles[first_].shape;
        return std::min(asked_deviation(shape), static_cast<double>(std::max(shape.x, shape.y)));
    }
    double asked_deviation(const Shape& shape) const {
        if (!options_.search)
            return std::max(16.0,
                            std::round(0.05 * static_cast<double>(std::max(shape.x, shape.y))));
        if (!options_.search->physical()) return options_.search->value;
        const double um = pixel_um()[0];
        if (!(um > 0))
            throw InvalidArgument("--search " + options_.search->to_string() +
                                  " is a length, and the tiles have no pixel size: give --mpp");
        return options_.search->millimeters() * 1000 / um;
    }

    // Tiles that may be placed, sorted along the longer side of the mosaic: pairs are then of tiles
    // that are near in this order, and their equations have a narrow band.
    std::vector<std::size_t> in_order() const {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < tiles_.size(); ++i)
            if (is_read(i) && (!is_laid_out_ || nominal_[i])) order.push_back(i);
        if (!is_laid_out_) return order;
        std::array<double, 2> low{}, high{};
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const auto less = [&](std::size_t a, std::size_t b) {
                return (*nominal_[a])[axis] < (*nominal_[b])[axis];
            };
            const auto [first, last] = std::minmax_element(order.begin(), order.end(), less);
            low[axis] = (*nominal_[*first])[axis];
            high[axis] = (*nominal_[*last])[axis];
        }
        const std::size_t longer = high[0] - low[0] >= high[1] - low[1] ? 0 : 1;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return (*nominal_[a])[longer] < (*nominal_[b])[longer];
        });
        return order;
    }

    void place() {
        const std::vector<std::size_t> order = in_order();
        if (options_.as_given) {
            for (const std::size_t i : order) mosaic_.tiles[i].place = *nominal_[i];
            return;
        }
        std::vector<std::int64_t> number(tiles_.size());
        std::vector<ImageGrid> grids;
        for (const std::size_t i : order) {
            number[i] = std::ssize(grids);
            grids.push_back({mosaic_.tiles[i].shape, {}});
        }
        std::vector<SectionPair> pairs;
        std::vector<std::size_t> whose;
        for (std::size_t p = 0; p < mosaic_.pairs.size(); ++p) {
            const PairOfMosaic& pair = mosaic_.pairs[p];
            if (pair.state != MatchState::accepted) continue;
            whose.push_back(p);
            pairs.push_back(
                {number[pair.fixed], number[pair.moving], shift_by(pair.found), pair.score});
        }
        if (pairs.empty()) throw NoMatch(no_pair_text());
        add_expected(number, pairs);
        constexpr double precision = 1;  // pixels, of a pair that matches
        const SectionPlaces places =
            place_sections(grids, pairs, {.kind = LinearKind::rigid, .precision = precision});
        for (std::size_t p = 0; p < whose.size(); ++p) set_fit(whose[p], places.pairs[p]);
        for (const std::size_t i : order) {
            const auto& map = places.maps[static_cast<std::size_t>(number[i])];
            TileOfMosaic& tile = mosaic_.tiles[i];
            if (map) tile.place = {-map->translation[0], -map->translation[1]};
            if (!map) tile.state = TileState::unplaced;
            if (map && tile.neighbors > 0) tile.state = TileState::registered;
            if (tile.neighbors == 0 && !is_laid_out_) tile.state = TileState::unplaced;
            if (tile.neighbors > 0) tile.residual = std::sqrt(tile.residual / tile.neighbors);
        }
    }
    static Transform shift_by(const PlanePlace& shift) {
        return {
            .steps = {LinearMap{LinearKind::rigid, LinearMap{}.matrix, {-shift[0], -shift[1]}}}};
    }
    void set_fit(std::size_t p, const SectionPairFit& fit) {
        PairOfMosaic& pair = mosaic_.pairs[p];
        pair.fit = fit;
        if (fit.weight < least_weight) pair.state = MatchState::outlier;
        if (pair.state != MatchState::accepted) return;
        for (const std::size_t i : {pair.fixed, pair.moving}) {
            mosaic_.tiles[i].neighbors += 1;
            mosaic_.tiles[i].residual += fit.residual * fit.residual;
        }
    }
    std::string no_pair_text() const {
        return is_laid_out_
                   ? "no two neighboring tiles match: give other positions, a larger --search or a "
                     "lower --score, or --as-given to keep the positions"
                   : "no two tiles match: give --positions or --grid";
    }

    // Positions of neighbors as they were given, with what pairs are off by in the median: an
    // overlap that differs from the given one, or a camera that is turned. That grows with the
    // distance, so that bridges over missing tiles are off by as much a step.
    void add_expected(const std::vector<std::int64_t>& number, std::vector<SectionPair>& pairs) {
        if (!is_laid_out_) return;
        const std::array<PlanePlace, 2> off{deviation_along(0), deviation_along(1)};
        constexpr double little = 1e-3;  // beside the score of a match
        const auto add = [&](const std::pair<std::size_t, std::size_t>& pair) {
            const auto [i, j] = pair;
            PlanePlace shift{(*nominal_[j])[0] - (*nominal_[i])[0],
                             (*nominal_[j])[1] - (*nominal_[i])[1]};
            const PlanePlace given = shift;
            for (std::size_t axis = 0; axis < 2; ++axis)
                shift[axis] += given[0] * off[0][axis] + given[1] * off[1][axis];
            pairs.push_back({number[i], number[j], shift_by(shift), little, true});
        };
        for (const auto& pair : neighbors_) add(pair);
        for (const auto& pair : bridges_of(nominal_, neighbors_)) add(pair);
    }
    static std::size_t direction_of(const PlanePlace& shift) {
        return std::abs(shift[0]) >= std::abs(shift[1]) ? 0 : 1;
    }
    // Of each pixel between positions along an axis.
    PlanePlace deviation_along(std::size_t along) const {
        std::array<std::vector<double>, 2> all;
        for (const PairOfMosaic& pair : mosaic_.pairs) {
            if (pair.state != MatchState::accepted || direction_of(pair.expected) != along)
                continue;
            if (pair.expected[along] == 0) continue;
            for (std::size_t axis = 0; axis < 2; ++axis)
                all[axis].push_back((pair.found[axis] - pair.expected[axis]) /
                                    pair.expected[along]);
        }
        return {median_of(all[0]), median_of(all[1])};
    }

    // The leftmost and the uppermost tile begin at 0.
    void set_form() {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        PlanePlace low{infinity, infinity}, high{-infinity, -infinity};
        double area = 0;
        for (const TileOfMosaic& tile : mosaic_.tiles) {
            if (!tile.is_placed()) continue;
            area += static_cast<double>(tile.shape.x) * static_cast<double>(tile.shape.y);
            const PlanePlace size{static_cast<double>(tile.shape.x),
                                  static_cast<double>(tile.shape.y)};
            for (std::size_t axis = 0; axis < 2; ++axis) {
                low[axis] = std::min(low[axis], tile.place[axis]);
                high[axis] = std::max(high[axis], tile.place[axis] + size[axis]);
            }
        }
        PlanePlace length{};
        for (std::size_t axis = 0; axis < 2; ++axis)
            length[axis] = std::floor(high[axis] - low[axis] - 0.5) + 1;
        if (const double share = length[0] * length[1] / area; !(share <= options_.max_canvas))
            throw InvalidArgument(
                "the picture is " + detail::shown(std::round(10 * share) / 10) +
                " times as large as all tiles together: the positions may be wrong; leave out "
                "tiles that lie apart, or give a larger --max-canvas");
        for (TileOfMosaic& tile : mosaic_.tiles)
            for (std::size_t axis = 0; axis < 2 && tile.is_placed(); ++axis)
                tile.place[axis] -= low[axis];
        mosaic_.form = form_of(length);
        validate(mosaic_.form.shape);
    }
    SlideForm form_of(const PlanePlace& length) const {
        const Facts& facts = facts_[first_];
        SlideForm form;
        form.type = facts.type;
        form.has_alpha = facts.has_alpha;
        form.shape = {static_cast<std::int64_t>(length[0]), static_cast<std::int64_t>(length[1])};
        form.shape.channels = mosaic_.tiles[first_].shape.channels;
        form.geometry.unit = facts.geometry.unit;
        form.geometry.spacing = facts.geometry.spacing;
        return form;
    }

    // Tiles at their positions, or four fifths of that where they may move.
    SlideForm least_form() const {
        const Shape& tile = mosaic_.tiles[first_].shape;
        const PlanePlace size{static_cast<double>(tile.x), static_cast<double>(tile.y)};
        PlanePlace least = size;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            std::vector<double> places;
            for (const auto& place : nominal_)
                if (place) places.push_back((*place)[axis]);
            if (places.empty()) continue;
            const auto [low, high] = std::minmax_element(places.begin(), places.end());
            const double share = options_.as_given ? 1 : 0.8;
            least[axis] = std::max(size[axis], std::floor(share * (*high - *low + size[axis])));
        }
        SlideForm form = form_of(least);
        validate(form.shape);
        return form;
    }

    void name_states() {
        std::vector<std::string> nominal, unplaced;
        for (const TileOfMosaic& tile : mosaic_.tiles) {
            if (tile.state == TileState::unreadable)
                mosaic_.warnings.push_back("the tile " + quoted(tile.name) +
                                           " is left out: " + tile.reason);
            if (!options_.as_given &&
                (tile.state == TileState::nominal || tile.state == TileState::blank))
                nominal.push_back(tile.name);
            if (tile.state == TileState::unplaced && !is_laid_out_) unplaced.push_back(tile.name);
        }
        if (!nominal.empty())
            mosaic_.warnings.push_back("tiles that match no neighbor keep their position: " +
                                       listed(nominal));
        if (!unplaced.empty())
            mosaic_.warnings.push_back(
                "left out, for they match none of the tiles that are joined: " + listed(unplaced));
    }

    const MosaicTiles& tiles_;
    const MosaicOptions& options_;
    Queue& queue_;
    TileReader tile_;
    const TilePositions* positions_;
    int threads_;
    const Progress& progress_;
    std::vector<Facts> facts_;
    std::size_t first_ = 0;  // tile that can be read
    bool is_laid_out_ = false;
    std::vector<std::optional<PlanePlace>> nominal_;
    std::vector<std::pair<std::size_t, std::size_t>> neighbors_;
    Mosaic mosaic_;
};

}  // namespace

Mosaic join_tiles(const MosaicTiles& tiles, const MosaicOptions& options, Queue& queue,
                  TileCache& cache, const TilePositions* positions, int threads,
                  const Progress& progress,
                  const std::function<void(const SlideForm& least)>& require) {
    validate_options(options);
    return Joining(tiles, options, queue, cache, positions, threads, progress).joined(require);
}

}  // namespace tesela
