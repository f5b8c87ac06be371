// A map that was found by chance fits the whole, for that is what was searched. It is not found
// again by the parts.
#include "registration/agreement.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "registration/levels.h"

namespace tesela {
namespace {

// In pixels of a level on which the tissue has at most `longest` a side. Parts overlap by half.
constexpr int longest = 256, part_side = 32, reach = 14, step = 2;
constexpr double near = 4;

using Place = std::array<std::int64_t, 2>;

struct Box {
    Place first{}, last{};
    double points() const {
        return static_cast<double>((last[0] - first[0]) * (last[1] - first[1]));
    }
};

std::vector<Box> boxes_of(const Shape& shape) {
    constexpr int half = part_side / 2;
    std::vector<Box> boxes;
    for (std::int64_t y = 0; y == 0 || y + half < shape.y; y += half)
        for (std::int64_t x = 0; x == 0 || x + half < shape.x; x += half)
            boxes.push_back({{x, y},
                             {std::min<std::int64_t>(x + part_side, shape.x),
                              std::min<std::int64_t>(y + part_side, shape.y)}});
    return boxes;
}

class ComparedParts {
  public:
    explicit ComparedParts(ComparedFields fields)
        : fields_(std::move(fields)), points_(static_cast<std::size_t>(fields_.shape.points())) {
        for (std::vector<float>* field : {&fields_.fixed, &fields_.moving}) remove_traces(*field);
    }

    // Boxes in which both fields have gradients.
    std::vector<Box> parts(std::vector<Box> boxes) const {
        for (const std::vector<float>* field : {&fields_.fixed, &fields_.moving}) {
            constexpr double strong = 0.25;  // of that of a box with many gradients
            std::vector<double> sorted;
            for (const Box& box : boxes) sorted.push_back(energy(*field, box));
            std::sort(sorted.begin(), sorted.end());
            const double least = sorted.empty() ? 0 : strong * sorted[sorted.size() * 9 / 10];
            std::erase_if(boxes, [&](const Box& box) {
                const double here = energy(*field, box);
                return here == 0 || here < least;
            });
        }
        return boxes;
    }
    // Cosine between the fixed field in a box and the moving one at a shift of it; nothing where
    // less than half of that is compared.
    std::optional<double> cosine(const Box& box, const Place& shift) const {
        const std::int64_t from = std::max(box.first[0], -shift[0]);
        const std::int64_t to = std::min(box.last[0], fields_.shape.x - shift[0]);
        double weight = 0, both = 0, here = 0, there = 0;
        for (std::int64_t y = box.first[1]; y < box.last[1]; ++y) {
            if (y + shift[1] < 0 || y + shift[1] >= fields_.shape.y) continue;
            const std::int64_t row = y * fields_.shape.x, other = row + shift[1] * fields_.shape.x;
            float compared = 0, products = 0, squares = 0, other_squares = 0;
            for (std::int64_t x = from; x < to; ++x)
                compared += fields_.weight[static_cast<std::size_t>(other + x + shift[0])];
            for (int c = 0; c < fields_.channels; ++c) {
                const float* f = channel(fields_.fixed, c) + row;
                const float* m = channel(fields_.moving, c) + other + shift[0];
                for (std::int64_t x = from; x < to; ++x) {
                    products += f[x] * m[x];
                    squares += f[x] * f[x];
                    other_squares += m[x] * m[x];
                }
            }
            weight += compared;
            both += products;
            here += squares;
            there += other_squares;
        }
        if (2 * weight < box.points() || here <= 0 || there <= 0) return {};
        return both / std::sqrt(here * there);
    }

  private:
    const float* channel(const std::vector<float>& field, int c) const {
        return field.data() + static_cast<std::size_t>(c) * points_;
    }
    // Mean square in a box of which at least half is compared.
    double energy(const std::vector<float>& field, const Box& box) const {
        double sum = 0, weight = 0;
        for (std::int64_t y = box.first[1]; y < box.last[1]; ++y)
            for (std::int64_t x = box.first[0]; x < box.last[0]; ++x) {
                const auto i = static_cast<std::size_t>(y * fields_.shape.x + x);
                weight += fields_.weight[i];
                for (int c = 0; c < fields_.channels; ++c)
                    sum += fields_.weight[i] * channel(field, c)[i] * channel(field, c)[i];
            }
        return 2 * weight < box.points() ? 0 : sum / weight;
    }
    // They tell how much structure there is but not its direction.
    void remove_traces(std::vector<float>& field) const {
        for (std::size_t xx = 0, yy = 2 * points_; xx < points_; ++xx, ++yy) {
            const float mean = (field[xx] + field[yy]) / 2;
            field[xx] -= mean;
            field[yy] -= mean;
        }
    }

    ComparedFields fields_;
    std::size_t points_;
};

}  // namespace

Agreement agreement_of_parts(const RegistrationView& fixed, const RegistrationView& moving,
                             const LinearMap& map, Queue& queue) {
    const RegistrationLevel& level = first_within(fixed.levels, fixed.side_for_tissue(longest));
    LevelComparison comparison(queue, level, matching_level(moving.levels, level));
    const ComparedParts compared(comparison.fields(map));
    Agreement agreement;
    for (const Box& part : compared.parts(boxes_of(level.shape))) {
        double best = -2;
        Place where{};
        for (std::int64_t y = -reach; y <= reach; y += step)
            for (std::int64_t x = -reach; x <= reach; x += step) {
                const std::optional<double> cosine = compared.cosine(part, {x, y});
                if (!cosine || *cosine <= best) continue;
                best = *cosine;
                where = {x, y};
            }
        agreement.parts += 1;
        agreement.agreeing += std::hypot(where[0], where[1]) <= near;
    }
    return agreement;
}

bool is_agreed(const Agreement& agreement) {
    // Of parts of different things up to a fourth agree, for their outlines were put on each other.
    constexpr double by_chance = 0.2, deviations = 1.5;
    return agreement.agreeing >=
               by_chance * agreement.parts + deviations * std::sqrt(double(agreement.parts)) &&
           agreement.parts > 0;
}

}  // namespace tesela
