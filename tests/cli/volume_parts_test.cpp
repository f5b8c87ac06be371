// Operations with a halo from compressed volumes and OME-Zarr to compressed volumes.
#include <memory>
#include <set>

#include "compute/devices.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/volume_file.h"
#include "operations/registry.h"
#include "operations/volume_parts.h"
#include "program.h"
#include "tesela/morphology.h"
#include "tesela/tile_cache.h"
#include "tesela/volume_io.h"

namespace tesela::cli::testing {
namespace {

class VolumePartsProgram : public ProgramTest {
  protected:
    void done(const std::vector<std::string>& arguments) {
        const Outcome outcome = run(arguments);
        ASSERT_EQ(outcome.code, 0) << arguments.front() << ": " << outcome.err;
    }
    void make_volumes() {
        done({"synthesize", "volume", "--scene", "vessels", "--size", "100,90,130", "--noise", "2%",
              "-o", "v.nii"});
        io::write_image(io::read_image(file("v.nii")).image, file("v.zarr"));
        done({"compress", "v.nii", "-o", "v.tvol"});
    }
    void expect_same(const std::string& a, const std::string& b) {
        const AnyImage first = io::read_image(file(a)).image,
                       second = io::read_image(file(b)).image;
        ASSERT_EQ(first.index(), second.index());
        EXPECT_TRUE(std::visit(
            [&](const auto& image) {
                return image.pixels() == std::get<std::decay_t<decltype(image)>>(second).pixels();
            },
            first))
            << a << " and " << b;
    }
};

TEST_F(VolumePartsProgram, ResultsAreThoseOfTheWhole) {
    make_volumes();
    const std::vector<std::vector<std::string>> verbs{
        {"morphology", "open", "--radius", "2"},
        {"edges", "sobel"},
        {"image", "smooth", "gaussian", "--sigma", "1.5"},
        {"threshold", "range", "60", "255"}};
    for (const std::vector<std::string>& verb : verbs)
        for (const std::string input : {"v.tvol", "v.zarr"}) {
            const auto made = [&](const std::string& from, const std::string& to) {
                std::vector<std::string> words = verb;
                words.insert(words.end(), {from, "-o", to, "--force", "--device", "cpu"});
                done(words);
            };
            made("v.nii", "whole.nii");
            made(input, "parts.tvol");
            expect_same("parts.tvol", "whole.nii");
        }
    EXPECT_TRUE(io::open_volume_file(file("parts.tvol"))->facts().is_labels);  // a mask
}

TEST_F(VolumePartsProgram, DistancesLabelsAndMasksAreThoseOfTheWhole) {
    make_volumes();
    done({"threshold", "range", "120", "255", "v.nii", "-o", "mask.nii"});
    done({"threshold", "range", "120", "255", "v.tvol", "-o", "m.tvol"});  // marked as labels
    done({"components", "mask.nii", "-o", "labels.nii"});
    done({"components", "m.tvol", "-o", "l.tvol"});  // with a side file
    struct Case {
        std::vector<std::string> verb;
        std::string whole, parts;
    };
    const std::vector<Case> cases{
        {{"distance", "--within", "4"}, "mask.nii", "m.tvol"},
        {{"morphology", "dilate", "--radius", "2"}, "mask.nii", "m.tvol"},
        {{"morphology", "dilate", "--radius", "3"}, "labels.nii", "l.tvol"}};
    for (const Case& one : cases) {
        const auto made = [&](const std::string& from, const std::string& to) {
            std::vector<std::string> words = one.verb;
            words.insert(words.end(), {from, "-o", to, "--force", "--device", "cpu", "--json"});
            const Outcome outcome = run(words);
            EXPECT_EQ(outcome.code, 0) << outcome.err;
            return outcome.json();
        };
        EXPECT_TRUE(made(one.whole, "whole.nii").contains("input"));
        EXPECT_FALSE(made(one.parts, "parts.tvol").contains("input"));  // not read as a whole
        expect_same("parts.tvol", "whole.nii");
    }
    EXPECT_TRUE(io::open_volume_file(file("parts.tvol"))->facts().is_labels);
    expect_failure(2, {"--within", "needs the whole volume"},
                   {"distance", "m.tvol", "-o", "d.tvol"});
    done({"distance", "m.tvol", "-o", "d.nii"});
}

// What a queue of the CPU takes is the host's memory, whichever device is named first.
TEST_F(VolumePartsProgram, MemoryOfAllDevicesIsPlanned) {
    make_volumes();
    const auto plan_on = [&](const std::string& devices) {
        return run({"image", "smooth", "gaussian", "v.tvol", "-o", "s.tvol", "--device", devices,
                    "--dry-run", "--json"})
            .json();
    };
    for (const Device& device : tesela::testing::test_devices()) {
        if (device.back_end() == BackEnd::cpu) continue;
        EXPECT_EQ(plan_on(device.id() + ",cpu")["host_bytes"]["needed"],
                  plan_on("cpu," + device.id())["host_bytes"]["needed"]);
    }
}

TEST_F(VolumePartsProgram, LabelsStayMarked) {
    Image<std::uint8_t> atlas({80, 40, 40});
    for (std::int64_t x = 10; x < 70; x += 10) atlas(x, 20, 20) = static_cast<std::uint8_t>(x);
    io::write_image(atlas, file("atlas.nii"));
    done({"compress", "atlas.nii", "--labels", "-o", "marked.tvol"});
    done({"compress", "atlas.nii", "-o", "plain.tvol"});
    const auto is_marked = [&](const std::string& from, const std::vector<std::string>& more) {
        std::vector<std::string> words{"morphology", "dilate",   from, "-o",       "d.tvol",
                                       "--force",    "--radius", "2",  "--device", "cpu"};
        words.insert(words.end(), more.begin(), more.end());
        done(words);
        return io::open_volume_file(file("d.tvol"))->facts().is_labels;
    };
    EXPECT_TRUE(is_marked("marked.tvol", {"--labels"}));
    EXPECT_TRUE(is_marked("marked.tvol", {}));
    EXPECT_TRUE(is_marked("plain.tvol", {"--labels"}));
    EXPECT_FALSE(is_marked("plain.tvol", {}));
}

TEST_F(VolumePartsProgram, DevicesShareAVolume) {
    make_volumes();
    const std::vector<Device> devices = tesela::testing::test_devices();
    std::string all;
    for (const Device& device : devices) all += (all.empty() ? "" : ",") + device.id();
    const auto made = [&](const std::string& to, const std::string& on) {
        const Outcome outcome =
            run({"image", "smooth", "gaussian", "v.tvol", "-o", to, "--device", on, "--json"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.json();
    };
    made("one.tvol", devices.front().id());
    const Json shared = made("all.tvol", all)["shared"];
    EXPECT_EQ(shared["devices"].size(), devices.size());
    EXPECT_EQ(read_text("one.tvol"), read_text("all.tvol"));
    done({"threshold", "range", "120", "255", "v.tvol", "-o", "m.tvol"});
    const auto find = [&](const std::string& to, const std::string& on) {
        done(
            {"components", "m.tvol", "-o", to + ".l.tvol", "--table", to + ".csv", "--device", on});
        done({"measure", to + ".l.tvol", "-o", to + ".measures.csv", "--device", on});
    };
    find("one", devices.front().id());
    find("all", all);
    for (const std::string name : {".l.tvol", ".csv", ".measures.csv"})
        EXPECT_EQ(read_text("one" + name), read_text("all" + name));
}

// The walk through a volume finds again in the cache what it decoded, though that holds a part of a
// layer of bricks alone.
TEST_F(VolumePartsProgram, PartsAreDecodedOnceOrCloseToIt) {
    Image<std::uint8_t> volume({512, 500, 240});
    for (std::int64_t z = 0; z < 240; z += 3) volume(z, 2 * z, z) = 200;
    io::write_volume_file(*io::volume_input(volume), file("v.tvol"));
    io::write_image(volume, file("v.zarr"));
    TileCache& cache = TileCache::global();
    const std::int64_t capacity = cache.capacity();
    cache.set_capacity(std::int64_t{30} << 20);
    const operations::Operation& dilate = operations::Registry::all().find("morphology dilate");
    const std::set<std::string, std::less<>> wanted{"image"};
    Queue queue(Device::parse("cpu"));
    std::vector<std::string> warnings;
    for (const std::string input : {"v.tvol", "v.zarr"}) {
        std::shared_ptr<const PartSource> opened = io::open_zarr_volume(file("v.zarr"), warnings);
        if (input == "v.tvol")
            opened =
                in_parts(std::shared_ptr<const BrickSource>(io::open_volume_file(file(input))));
        const PartGrid stored(volume.shape(), opened->stored_part());
        operations::Values inputs, parts;
        inputs.set("input", operations::ImageParts{opened});
        parts.set("image", operations::WriteVolume([&](const VolumeInput& made,
                                                       const VolumeWriteOptions& how,
                                                       const Progress& progress) {
                      return io::write_volume_file(made, file("d.tvol"), how, progress);
                  }));
        const std::int64_t before = cache.counts().decoded;
        operations::run(
            operations::in_volume_parts(dilate),
            {.inputs = inputs, .options = dilate.options, .wanted = wanted, .parts = parts}, queue);
        const std::int64_t decoded = cache.counts().decoded - before;
        EXPECT_LE(static_cast<double>(decoded), 1.6 * static_cast<double>(stored.count()))
            << input << ": " << decoded << " of " << stored.count();
        const AnyImage made = io::read_image(file("d.tvol")).image;
        EXPECT_TRUE(std::get<Image<std::uint8_t>>(made).pixels() ==
                    std::get<Image<std::uint8_t>>(
                        morphology(volume, MorphologyOperator::dilate, {}, queue).image)
                        .pixels());
    }
    cache.set_capacity(capacity);
}

TEST_F(VolumePartsProgram, TellsWhatMasksCover) {
    io::write_image(Image<std::uint8_t>({70, 80, 75}), file("flat.nii"));
    done({"compress", "flat.nii", "-o", "flat.tvol"});
    for (const std::string output : {"m.nii", "m.tvol"}) {
        const Outcome outcome = run({"threshold", "range", "5", "9", "flat.tvol", "-o", output});
        EXPECT_EQ(outcome.code, 0);
        EXPECT_NE(outcome.err.find("the mask is empty: none of 420000 pixels"), std::string::npos)
            << output << ": " << outcome.err;
    }
}

TEST_F(VolumePartsProgram, WhatNeedsTheWholeSaysSo) {
    make_volumes();
    expect_failure(2, {"needs the whole volume"},
                   {"threshold", "adaptive", "v.tvol", "-o", "m.tvol"});
    io::write_image(Image<float>({20, 20, 20}), file("f.nii"));
    done({"compress", "f.nii", "-o", "f.tvol"});
    expect_failure(2, {"float32 pixels", "limits of the whole", "needs the whole volume"},
                   {"edges", "sobel", "f.tvol", "-o", "e.tvol"});
}

}  // namespace
}  // namespace tesela::cli::testing
