#include "registration/mosaic_matches.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "tesela/error.h"

namespace tesela {
namespace {

// Share of the score that the next best place may have: near an expected place, and anywhere, where
// chance has more places to choose from.
constexpr double most_alike = 0.8, most_alike_anywhere = 0.6;
// What chance gives is within so many standard deviations of 0; so many pixels vary together in
// what is compared.
constexpr double chance_deviations = 4, pixels_alike = 50;
// Common pixels: of those that are expected, and at least.
constexpr double least_common = 0.25;
constexpr std::int64_t fewest_common = 256;

// The part of a tile, along an axis, that another one may cover which lies `shift` further, give or
// take the deviation: its first pixel and its length, which may be 0.
std::array<std::int64_t, 2> reached(std::int64_t length, std::int64_t other, std::int64_t shift,
                                    std::int64_t deviation) {
    const std::int64_t first = std::clamp<std::int64_t>(shift - deviation, 0, length);
    const std::int64_t end = std::clamp<std::int64_t>(shift + deviation + other, first, length);
    return {first, end - first};
}

TileBox box_of(const std::array<std::int64_t, 2>& x, const std::array<std::int64_t, 2>& y) {
    return {x[0], y[0], x[1], y[1]};
}

}  // namespace

TileMatches::TileMatches(const std::vector<TileOfMosaic>& states, const TileReader& tile,
                         double deviation, Queue& queue, const Progress& progress)
    : states_(states),
      tile_(tile),
      options_(tile.options),
      deviation_(deviation),
      progress_(progress),
      matcher_(queue) {}

bool TileMatches::has_contents(std::size_t tile) const {
    return states_[tile].state == TileState::nominal;
}

std::vector<PairOfMosaic> TileMatches::of_neighbors(
    const std::vector<std::pair<std::size_t, std::size_t>>& neighbors) {
    std::vector<PairOfMosaic> pairs;
    for (const auto& [i, j] : neighbors) {
        if (!has_contents(i) || !has_contents(j)) continue;
        progress_.report(static_cast<double>(pairs.size()) / static_cast<double>(neighbors.size()),
                         "match");
        PairOfMosaic pair;
        pair.fixed = i;
        pair.moving = j;
        for (std::size_t axis = 0; axis < 2; ++axis)
            pair.expected[axis] = (*states_[j].nominal)[axis] - (*states_[i].nominal)[axis];
        match(pair, static_cast<std::int64_t>(std::ceil(deviation_)));
        pairs.push_back(pair);
    }
    return pairs;
}

std::vector<PairOfMosaic> TileMatches::of_all() {
    constexpr std::int64_t most = 100, small = 256;  // tiles, and pixels a side
    std::int64_t count = 0, longest = 1;
    for (std::size_t i = 0; i < states_.size(); ++i)
        if (has_contents(i)) {
            ++count;
            longest = std::max({longest, states_[i].shape.x, states_[i].shape.y});
        }
    if (count > most)
        throw InvalidArgument("there are " + std::to_string(count) +
                              " tiles without positions, and each is compared with any other of "
                              "at most " +
                              std::to_string(most) + ": give --positions or --grid");
    const std::int64_t step = (longest + small - 1) / small;
    constexpr double small_fraction = 0.5;
    std::vector<PairOfMosaic> pairs = small_matches(step, progress_.part(0, small_fraction));
    const Progress whole = progress_.part(small_fraction, 1);
    double done = 0;
    for (PairOfMosaic& pair : pairs) {
        whole.report(done++ / static_cast<double>(pairs.size()), "match");
        if (pair.state == MatchState::accepted) match(pair, 2 * step + 2);
    }
    return pairs;
}

std::vector<PairOfMosaic> TileMatches::small_matches(std::int64_t step, const Progress& progress) {
    std::vector<std::size_t> whose;
    std::vector<GrayPiece> pieces;
    std::array<std::int64_t, 2> largest{};
    for (std::size_t i = 0; i < states_.size(); ++i) {
        const Shape& shape = states_[i].shape;
        progress.throw_if_cancelled();
        if (!has_contents(i) || std::min(shape.x, shape.y) < 2 * step) continue;
        whose.push_back(i);
        pieces.push_back(gray_piece(*tile_(i), {0, 0, shape.x, shape.y}, step, options_.channel));
        largest = {std::max(largest[0], pieces.back().width),
                   std::max(largest[1], pieces.back().height)};
    }
    const std::array<std::int64_t, 2> padded{good_fft_size(2 * largest[0]),
                                             good_fft_size(2 * largest[1])};
    std::vector<OverlapMatcher::Prepared> prepared;
    for (const GrayPiece& piece : pieces) prepared.push_back(matcher_.prepare(piece, padded));
    std::vector<PairOfMosaic> pairs;
    const std::size_t all = whose.size() * (whose.size() - 1) / 2;
    for (std::size_t a = 0; a < whose.size(); ++a)
        for (std::size_t b = a + 1; b < whose.size(); ++b) {
            progress.report(static_cast<double>(pairs.size()) / static_cast<double>(all), "match");
            const GrayPiece &one = pieces[a], &other = pieces[b];
            constexpr double least_share = 0.02;
            const auto least = static_cast<std::int64_t>(
                least_share * static_cast<double>(std::min(one.width, other.width) *
                                                  std::min(one.height, other.height)));
            const ShiftBox any{1 - other.width, 1 - other.height, one.width + other.width - 1,
                               one.height + other.height - 1};
            PairOfMosaic pair;
            pair.fixed = whose[a];
            pair.moving = whose[b];
            take(pair,
                 matcher_.match(prepared[a], prepared[b], any, std::max(least, fewest_common)),
                 most_alike_anywhere);
            for (double& coordinate : pair.found) coordinate *= static_cast<double>(step);
            pair.expected = pair.found;
            pairs.push_back(pair);
        }
    return pairs;
}

void TileMatches::match(PairOfMosaic& pair, std::int64_t deviation) {
    const Shape &shape = states_[pair.fixed].shape, &other = states_[pair.moving].shape;
    const std::int64_t shift_x = std::llround(pair.expected[0]),
                       shift_y = std::llround(pair.expected[1]);
    const TileBox here = box_of(reached(shape.x, other.x, shift_x, deviation),
                                reached(shape.y, other.y, shift_y, deviation));
    const TileBox there = box_of(reached(other.x, shape.x, -shift_x, deviation),
                                 reached(other.y, shape.y, -shift_y, deviation));
    pair.found = pair.expected;
    pair.state = MatchState::low;
    if (std::min({here.width, here.height, there.width, there.height}) < 1) return;
    const auto expected = static_cast<double>(common_length(shape.x, other.x, shift_x) *
                                              common_length(shape.y, other.y, shift_y));
    const auto least = std::max(static_cast<std::int64_t>(least_common * expected), fewest_common);
    const std::int64_t left = shift_x + there.x - here.x, top = shift_y + there.y - here.y;
    OverlapPeak peak = matcher_.match(
        gray_piece(*tile_(pair.fixed), here, 1, options_.channel),
        gray_piece(*tile_(pair.moving), there, 1, options_.channel),
        {left - deviation, top - deviation, 2 * deviation + 1, 2 * deviation + 1}, least);
    peak.x += static_cast<double>(here.x - there.x);
    peak.y += static_cast<double>(here.y - there.y);
    take(pair, peak, most_alike);
}

void TileMatches::take(PairOfMosaic& pair, const OverlapPeak& peak, double alike) const {
    pair.found = {peak.x, peak.y};
    pair.score = peak.score;
    pair.second = peak.second;
    const double chance =
        chance_deviations *
        std::sqrt(pixels_alike / static_cast<double>(std::max<std::int64_t>(peak.common, 1)));
    pair.state = peak.score < std::max(options_.score, chance) ? MatchState::low
                 : peak.second > alike * peak.score            ? MatchState::ambiguous
                 : peak.at_border                              ? MatchState::border
                                                               : MatchState::accepted;
}

}  // namespace tesela
