#include <cmath>
#include <utility>

#include "registration/parts.h"

namespace tesela {
namespace {

// For pictures, in three channels.
class DirectionParts : public PartComparison {
  public:
    explicit DirectionParts(ComparedFields fields)
        : fields_(std::move(fields)), points_(static_cast<std::size_t>(fields_.shape.points())) {
        for (std::vector<float>* field : {&fields_.fixed, &fields_.moving}) remove_traces(*field);
    }

    double structure(const Part& part, bool is_moving) const override {
        const std::vector<float>& field = is_moving ? fields_.moving : fields_.fixed;
        double sum = 0, weight = 0;
        for_rows(fields_.shape, part, {}, [&](std::int64_t row, std::int64_t, std::int64_t count) {
            const float* w = fields_.weight.data() + row;
            for (std::int64_t i = 0; i < count; ++i) {
                weight += w[i];
                for (int c = 0; c < fields_.channels; ++c) {
                    const float value = channel(field, c)[row + i];
                    sum += w[i] * value * value;
                }
            }
        });
        return 2 * weight < part.points() ? 0 : sum / weight;
    }
    std::optional<double> fit(const Part& part, const GridShift& shift) const override {
        double weight = 0, both = 0, here = 0, there = 0;
        for_rows(fields_.shape, part, shift,
                 [&](std::int64_t row, std::int64_t other, std::int64_t count) {
                     float compared = 0, products = 0, squares = 0, other_squares = 0;
                     for (std::int64_t i = 0; i < count; ++i)
                         compared += fields_.weight[static_cast<std::size_t>(other + i)];
                     for (int c = 0; c < fields_.channels; ++c) {
                         const float* f = channel(fields_.fixed, c) + row;
                         const float* m = channel(fields_.moving, c) + other;
                         for (std::int64_t i = 0; i < count; ++i) {
                             products += f[i] * m[i];
                             squares += f[i] * f[i];
                             other_squares += m[i] * m[i];
                         }
                     }
                     weight += compared;
                     both += products;
                     here += squares;
                     there += other_squares;
                 });
        if (2 * weight < part.points() || here <= 0 || there <= 0) return {};
        return both / std::sqrt(here * there);
    }

  private:
    const float* channel(const std::vector<float>& field, int c) const {
        return field.data() + static_cast<std::size_t>(c) * points_;
    }
    // Traces measure the amount of structure but not its direction.
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

std::unique_ptr<PartComparison> compare_directions(ComparedFields fields) {
    return std::make_unique<DirectionParts>(std::move(fields));
}

}  // namespace tesela
