// Counts the bright objects of an itk::Image. Tesela reads the image's own buffer, and the labels
// are an itk::Image over Tesela's memory with the same geometry: nothing is copied.
//
//   $ itk_image
//   2 objects, no copy
//   spacing of the labels: 0.8 x 0.8 x 2.5 mm
//   object 1: 1.92 ml, center at (41.2, -2.8, 52.0) mm
//   object 2: 0.26 ml, center at (0.4, 10.4, 70.8) mm
#include "itk_image.h"

#include <itkImageRegionIterator.h>

#include <cstdio>
#include <exception>
#include <utility>

#include "tesela/components.h"
#include "tesela/threshold.h"

namespace {

using Volume = itk::Image<short, 3>;

// Two boxes in a turned volume of 0.8 x 0.8 x 2.5 mm, which begins at slice 3, as a crop does.
Volume::Pointer volume_of_boxes() {
    auto volume = Volume::New();
    volume->SetRegions(Volume::RegionType{{0, 0, 3}, {80, 60, 20}});
    volume->Allocate();
    const double spacing[] = {0.8, 0.8, 2.5}, origin[] = {50, -12, 34.5};
    volume->SetSpacing(spacing);
    volume->SetOrigin(origin);
    Volume::DirectionType direction;
    direction.SetIdentity();
    direction(0, 0) = -1;  // x to the right
    volume->SetDirection(direction);
    const Volume::RegionType boxes[] = {{{4, 4, 5}, {15, 16, 5}}, {{58, 24, 14}, {9, 9, 2}}};
    volume->FillBuffer(-1000);
    for (const auto& box : boxes)
        for (itk::ImageRegionIterator<Volume> voxel(volume, box); !voxel.IsAtEnd(); ++voxel)
            voxel.Set(300);
    return volume;
}

}  // namespace

int main() try {
    const Volume::Pointer volume = volume_of_boxes();
    const tesela::AnyImageView view = view_of(*volume);
    tesela::Queue queue(tesela::Device::best());
    const auto bright = tesela::otsu_threshold(view, queue);
    auto objects = tesela::components(bright.mask, {}, queue);
    std::printf("%u objects, %s\n", objects.count, view.owns_pixels() ? "one copy" : "no copy");

    const auto labels = itk_image_of(std::move(objects.labels));
    const auto spacing = labels->GetSpacing();
    std::printf("spacing of the labels: %g x %g x %g mm\n", spacing[0], spacing[1], spacing[2]);
    for (std::size_t i = 0; i < objects.table.size(); ++i) {
        const tesela::Component& object = objects.table[i];
        itk::ContinuousIndex<double, 3> index;
        for (unsigned axis = 0; axis < 3; ++axis) index[axis] = object.centroid[axis];
        const auto center = labels->TransformContinuousIndexToPhysicalPoint<double>(index);
        const double voxel = spacing[0] * spacing[1] * spacing[2];
        std::printf("object %zu: %.2f ml, center at (%.1f, %.1f, %.1f) mm\n", i + 1,
                    static_cast<double>(object.area) * voxel * 1e-3, center[0], center[1],
                    center[2]);
    }
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "itk_image: %s\n", error.what());
    return 1;
}
