// Every operation that reads an image gives the same results wherever its inputs lie: in memory of
// its own, of somebody else's, contiguous or strided, read-only, or on its queue's device.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <thread>

#include "devices.h"
#include "lender.h"
#include "levels/level_results.h"
#include "operations/kinds/circles.h"
#include "operations/kinds/flow.h"
#include "operations/kinds/image.h"
#include "operations/kinds/render.h"
#include "operations/kinds/seeds.h"
#include "operations/kinds/table.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/wavelet.h"
#include "operations/registry.h"
#include "refusal.h"
#include "sanitized.h"

namespace tesela::operations {
namespace {

using testing::Hash;
using testing::Lender;
using testing::Lies;

// The image for an input. Two inputs of one operation get pictures of one size.
AnyImage image_for(const Operation& operation, const Input& input) {
    if (input.kind == kinds::labels || (operation.name == "measure" && input.name == "input")) {
        LabelImage labels = testing::quantized<std::uint32_t>(testing::patches({97, 61}, 0, 3), 5);
        return labels;
    }
    if (operation.name == "surface") {
        LabelImage labels({9, 8, 7});
        for (std::size_t i = 0; i < labels.pixels().size(); ++i)
            labels.pixels()[i] = static_cast<std::uint32_t>(i % 3);
        return labels;
    }
    if (input.kind == kinds::mask || operation.name == "distance" ||
        operation.name.starts_with("mask "))
        return testing::noise_mask({97, 61});
    if (input.kind == kinds::field) {
        Image<float> field({97, 61, 1, 1, 2});
        for (std::size_t i = 0; i < field.pixels().size(); ++i)
            field.pixels()[i] = static_cast<float>(i % 13) / 7.0f;
        return field;
    }
    if (input.name == "template")
        return testing::quantized<std::uint8_t>(testing::patches({17, 11}, 0.1, 3), 255);
    const bool in_color = operation.name.starts_with("stain") ||
                          operation.name == "thesis region-grow" ||
                          operation.name.starts_with("evaluate image");
    if (operation.name == "render") {
        Image<std::int16_t> volume = testing::volume();
        volume.geometry.unit = Unit::millimeter;
        return volume;
    }
    if (operation.name == "thesis level-set") return testing::volume();
    return testing::picture(in_color ? 3 : 1);
}

bool is_image(const Input& input) { return input.kind.value == &typeid(ImageValue); }

// Sets what is no image; false where the test has no such value.
bool set_other(const Operation& operation, const Input& input, Values& values) {
    if (input.kind == kinds::seeds) {
        const bool one_object = operation.name == "level-set aos";
        const bool in_volume = operation.name == "thesis level-set";
        values.set(input.name, *parse_seeds(in_volume    ? "3,3,3=1"
                                            : one_object ? "20,20=1"
                                                         : "20,20=1;70,40=2"));
        return true;
    }
    return false;
}

void add_results(const Operation& operation, const Results& results, Queue& queue, Hash& hash) {
    for (const Output& output : operation.outputs) {
        if (const auto* image = results.outputs.find<ImageValue>(output.name)) {
            const ImageValue there = image->is_resident() ? download(*image, queue) : *image;
            hash.add(there.image());
        }
        if (const auto* table = results.outputs.find<Table>(output.name))
            for (std::int64_t row = 0; row < table->rows; ++row)
                for (std::size_t column = 0; column < table->columns.size(); ++column)
                    std::visit([&](const auto& cell) { hash.add(cell); }, table->cell(row, column));
        if (const auto* found = results.outputs.find<Coefficients>(output.name)) {
            if (const auto* here = std::get_if<WaveletCoefficients>(found)) hash.add(here->values);
            if (const auto* there = std::get_if<1>(found))
                std::visit(
                    [&]<class T>(const DeviceImage<const T>& values) {
                        Image<T> read(values.shape);
                        read.pixels() = queue.download(values.pixels);
                        hash.add(read);
                    },
                    (*there)->values);
        }
    }
    for (const char byte : results.data) hash.add(byte);
}

std::set<std::string, std::less<>> all_outputs(const Operation& operation) {
    std::set<std::string, std::less<>> wanted;
    for (const Output& output : operation.outputs)
        if (output.kind.value == &typeid(ImageValue) || output.kind.value == &typeid(Table))
            wanted.emplace(output.name);
    if (operation.name == "register pair") wanted.erase("matches");  // of large pictures alone
    return wanted;
}

Options options_of(const Operation& operation) {
    Options options = operation.options;
    if (operation.name == "threshold range" || operation.name == "threshold hysteresis") {
        options.set("low", 50.0);
        options.set("high", 180.0);
    }
    if (operation.name == "image resample") {
        options.set("size", std::string("19"));
        options.set("interpolation", std::string("linear"));  // else pixels are looked at
    }
    if (operation.name == "image project") options.set("axis", std::string("y"));
    if (operation.name == "image math") options.set("formula", std::string("a + 2 * b"));
    if (operation.name == "grow limits") options.set("lower", 60.0);
    if (operation.name == "grow tolerance") options.set("tolerance", 25.0);
    if (operation.name == "circles") {
        options.set("min-radius", 4.0);
        options.set("max-radius", 9.0);
    }
    if (operation.name == "synthesize noise") options.set("sigma", 5.0);
    return options;
}

// Operations that read images from values that this test can make. The others read slides,
// landmarks, equations and the like, or nothing.
std::vector<const Operation*> operations_on_images() {
    std::vector<const Operation*> found;
    for (const Operation& operation : Registry::all().operations()) {
        bool fits = false;
        for (const Input& input : operation.inputs) {
            Values unused;
            fits |= is_image(input);
            if (input.required && !is_image(input) && !set_other(operation, input, unused)) {
                fits = false;
                break;
            }
        }
        if (fits) found.push_back(&operation);
    }
    return found;
}

class OperationOnDevice : public testing::OnDevice {
  protected:
    OperationOnDevice() : queue_(GetParam()) {}

    template <class Place>
    static ImageValue placed(const Place& place, const Operation& operation, const Input& input) {
        if constexpr (std::is_invocable_v<Place, AnyImage, const Input&>)
            return place(image_for(operation, input), input);
        else
            return place(image_for(operation, input));
    }
    // With images that `place` makes values of.
    template <class Place>
    std::uint64_t hash_of(const Operation& operation, const Place& place) {
        Values inputs;
        std::vector<ImageValue> several;
        for (const Input& input : operation.inputs) {
            if (!is_image(input)) {
                if (input.required || input.kind == kinds::seeds)
                    set_other(operation, input, inputs);
            } else if (input.several) {
                inputs.set(input.name, std::vector<ImageValue>{placed(place, operation, input)});
            } else {
                inputs.set(input.name, placed(place, operation, input));
            }
        }
        const Options options = options_of(operation);
        const auto wanted = all_outputs(operation);
        const Call call{.inputs = inputs, .options = options, .wanted = wanted, .threads = 2};
        Hash hash;
        try {
            add_results(operation, run(operation, call, queue_), queue_, hash);
        } catch (const Error& error) {
            ADD_FAILURE() << error.what();
        }
        return hash.value();
    }
    bool is_cpu_through_opencl() const {
        return GetParam().back_end() == BackEnd::opencl && !GetParam().properties().is_gpu;
    }
    ImageValue resident(const AnyImage& image) {
        return upload(ImageValue(AnyImageView(image)), queue_);
    }

    Queue queue_;
};

TEST_P(OperationOnDevice, ResultsAreTheSameWhereverInputsLie) {
    int compared = 0;
    for (const Operation* operation : operations_on_images()) {
        SCOPED_TRACE(operation->name);
        // Through OpenCL each takes long; without a device level, images are downloaded.
        if (is_cpu_through_opencl() && !operation->device.level.run) continue;
        if (operation->device.choose) try {
                operation->device.choose(options_of(*operation), GetParam().id());
            } catch (const InvalidArgument&) {
                continue;  // does not run on this device
            }
        const std::uint64_t expected =
            hash_of(*operation, [](AnyImage image) { return ImageValue(std::move(image)); });
        for (const Lies lies : {Lies::contiguous, Lies::strided}) {
            Lender lend(lies);
            EXPECT_EQ(hash_of(*operation, [&](const AnyImage& image) { return lend(image); }),
                      expected)
                << (lies == Lies::strided ? "strided" : "contiguous");
        }
        EXPECT_EQ(hash_of(*operation, [&](const AnyImage& image) { return resident(image); }),
                  expected)
            << "on the device";
        ++compared;
    }
    EXPECT_GE(compared, is_cpu_through_opencl() ? 10 : 30);
}

// Of values beyond 8 bits, options that are not given count in the range that an image uses.
TEST_P(OperationOnDevice, DeviceLevelsAgreeOnAllTheirTypes) {
    const Image<float> picture = testing::patches({97, 61}, 0.1, 3);
    const std::map<PixelType, AnyImage> pictures{
        {PixelType::u16, testing::quantized<std::uint16_t>(picture, 3000)},
        {PixelType::i16, testing::quantized<std::int16_t>(picture, 900)},
        {PixelType::u32, testing::quantized<std::uint32_t>(picture, 7)},
        {PixelType::i32, testing::quantized<std::int32_t>(picture, 7)},
        {PixelType::f32, picture}};
    for (const Operation* operation : operations_on_images())
        for (const PixelType type : operation->device.level.types) {
            const auto found = pictures.find(type);
            if (found == pictures.end() || is_cpu_through_opencl()) continue;
            SCOPED_TRACE(operation->name + " of " + std::string(pixel_type_name(type)));
            AnyImage image = found->second;
            if (operation->name == "distance")  // some pixels are outside
                std::visit([](auto& typed) { typed.pixels().front() = 0; }, image);
            const auto of_type = [&](const AnyImage& made, const Input& input) {
                return input.kind.pixels ? made : image;
            };
            EXPECT_EQ(hash_of(*operation,
                              [&](const AnyImage& made, const Input& input) {
                                  return resident(of_type(made, input));
                              }),
                      hash_of(*operation, [&](const AnyImage& made, const Input& input) {
                          return ImageValue(of_type(made, input));
                      }));
        }
}

// Where a CPU has kernels of its own; one point in the last word of a row is what they get wrong.
TEST_P(OperationOnDevice, ResultsAreThoseOfTheProcessor) {
    Queue processor(Device::parse("cpu"));
    for (const char* name : {"components", "edges canny", "threshold otsu", "distance"})
        for (const std::int64_t width : {33, 257, 513}) {
            SCOPED_TRACE(std::string(name) + " of " + std::to_string(width));
            const Operation& operation = Registry::all().find(name);
            const bool of_mask = operation.name == "components" || operation.name == "distance";
            Values inputs;
            inputs.set("input", of_mask ? testing::noise_mask({width, 40})
                                        : testing::quantized<std::uint8_t>(
                                              testing::patches({width, 40}, 0.3, 3), 255));
            const auto wanted = all_outputs(operation);
            const auto hash = [&](Queue& queue) {
                Hash made;
                add_results(operation, run(operation, {inputs, operation.options, wanted}, queue),
                            queue, made);
                return made.value();
            };
            EXPECT_EQ(hash(queue_), hash(processor));
        }
}

// With an image that is on a device already, nothing large goes to it or comes back.
TEST_P(OperationOnDevice, TheDeviceLevelTransfersNoImages) {
    const AnyImage large =
        testing::quantized<std::uint8_t>(testing::patches({1024, 1024}, 0.1, 3), 255);
    int looked_at = 0;
    for (const Operation* operation : operations_on_images()) {
        if (!operation->device.level.run || operation->inputs.size() > 1) continue;
        SCOPED_TRACE(operation->name);
        if (operation->outputs.front().kind.value != &typeid(ImageValue)) continue;  // a table
        // Pictures come to the host; regions are merged there; distances are looked at for their
        // range. Coefficients are no image.
        if (operation->name == "render" || operation->name == "mask split" ||
            operation->name == "segment" || operation->name == "thesis mean-shift" ||
            operation->name == "wavelet forward")
            continue;
        AnyImage image = large;
        if (operation->name == "distance")  // one pixel is outside
            std::get<Image<std::uint8_t>>(image).pixels().front() = 0;
        Values inputs;
        inputs.set("input", resident(image));
        const Options options = options_of(*operation);
        const std::string output(operation->outputs.front().name);
        const std::set<std::string, std::less<>> wanted{output};
        const Results results =
            run(*operation, {.inputs = inputs, .options = options, .wanted = wanted}, queue_);
        EXPECT_TRUE(results.outputs.image(output).is_resident());
        EXPECT_LT(results.work.bytes_uploaded, shape_of(image).points());
        EXPECT_LT(results.work.bytes_downloaded, shape_of(image).points());
        ++looked_at;
    }
    EXPECT_GE(looked_at, 8);
}

TEST_P(OperationOnDevice, ResultsOfOneAreInputsOfTheNext) {
    const Operation& otsu = Registry::all().find("threshold otsu");
    const Operation& components = Registry::all().find("components");
    const AnyImage image = testing::picture(1);
    const std::set<std::string, std::less<>> mask{"mask"}, labels{"labels", "table"};
    Values inputs, next;
    inputs.set("input", AnyImage(image));
    const Results of_host = run(otsu, {inputs, otsu.options, mask}, queue_);
    next.set("input", of_host.outputs.image("mask"));
    const Results expected = run(components, {next, components.options, labels}, queue_);
    inputs.set("input", resident(image));
    {
        Results first = run(otsu, {inputs, otsu.options, mask}, queue_);
        next.set("input", first.outputs.image("mask"));
    }  // the value keeps the buffer
    inputs = {};
    const Results found = run(components, {next, components.options, labels}, queue_);
    ASSERT_TRUE(found.outputs.image("labels").is_resident());
    EXPECT_EQ(download(found.outputs.image("labels"), queue_).image_of<std::uint32_t>().pixels(),
              expected.outputs.image("labels").image_of<std::uint32_t>().pixels());
    EXPECT_EQ(found.outputs.get<Table>("table").rows, expected.outputs.get<Table>("table").rows);
}

// Labels of all 32 bits.
TEST_P(OperationOnDevice, ComponentsOfLabelMapsStay) {
    const Operation& components = Registry::all().find("components");
    const auto wanted = all_outputs(components);
    LabelImage map = testing::quantized<std::uint32_t>(testing::patches({97, 61}, 0.1, 3), 5);
    for (std::uint32_t& label : map.pixels()) label *= 0x33333333u;
    const std::string equal = "equal";
    for (const std::string& values : {std::string("binary"), equal}) {
        SCOPED_TRACE(values);
        Options options = components.options;
        options.set("values", values);
        options.set("min-size", std::string("3"));
        if (values == equal) options.set("background", 0.0);
        const auto found = [&](const ImageValue& input) {
            Values inputs;
            inputs.set("input", input);
            return run(components, {inputs, options, wanted}, queue_);
        };
        const Results there = found(resident(map)), here = found(ImageValue(map));
        ASSERT_TRUE(there.outputs.image("labels").is_resident());
        Hash of_device, of_host;
        add_results(components, there, queue_, of_device);
        add_results(components, here, queue_, of_host);
        EXPECT_EQ(of_device.value(), of_host.value());
        EXPECT_GT(here.outputs.get<Table>("table").rows, values == equal ? 5 : 0);
    }
}

// Its input may be other things than an image, too.
TEST_P(OperationOnDevice, WarpLeavesWhatIsOnTheDeviceThere) {
    const Operation& warp = Registry::all().find("warp");
    const std::set<std::string, std::less<>> wanted{"output"};
    const Image<std::uint8_t> image = testing::picture(1);
    const Image<std::int32_t> of_other_type =
        testing::quantized<std::int32_t>(testing::patches({97, 61}, 0.1, 3), 9);
    const LabelImage labels =
        testing::quantized<std::uint32_t>(testing::patches({97, 61}, 0, 3), 5);
    const auto warped = [&](Warpable input) {
        Values inputs;
        inputs.set("input", std::move(input));
        inputs.set("transform", Transform{.dimensions = 2});
        inputs.set("like", ImageGrid{{50, 40}, {}});
        return run(warp, {inputs, warp.options, wanted}, queue_).outputs.get<Warpable>("output");
    };
    const auto there = std::get<ImageValue>(warped(resident(image)));
    ASSERT_TRUE(there.is_resident());
    EXPECT_EQ(download(there, queue_).image_of<std::uint8_t>().pixels(),
              std::get<ImageValue>(warped(ImageValue(image))).image_of<std::uint8_t>().pixels());
    EXPECT_FALSE(std::get<ImageValue>(warped(resident(of_other_type))).is_resident());
    const auto carried = std::get<WarpableLabels>(warped(WarpableLabels{resident(labels)})).labels;
    ASSERT_TRUE(carried.is_resident());
    EXPECT_EQ(download(carried, queue_).image_of<std::uint32_t>()(49, 39), labels(49, 39));
}

TEST_P(OperationOnDevice, CoefficientsOfWaveletsStay) {
    const Operation& forward = Registry::all().find("wavelet forward");
    const Operation& inverse = Registry::all().find("wavelet inverse");
    const std::set<std::string, std::less<>> coefficients{"coefficients", "picture"},
        image{"image"};
    const auto picture = testing::quantized<std::uint16_t>(testing::patches({97, 61}, 0.1, 3), 999);
    const auto back = [&](const ImageValue& input, const char* keep) {
        Values inputs, found;
        inputs.set("input", input);
        const Results bands = run(forward, {inputs, forward.options, coefficients}, queue_);
        EXPECT_TRUE(bands.outputs.has("picture"));
        found.set("input", bands.outputs.get<Coefficients>("coefficients"));
        Options options = inverse.options;
        options.set("keep", std::string(keep));
        return run(inverse, {found, options, image}, queue_).outputs.image("image");
    };
    const ImageValue there = back(resident(picture), "100%");
    ASSERT_TRUE(there.is_resident());
    EXPECT_EQ(download(there, queue_).image_of<std::uint16_t>().pixels(), picture.pixels());
    EXPECT_EQ(back(resident(picture), "5%").image_of<std::uint16_t>().pixels(),
              back(ImageValue(picture), "5%").image_of<std::uint16_t>().pixels());
}

TEST_P(OperationOnDevice, ABufferOfAnotherQueueIsRefused) {
    Queue other(GetParam());
    Values inputs;
    inputs.set("input", upload(ImageValue(AnyImage(testing::picture(1))), other));
    const Operation& canny = Registry::all().find("edges canny");
    const std::set<std::string, std::less<>> wanted{"edges"};
    const std::string reason = testing::refusal([&] {
        run(canny, {inputs, canny.options, wanted}, queue_);
    });
    EXPECT_NE(reason.find("buffer of another queue"), std::string::npos) << reason;
}

TEST_P(OperationOnDevice, ManyCallsKeepMemoryAsItIs) {
    const Operation& sobel = Registry::all().find("edges sobel");
    const std::set<std::string, std::less<>> wanted{"edges"};
    Values inputs;
    inputs.set("input", resident(testing::picture(1)));
    const auto call = [&] { run(sobel, {inputs, sobel.options, wanted}, queue_); };
    for (int i = 0; i < 10; ++i) call();
    const QueueCounters before = queue_.counters();
    const int calls = GetParam().back_end() == BackEnd::cpu ? 10000 : 2000;
    for (int i = 0; i < calls; ++i) call();
    const QueueCounters after = queue_.counters();
    EXPECT_EQ(after.bytes_allocated, before.bytes_allocated);
    EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
}

TEST_P(OperationOnDevice, TwoThreadsHaveAQueueEach) {
    const Operation& canny = Registry::all().find("edges canny");
    const std::set<std::string, std::less<>> wanted{"edges"};
    const AnyImage image = testing::picture(1);
    const auto edges = [&](Queue& queue) {
        Values inputs;
        inputs.refer("input", image);
        const Results results = run(canny, {inputs, canny.options, wanted}, queue);
        return results.outputs.image("edges").image_of<std::uint8_t>().pixels();
    };
    const auto expected = edges(queue_);
    std::array<bool, 2> same{};
    std::array<std::thread, 2> threads;
    for (std::size_t i = 0; i < threads.size(); ++i)
        threads[i] = std::thread([&, i] {
            Queue queue(GetParam(), {.threads = 1});
            same[i] = true;
            for (int round = 0; round < 5; ++round) same[i] = same[i] && edges(queue) == expected;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(same[0] && same[1]);
}

TEST_P(OperationOnDevice, IsCancelledFromAnotherThread) {
    const Operation& mean_shift = Registry::all().find("mean-shift");
    const std::set<std::string, std::less<>> wanted{"filtered"};
    Options options = mean_shift.options;
    options.set("spatial", Length(30));
    options.set("range", 80.0);
    Values inputs;
    inputs.set("input",
               testing::quantized<std::uint8_t>(testing::patches({700, 700}, 0.5, 3), 255));
    CancelToken token;
    std::chrono::steady_clock::time_point asked;
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        asked = std::chrono::steady_clock::now();
        token.cancel();
    });
    bool stopped = false;
    try {
        run(mean_shift, {inputs, options, wanted}, queue_, Progress({}, &token));
    } catch (const Cancelled&) {
        stopped = true;
    } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
    }
    const auto ended = std::chrono::steady_clock::now();
    other.join();
    if (GetParam().back_end() == BackEnd::cpu) {  // a GPU may have been done before
        EXPECT_TRUE(stopped);
        EXPECT_LT(std::chrono::duration<double>(ended - asked).count(), 0.5 * testing::patience);
    }
    // The queue is as good as before.
    inputs.set("input", testing::picture(1));
    const auto filtered = [&](Queue& queue) {
        const Results results = run(mean_shift, {inputs, mean_shift.options, wanted}, queue);
        return results.outputs.image("filtered").image_of<std::uint8_t>().pixels();
    };
    Queue fresh(GetParam());
    EXPECT_EQ(filtered(queue_), filtered(fresh));
}

TEST_P(OperationOnDevice, CopiesOfViewsAreCounted) {
    const Operation& sobel = Registry::all().find("edges sobel");
    const std::set<std::string, std::less<>> wanted{"edges"};
    const Image<std::uint16_t> image({97, 61});
    using View = ImageView<const std::uint16_t>;
    const auto with = [&](const Shape& shape) {
        Values inputs;
        inputs.set("input", View(image.data(), shape, View::Strides{1, 97, 97 * 61, 0, 1}));
        return run(sobel, {inputs, sobel.options, wanted}, queue_);
    };
    EXPECT_EQ(with({97, 61}).views_copied, 0);
    const Results of_part = with({50, 40});
    EXPECT_EQ(of_part.views_copied, 1);
    EXPECT_EQ(of_part.bytes_copied, 50 * 40 * 2);
}

// Of a run that ended, and of one that threw.
TEST_P(OperationOnDevice, TheQueueStopsOnItsOwnTokenAgain) {
    const Operation& sobel = Registry::all().find("edges sobel");
    const std::set<std::string, std::less<>> wanted{"edges"};
    Values inputs;
    inputs.set("input", testing::picture(1));
    CancelToken own, of_run;
    queue_.stop_on(&own);
    run(sobel, {inputs, sobel.options, wanted}, queue_, Progress({}, &of_run));
    of_run.cancel();
    EXPECT_THROW(run(sobel, {inputs, sobel.options, wanted}, queue_, Progress({}, &of_run)),
                 Cancelled);
    EXPECT_NO_THROW(run(sobel, {inputs, sobel.options, wanted}, queue_));
    own.cancel();
    EXPECT_THROW(run(sobel, {inputs, sobel.options, wanted}, queue_), Cancelled);
    queue_.stop_on(nullptr);
}

TESELA_ON_EVERY_DEVICE(OperationOnDevice);

}  // namespace
}  // namespace tesela::operations
