// Counts the bright objects of a cv::Mat. Tesela reads the Mat's own pixels, and OpenCV reads the
// labels in Tesela's memory: neither is copied.
//
//   $ opencv_mat
//   the picture: 3 objects, no copy
//   its left half: 2 objects, one copy
//   object 1: 2400 pixels, 2400 of them counted by OpenCV
//   object 2: 5000 pixels, 5000 of them counted by OpenCV
//   object 3: 900 pixels, 900 of them counted by OpenCV
#include <cstdint>
#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>

#include "tesela/components.h"
#include "tesela/threshold.h"

namespace {

// The pixels of a Mat of CV_8U, which have to stay as long as the view.
tesela::AnyImageView view_of(const cv::Mat& mat) {
    using View = tesela::ImageView<const std::uint8_t>;
    const tesela::Shape shape{mat.cols, mat.rows, 1, 1, mat.channels()};
    return View(mat.ptr(), shape,
                View::Strides{mat.channels(), std::int64_t(mat.step1()), 0, 0, 1});
}

// The labels as a Mat over their own memory; they have to stay as long as the Mat.
cv::Mat mat_of(tesela::LabelImage& labels) {
    const tesela::Shape& shape = labels.shape();
    return cv::Mat(int(shape.y), int(shape.x), CV_32SC1, labels.data());
}

cv::Mat picture_of_objects() {
    cv::Mat picture(300, 400, CV_8UC1, cv::Scalar(30));
    picture(cv::Rect(20, 20, 60, 40)).setTo(180);
    picture(cv::Rect(90, 150, 50, 100)).setTo(220);
    picture(cv::Rect(300, 200, 30, 30)).setTo(200);
    return picture;
}

tesela::ComponentResult objects_of(const tesela::AnyImageView& view, const char* name,
                                   tesela::Queue& queue) {
    const auto bright = tesela::otsu_threshold(view, queue);
    auto objects = tesela::components(bright.mask, {}, queue);
    std::printf("%s: %u objects, %s\n", name, objects.count,
                view.owns_pixels() ? "one copy" : "no copy");
    return objects;
}

}  // namespace

int main() try {
    const cv::Mat picture = picture_of_objects();
    tesela::Queue queue(tesela::Device::best());
    auto objects = objects_of(view_of(picture), "the picture", queue);
    // Rows of a part are apart by those of the whole, which one copy brings into order.
    objects_of(view_of(picture(cv::Rect(0, 0, 200, 300))), "its left half", queue);

    const cv::Mat labels = mat_of(objects.labels);
    for (std::size_t i = 0; i < objects.table.size(); ++i) {
        const int label = int(i) + 1;
        std::printf("object %d: %lld pixels, %d of them counted by OpenCV\n", label,
                    static_cast<long long>(objects.table[i].area),
                    cv::countNonZero(labels == label));
    }
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "opencv_mat: %s\n", error.what());
    return 1;
}
