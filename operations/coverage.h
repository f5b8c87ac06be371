// How much of an image a result takes. A result that is empty, takes nearly all, or lies along the
// border mostly comes from a threshold or limit that does not fit, which a count alone does not
// show.
#pragma once

#include <array>
#include <atomic>

#include "operations/operation.h"

namespace tesela::operations {

// Adds a warning where that is so. `thing` is what pixels that are not 0 belong to: "the mask".
void warn_of_coverage(const Call& call, std::string_view thing, const PixelView<std::uint8_t>& mask,
                      Results& results);
void warn_of_coverage(const Call& call, std::string_view thing, const LabelView& labels,
                      Results& results);
// The same where so many pixels are known to be taken.
void warn_of_coverage(const Call& call, std::string_view thing, const LabelView& labels,
                      std::int64_t taken, Results& results);

// The same where of all points so many are taken; of the border nothing is known.
void warn_of_coverage(std::string_view thing, std::int64_t taken, std::int64_t points,
                      Results& results);

// Adds a warning for an image with several values besides 0: a mask has one, and the rest of a gray
// picture is one component. `otherwise` is what to do if that is meant.
void warn_of_gray(const AnyImageView& image, std::string_view otherwise, Results& results);
// Of these values.
void warn_of_gray(const std::array<double, 2>& values, std::string_view otherwise,
                  Results& results);

// The same of a mask that is seen in parts, by several threads; of its border nothing is known.
class CoverageOfParts {
  public:
    void add(const AnyImageView& part);
    void warn(std::string_view thing, Results& results) const;

  private:
    std::atomic<std::int64_t> taken_ = 0, of_ = 0;
};

}  // namespace tesela::operations
