// ITK reads the transforms that are written for it, and moves points as they do.
#include <gtest/gtest.h>
#include <itkBSplineTransform.h>
#include <itkCompositeTransform.h>
#include <itkDisplacementFieldTransform.h>
#include <itkImageFileReader.h>
#include <itkNiftiImageIO.h>
#include <itkTransformFactory.h>
#include <itkTransformFileReader.h>
#include <itkTxtTransformIO.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "tesela/io.h"
#include "tesela/transform_io.h"

namespace tesela::io::testing {
namespace {

constexpr double tolerance = 1e-4;

ImageGrid picture_grid() {
    ImageGrid grid{{120, 90}, {}};
    grid.geometry.unit = Unit::millimeter;
    grid.geometry.spacing = {0.5, 0.25, 1};
    grid.geometry.origin = {3, -2, 0};
    return grid;
}

LinearMap affine(int dimensions) {
    LinearMap map{LinearKind::affine, {0.9, -0.4, 0, 0.3, 1.1, 0, 0, 0, 1}, {5, 1.0 / 3, 0}};
    if (dimensions == 3) {
        map.matrix[2] = 0.2;
        map.matrix[8] = 0.8;
        map.translation[2] = -7;
    }
    return map;
}

Transform bent() {
    SplineMap map = spline_over({3, -2, 0}, {62.5, 20.25, 0}, 2, 6);
    for (std::size_t i = 0; i < map.displacements.size(); ++i)
        map.displacements[i] = std::sin(1.3 * static_cast<double>(i));
    const ImageGrid grid = picture_grid();
    return {.unit = Unit::millimeter, .steps = {map, affine(2)}, .fixed = grid, .moving = grid};
}

// What ITK makes of a text file.
template <unsigned D>
typename itk::Transform<double, D, D>::Pointer read_by_itk(const std::filesystem::path& path) {
    itk::TransformFactoryBase::RegisterDefaultTransforms();
    itk::TransformFactory<itk::BSplineTransform<double, 2, 3>>::RegisterTransform();
    itk::TransformFactory<itk::CompositeTransform<double, D>>::RegisterTransform();
    const auto reader = itk::TransformFileReaderTemplate<double>::New();
    reader->SetTransformIO(itk::TxtTransformIOTemplate<double>::New());
    reader->SetFileName(path.string());
    reader->Update();
    return dynamic_cast<itk::Transform<double, D, D>*>(
        reader->GetTransformList()->front().GetPointer());
}

template <unsigned D>
void expect_same(const itk::Transform<double, D, D>& read, const Transform& transform,
                 const SpacePoint& at, double limit) {
    itk::Point<double, D> point;
    for (unsigned axis = 0; axis < D; ++axis) point[axis] = at[axis];
    const auto moved = read.TransformPoint(point);
    const SpacePoint expected = transform(at);
    for (unsigned axis = 0; axis < D; ++axis) EXPECT_NEAR(moved[axis], expected[axis], limit);
}

// A folder that is removed with its files.
class ItkReads : public ::testing::Test {
  protected:
    ItkReads() { std::filesystem::create_directories(folder_); }
    ~ItkReads() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path file(const std::string& name) const { return folder_ / name; }

  private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("tesela-itk-" + std::to_string(getpid()));
};

TEST_F(ItkReads, AnAffineTransform) {
    const Transform flat{.steps = {affine(2)}};
    write_transform(flat, file("flat.tfm"));
    const auto read = read_by_itk<2>(file("flat.tfm"));
    ASSERT_TRUE(read);
    expect_same<2>(*read, flat, {12, -7, 0}, 1e-9);
    const Transform solid{.dimensions = 3, .steps = {affine(3)}};
    write_transform(solid, file("solid.tfm"));
    const auto volume = read_by_itk<3>(file("solid.tfm"));
    ASSERT_TRUE(volume);
    expect_same<3>(*volume, solid, {12, -7, 31}, 1e-9);
}

TEST_F(ItkReads, ABSplineAndACompositeOfBoth) {
    Transform transform = bent();
    for (const bool composite : {true, false}) {
        if (!composite) transform.steps.pop_back();
        const auto path = file(composite ? "both.tfm" : "spline.tfm");
        write_transform(transform, path);
        const auto read = read_by_itk<2>(path);
        ASSERT_TRUE(read);
        for (const SpacePoint& at : {SpacePoint{3, -2, 0}, {20.7, 5.1, 0}, {61, 20, 0}})
            expect_same<2>(*read, transform, at, tolerance * 0.25);  // pixels of 0.25 mm
    }
}

// ITK takes the vectors of a NIfTI file as displacements in its own axes.
TEST_F(ItkReads, ADisplacementField) {
    const Transform transform = bent();
    write_image(AnyImage(displacement_field(transform, picture_grid())), file("field.nii.gz"));
    using Field = itk::Image<itk::Vector<double, 2>, 2>;
    const auto reader = itk::ImageFileReader<Field>::New();
    reader->SetImageIO(itk::NiftiImageIO::New());
    reader->SetFileName(file("field.nii.gz").string());
    reader->Update();
    const auto read = itk::DisplacementFieldTransform<double, 2>::New();
    read->SetDisplacementField(reader->GetOutput());
    const LinearMap placed = placement(picture_grid());
    for (const SpacePoint& pixel : {SpacePoint{1, 1, 0}, {60, 47, 0}, {118, 30, 0}})
        expect_same<2>(*read, transform, placed(pixel), tolerance * 0.25);
}

TEST_F(ItkReads, ADisplacementFieldOfAVolume) {
    ImageGrid grid{{20, 16, 12}, {}};
    grid.geometry.unit = Unit::millimeter;
    grid.geometry.spacing = {1, 2, 3};
    grid.geometry.origin = {-5, 4, 7};
    const Transform transform{.dimensions = 3, .unit = Unit::millimeter, .steps = {affine(3)}};
    write_image(AnyImage(displacement_field(transform, grid)), file("field.nii.gz"));
    using Field = itk::Image<itk::Vector<double, 3>, 3>;
    const auto reader = itk::ImageFileReader<Field>::New();
    reader->SetImageIO(itk::NiftiImageIO::New());
    reader->SetFileName(file("field.nii.gz").string());
    reader->Update();
    const auto read = itk::DisplacementFieldTransform<double, 3>::New();
    read->SetDisplacementField(reader->GetOutput());
    const LinearMap placed = placement(grid);
    for (const SpacePoint& voxel : {SpacePoint{1, 1, 1}, {10, 7, 8}, {18, 3, 10}})
        expect_same<3>(*read, transform, placed(voxel), tolerance);
}

}  // namespace
}  // namespace tesela::io::testing
