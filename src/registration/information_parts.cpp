#include <cmath>
#include <utility>

#include "registration/information.h"
#include "registration/parts.h"

namespace tesela {
namespace {

class InformationParts : public PartComparison {
  public:
    InformationParts(ComparedFields values, std::vector<float> pointwise)
        : values_(std::move(values)), pointwise_(std::move(pointwise)) {
        for (const float value : values_.fixed) rows_.push_back(information_row(value));
        for (const float value : values_.moving) columns_.push_back(information_column(value));
    }

    // The deviation of values.
    double structure(const Part& part, bool is_moving) const override {
        const std::vector<float>& values = is_moving ? values_.moving : values_.fixed;
        double sum = 0, squares = 0, weight = 0;
        for_rows(values_.shape, part, {}, [&](std::int64_t row, std::int64_t, std::int64_t count) {
            for (auto i = static_cast<std::size_t>(row), end = i + count; i < end; ++i) {
                weight += values_.weight[i];
                sum += values_.weight[i] * values[i];
                squares += values_.weight[i] * values[i] * values[i];
            }
        });
        if (2 * weight < part.points()) return 0;
        const double mean = sum / weight;
        return std::sqrt(std::max(0.0, squares / weight - mean * mean));
    }
    std::optional<double> fit(const Part& part, const GridShift& shift) const override {
        double weight = 0, sum = 0;
        for_rows(values_.shape, part, shift,
                 [&](std::int64_t row, std::int64_t other, std::int64_t count) {
                     for (std::int64_t i = 0; i < count; ++i) {
                         const auto here = static_cast<std::size_t>(row + i),
                                    there = static_cast<std::size_t>(other + i);
                         const float w = values_.weight[there];
                         weight += w;
                         sum += w * pointwise_[rows_[here] + columns_[there]];
                     }
                 });
        if (2 * weight < part.points()) return {};
        return sum / weight;
    }

  private:
    ComparedFields values_;
    std::vector<float> pointwise_;
    std::vector<std::uint16_t> rows_, columns_;
};

}  // namespace

std::unique_ptr<PartComparison> compare_information(ComparedFields values,
                                                    std::vector<float> pointwise) {
    return std::make_unique<InformationParts>(std::move(values), std::move(pointwise));
}

}  // namespace tesela
