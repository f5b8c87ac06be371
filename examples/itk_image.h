// Images between ITK and Tesela without a copy, spacing, origin and direction included.
#pragma once

#include <itkImage.h>
#include <itkImportImageContainer.h>

#include <cstdint>
#include <utility>

#include "tesela/image_view.h"

// Of the voxels in memory, which in a part of an image do not begin at index 0. ITK gives no unit;
// files of patients have millimeters.
template <class T>
tesela::Geometry geometry_of(const itk::Image<T, 3>& image) {
    tesela::Geometry geometry;
    geometry.unit = tesela::Unit::millimeter;
    const auto origin =
        image.template TransformIndexToPhysicalPoint<double>(image.GetBufferedRegion().GetIndex());
    for (unsigned row = 0; row < 3; ++row) {
        geometry.spacing[row] = image.GetSpacing()[row];
        geometry.origin[row] = origin[row];
        for (unsigned axis = 0; axis < 3; ++axis)
            geometry.direction[3 * row + axis] = image.GetDirection()(row, axis);
    }
    return geometry;
}

// The voxels of the image's buffer, which have to stay as long as the view.
template <class T>
tesela::ImageView<const T> view_of(const itk::Image<T, 3>& image) {
    const auto size = image.GetBufferedRegion().GetSize();
    const tesela::Shape shape{std::int64_t(size[0]), std::int64_t(size[1]), std::int64_t(size[2])};
    return {image.GetBufferPointer(), shape, geometry_of(image)};
}

// A container of ITK's over the pixels of an image of Tesela, which it keeps.
template <class T>
class TeselaPixels : public itk::ImportImageContainer<itk::SizeValueType, T> {
  public:
    using Pointer = itk::SmartPointer<TeselaPixels>;
    static Pointer New(tesela::Image<T> image) {
        Pointer container = new TeselaPixels(std::move(image));
        container->UnRegister();  // the pointer alone holds it
        return container;
    }

  private:
    explicit TeselaPixels(tesela::Image<T> image) : image_(std::move(image)) {
        this->SetImportPointer(image_.data(), itk::SizeValueType(image_.shape().elements()), false);
    }

    tesela::Image<T> image_;
};

// An image of ITK's in the memory of Tesela's.
template <class T>
itk::SmartPointer<itk::Image<T, 3>> itk_image_of(tesela::Image<T> source) {
    const tesela::Shape shape = source.shape();
    const tesela::Geometry geometry = source.geometry;
    using Target = itk::Image<T, 3>;
    auto image = Target::New();
    image->SetRegions(typename Target::SizeType{
        itk::SizeValueType(shape.x), itk::SizeValueType(shape.y), itk::SizeValueType(shape.z)});
    typename Target::DirectionType direction;
    for (unsigned row = 0; row < 3; ++row)
        for (unsigned axis = 0; axis < 3; ++axis)
            direction(row, axis) = geometry.direction[3 * row + axis];
    image->SetSpacing(geometry.spacing.data());
    image->SetOrigin(geometry.origin.data());
    image->SetDirection(direction);
    image->SetPixelContainer(TeselaPixels<T>::New(std::move(source)));
    return image;
}
