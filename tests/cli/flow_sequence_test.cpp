// `tesela flow METHOD` of sequences: folders, pictures, Y4M and videos, whole and damaged.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "program.h"
#include "tesela/evaluate_flow.h"
#include "tesela/flow_io.h"
#include "tesela/synthetic_flow.h"
#include "tesela/video_io.h"

namespace tesela::cli::testing {
namespace {

using Words = std::vector<std::string>;

class FlowSequence : public ProgramTest {
  protected:
    FlowSequence() {
        scene_.width = 65;
        scene_.height = 49;
        scene_.motion = {0, 0, 1, 0.5};
    }

    Image<std::uint8_t> frame(int index) const {
        const Image<float> values = synthetic_frame(scene_, index);
        Image<std::uint8_t> picture(values.shape());
        for (std::size_t i = 0; i < picture.pixels().size(); ++i)
            picture.pixels()[i] = static_cast<std::uint8_t>(
                std::clamp(std::round(double{values.pixels()[i]}), 0.0, 255.0));
        return picture;
    }
    void write_folder(const std::string& name, int count) const {
        fs::create_directory(file(name));
        for (int i = 0; i < count; ++i) write(name + "/f" + std::to_string(i) + ".png", frame(i));
    }
    void write_video(const std::string& name, int count) const {
        const auto writer = io::create_video(file(name), {.rate = {30, 1}});
        for (int i = 0; i < count; ++i) writer->write(frame(i));
        writer->finish();
    }
    static Words call(const Words& more, const std::string& method = "horn-schunck") {
        Words arguments{"flow", method, "--device", "cpu", "--progress", "none"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    Words files_in(const std::string& name) const {
        Words found;
        for (const std::string& path : names())
            if (path.starts_with(name + "/")) found.push_back(path.substr(name.size() + 1));
        return found;
    }
    // The result of a job that ends with an error in the middle: what was done is there.
    void expect_partial(int code, const Words& words, const Words& arguments,
                        const std::string& output, std::size_t count) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, code) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        ASSERT_EQ(outcome.errors().size(), 1u) << outcome.err;
        for (const std::string& word : words)
            EXPECT_NE(outcome.errors().front().find(word), std::string::npos)
                << "no '" << word << "' in: " << outcome.errors().front();
        EXPECT_EQ(files_in(output).size(), count);
    }

    SyntheticScene scene_;
};

TEST_F(FlowSequence, FolderInNaturalOrder) {
    write_folder("in", 12);
    const Outcome outcome = run(call({"in", "-o", "out", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = outcome.json();
    EXPECT_EQ(json["frames"], 12);
    EXPECT_EQ(json["fields"], 11);
    EXPECT_EQ(json["inputs"][0]["frames"], 12);
    EXPECT_EQ(json["outputs"].size(), 1u);
    EXPECT_EQ(json["outputs"][0]["bytes"], 11 * (12 + 65 * 49 * 8));
    EXPECT_GT(json["fields_per_second"], 0);
    ASSERT_EQ(json["stages"].size(), 5u);
    for (const Json& stage : json["stages"]) {
        const double busy = stage["busy_seconds"], waited = stage["waited_seconds"];
        EXPECT_GT(busy, 0) << stage;
        // No thread of a stage lives longer than the program.
        const double most_threads = 4 + std::thread::hardware_concurrency();
        EXPECT_LE(busy + waited, most_threads * outcome.seconds) << stage;
    }
    EXPECT_EQ(files_in("out"), (Words{"f0.flo", "f1.flo", "f10.flo", "f2.flo", "f3.flo", "f4.flo",
                                      "f5.flo", "f6.flo", "f7.flo", "f8.flo", "f9.flo"}));
    // f9 to f10 is the same motion as any other: the order was by number.
    for (const std::string& name : files_in("out")) {
        const FlowEvaluation found =
            evaluate_flow(io::read_flow(file("out/" + name)), synthetic_truth(scene_));
        EXPECT_LT(found.endpoint.mean, 0.2) << name;
    }
}

TEST_F(FlowSequence, TheSameBitsInEveryBatchAndAsPairs) {
    write_folder("in", 7);
    for (const std::string method : {"horn-schunck", "lucas-kanade"}) {
        for (const std::string batch : {"2", "3", "7", "50"}) {
            const Outcome outcome =
                run(call({"in", "-o", method + batch, "--batch", batch}, method));
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            ASSERT_EQ(files_in(method + batch).size(), 6u);
        }
        ASSERT_EQ(run(call({"in/f3.png", "in/f4.png", "-o", method + ".flo"}, method)).code, 0);
        for (const std::string batch : {"2", "3", "7", "50"})
            EXPECT_EQ(read_text(method + batch + "/f3.flo"), read_text(method + ".flo")) << batch;
        for (const std::string& name : files_in(method + "2"))
            EXPECT_EQ(read_text(method + "7/" + name), read_text(method + "2/" + name));
    }
}

TEST_F(FlowSequence, PicturesOfEveryKind) {
    write_folder("in", 4);
    const Outcome outcome =
        run(call({"in/f0.png", "in/f1.png", "in/f3.png", "-o", "all", "--color", "all", "--arrows",
                  "arrows.y4m", "--warped", "warped", "--frame-rate", "12.5", "-q"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "");
    EXPECT_EQ(files_in("all"), (Words{"f0.flo", "f0.png", "f1.flo", "f1.png"}));
    EXPECT_EQ(files_in("warped"), (Words{"f0.png", "f1.png"}));
    EXPECT_EQ(shape_of(io::read_image(file("warped/f0.png")).image), (Shape{65, 49}));
    const auto video = io::open_frames(file("arrows.y4m"));
    EXPECT_EQ(video->facts().frames, 2);
    EXPECT_EQ(video->facts().frame, (Shape{65, 49, 1, 1, 3}));
    EXPECT_EQ(video->facts().rate->per_second(), 12.5);
}

// One scale for all fields, or colors of a sequence cannot be compared.
// Of a file each, of one file, and as Barron's rasters, which need no layout.
TEST_F(FlowSequence, FramesWithoutAHeader) {
    write_folder("in", 3);
    ASSERT_EQ(run(call({"in", "-o", "expected"})).code, 0);
    fs::create_directory(file("raw"));
    std::string movie;
    for (int i = 0; i < 3; ++i) {
        const Image<std::uint8_t> picture = frame(i);
        const std::string bytes(picture.pixels().begin(), picture.pixels().end());
        write_text("raw/f" + std::to_string(i), bytes);
        std::string header;
        for (const unsigned word : {0x59a66a95u, 65u, 49u, 8u, 0u, 1u, 0u, 0u})
            for (const int shift : {24, 16, 8, 0}) header += static_cast<char>(word >> shift);
        write_text("tree." + std::to_string(i), header + bytes);
        movie += bytes;
    }
    write_text("movie", movie);
    const auto expect_same = [&](const Words& arguments, const Words& fields) {
        Words all = arguments;
        all.insert(all.end(), {"-o", "out", "--force"});
        const Outcome outcome = run(call(all));
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const Words expected = files_in("expected");
        ASSERT_EQ(expected.size(), 2u);
        for (std::size_t i = 0; i < 2; ++i)
            EXPECT_EQ(read_text("out/" + fields[i]), read_text("expected/" + expected[i]));
        fs::remove_all(file("out"));
    };
    expect_same({"raw", "--raw", "65x49:u8"}, {"f0.flo", "f1.flo"});
    expect_same({"raw/f0", "raw/f1", "raw/f2", "--raw", "65x49:u8"}, {"f0.flo", "f1.flo"});
    expect_same({"movie", "--raw", "65x49:u8"}, {"000000.flo", "000001.flo"});
    expect_same({"tree.0", "tree.1", "tree.2"}, {"000000.flo", "000001.flo"});
    expect_same({"tree.0", "tree.1", "tree.2", "--raw", "65x49:u8:32"},
                {"000000.flo", "000001.flo"});
    ASSERT_EQ(run(call({"tree.0", "tree.1", "-o", "pair.flo"})).code, 0);
    EXPECT_EQ(read_text("pair.flo"), read_text("expected/" + files_in("expected")[0]));
    ASSERT_EQ(run(call({"raw/f0", "raw/f1", "--raw", "65x49:u8", "-o", "two.flo"})).code, 0);
    EXPECT_EQ(read_text("two.flo"), read_text("expected/" + files_in("expected")[0]));
    expect_failure(3, {"movie", "whole frames", "64 x 49"},
                   call({"movie", "--raw", "64x49:u8", "-o", "out"}));
    expect_failure(2, {"--raw", "width x height"}, call({"movie", "--raw", "64:u8", "-o", "out"}));
    expect_failure(2, {"--channel", "--raw"},
                   call({"movie", "--raw", "65x49:u8", "--channel", "0", "-o", "out"}));
}

TEST_F(FlowSequence, TheScaleIsThatOfTheFirstField) {
    scene_.width = scene_.height = 64;
    fs::create_directory(file("in"));
    const int moments[] = {0, 2, 4, 5};  // the last step is half as long
    for (int i = 0; i < 4; ++i) write("in/" + std::to_string(i) + ".png", frame(moments[i]));
    const Outcome outcome = run(call({"in", "--color", "c", "-o", "f", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const double scale = outcome.json()["max_motion"];
    EXPECT_NEAR(scale, 2.24, 0.4);
    const auto saturation = [&](const std::string& name) {
        const auto image = std::get<Image<std::uint8_t>>(io::read_image(file(name)).image);
        return 255 -
               std::min({image(32, 32, 0, 0, 0), image(32, 32, 0, 0, 1), image(32, 32, 0, 0, 2)});
    };
    EXPECT_NEAR(saturation("c/2.png"), saturation("c/0.png") / 2, 25);
    const Outcome given = run(call({"in", "--color", "g", "--max-motion", "9", "--json"}));
    EXPECT_EQ(given.json()["max_motion"], 9);
    // Where nothing moves at first: half a percent of the longer side.
    for (const char* name : {"in/0.png", "in/1.png"}) write(name, frame(0));
    const Outcome still = run(call({"in", "--color", "s", "--json"}));
    EXPECT_NEAR(double{still.json()["max_motion"]}, 0.32, 1e-9);
}

TEST_F(FlowSequence, Y4mThroughPipes) {
    write_video("in.y4m", 6);
    const std::string program = TESELA_PROGRAM;
    const std::string line = "cd " + folder.string() + " && cat in.y4m | " + program +
                             " flow horn-schunck - -o - --device cpu -q > out.y4m";
    ASSERT_EQ(std::system(line.c_str()), 0);
    const auto piped = io::open_frames(file("out.y4m"));
    EXPECT_EQ(piped->facts().frames, 5);
    EXPECT_EQ(piped->facts().rate, (FrameRate{30, 1}));
    ASSERT_EQ(run(call({"in.y4m", "-o", "file.y4m"})).code, 0);
    EXPECT_EQ(read_text("out.y4m"), read_text("file.y4m"));
    expect_failure(2, {"'-'", "--json"}, call({"in.y4m", "-o", "-", "--json"}));
    expect_failure(2, {"only one", "'-'"}, call({"in.y4m", "-o", "-", "--arrows", "-"}));
}

TEST_F(FlowSequence, Videos) {
    if (!io::has_video_codecs()) GTEST_SKIP() << "built without FFmpeg's libraries";
    write_video("in.mp4", 8);
    const Outcome outcome = run(call({"in.mp4", "-o", "out.mkv", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["inputs"][0]["frame_rate"], 30);
    EXPECT_EQ(outcome.json()["fields"], 7);
    EXPECT_EQ(outcome.json()["outputs"][0]["kind"], "color");
    const auto video = io::open_frames(file("out.mkv"));
    EXPECT_EQ(video->facts().rate, (FrameRate{30, 1}));
    int frames = 0;
    while (video->next()) ++frames;
    EXPECT_EQ(frames, 7);
    const Outcome info = run({"info", "in.mp4", "--json"});
    EXPECT_EQ(info.json()["files"][0]["frames"], 8);
    // Matroska does not count its frames, and a duration is no count.
    EXPECT_TRUE(run({"info", "out.mkv", "--json"}).json()["files"][0]["frames"].is_null());
    EXPECT_EQ(info.json()["files"][0]["frame_rate"], 30);
    EXPECT_EQ(info.json()["files"][0]["format"], "MP4");
    EXPECT_NE(run({"info", "in.mp4"}).out.find("30 per second"), std::string::npos);
}

TEST_F(FlowSequence, ErrorsInTheMiddleKeepWhatWasDone) {
    write_folder("in", 8);
    write_text("in/f5.png", "no picture");
    expect_partial(3, {"frame 5", "f5.png", "4 fields are kept in 'out'"},
                   call({"in", "-o", "out"}), "out", 4);
    write("in/f5.png", gray_picture(20, 20));
    expect_partial(2, {"f5.png", "frame 5", "20 x 20", "65 x 49", "4 fields are kept"},
                   call({"in", "-o", "sizes", "--batch", "4"}), "sizes", 4);
    Image<float> wrong({65, 49});
    wrong.pixels()[65 * 7 + 3] = std::numeric_limits<float>::quiet_NaN();
    fs::remove(file("in/f5.png"));
    write("in/f5.tif", wrong);
    expect_partial(2, {"f5.tif", "frame 5", "float32", "uint8"}, call({"in", "-o", "nan"}), "nan",
                   4);
    write("zero.tif", Image<float>({65, 49}));
    expect_partial(2, {"f5.tif", "frame 2", "x 3, y 7", "finite"},
                   call({"zero.tif", "zero.tif", "in/f5.tif", "-o", "numbers"}), "numbers", 1);
    expect_failure(2, {"f5.tif", "frame 0", "x 3, y 7", "finite"},
                   call({"in/f5.tif", "in/f6.png", "in/f7.png", "-o", "first"}));
    // A number that is missing would be motion over two frames.
    fs::remove(file("in/f5.tif"));
    expect_failure(2, {"'in' lacks the picture 'f5' between 'f4.png' and 'f6.png'", "list"},
                   call({"in", "-o", "gap"}));
    ASSERT_EQ(run(call({"in/f3.png", "in/f4.png", "in/f6.png", "-o", "gap"})).code, 0);
    EXPECT_EQ(files_in("gap"), (Words{"f3.flo", "f4.flo"}));
    expect_partial(3, {"frame 2", "none.png", "1 field is kept"},
                   call({"in/f0.png", "in/f1.png", "none.png", "-o", "missing"}), "missing", 1);
    expect_failure(3, {"frame 0", "none.png"},
                   call({"none.png", "in/f1.png", "in/f2.png", "-o", "nothing"}));
}

TEST_F(FlowSequence, TruncatedVideoKeepsWhatWasDone) {
    write_video("in.y4m", 8);
    const std::string whole = read_text("in.y4m");
    write_text("in.y4m", whole.substr(0, whole.size() - 10));
    const Outcome outcome = run(call({"in.y4m", "-o", "out.y4m"}));
    EXPECT_EQ(outcome.code, 3);
    ASSERT_EQ(outcome.errors().size(), 1u) << outcome.err;
    EXPECT_NE(outcome.errors()[0].find("in.y4m': frame 7 is cut off"), std::string::npos);
    EXPECT_NE(outcome.errors()[0].find("6 fields are kept in 'out.y4m'"), std::string::npos);
    EXPECT_EQ(io::open_frames(file("out.y4m"))->facts().frames, 6);
}

TEST_F(FlowSequence, BadInput) {
    write_folder("in", 3);
    write_folder("one", 1);
    fs::create_directory(file("none"));
    write_text("text.mp4", "this is no video");
    expect_failure(2, {"two frames", "f0.png"}, call({"one", "-o", "out"}));
    expect_failure(3, {"none", "no picture"}, call({"none", "-o", "out"}));
    expect_failure(3, {"missing"}, call({"missing", "-o", "out"}));
    expect_failure(3, {"text.mp4"}, call({"text.mp4", "-o", "out"}));
    write_text("none.y4m", "YUV4MPEG2 W60000 H60000 C444\n");
    expect_failure(3, {"none.y4m", "no frame"}, call({"none.y4m", "-o", "out"}));
    expect_failure(2, {"no output"}, call({"in"}));
    expect_failure(2, {"one.flo", "folder"}, call({"in", "-o", "one.flo"}));
    expect_failure(2, {"in", "input"}, call({"in", "-o", "in"}));
    expect_failure(2, {"one", "not empty", "--force"}, call({"in", "-o", "one"}));
    expect_failure(2, {"--color", "--arrows"}, call({"in", "--color", "o", "--arrows", "o"}));
    expect_failure(2, {"--flow", "--color"}, call({"in", "-o", "a.y4m", "--color", "c"}));
    expect_failure(2, {"a.y4m", "both"}, call({"in", "--arrows", "a.y4m", "--color", "a.y4m"}));
    expect_failure(1, {"no/out"}, call({"in", "-o", "no/out"}));
    expect_failure(2, {"--batch"}, call({"in", "-o", "out", "--batch", "1"}));
    ASSERT_EQ(run(call({"in", "-o", "one", "--force"})).code, 0);
    EXPECT_EQ(files_in("one"), (Words{"f0.flo", "f0.png", "f1.flo"}));
    write_text("a.y4m", "old");
    expect_failure(2, {"a.y4m", "exists", "--force"}, call({"in", "-o", "a.y4m"}));
    ASSERT_EQ(run(call({"in", "-o", "a.y4m", "--force"})).code, 0);
    const Outcome plan = run(call({"in", "-o", "plan", "--dry-run"}));
    EXPECT_EQ(plan.code, 0);
    EXPECT_TRUE(plan.out.starts_with("device memory needed: at most ")) << plan.out;
    EXPECT_TRUE(plan.out.ends_with("\nwould write flow plan\n")) << plan.out;
    EXPECT_NE(plan.out.find("\nhost memory needed: at most "), std::string::npos);
    EXPECT_EQ(std::count(plan.out.begin(), plan.out.end(), '\n'), 5) << plan.out;
    EXPECT_FALSE(fs::exists(file("plan")));
}

TEST_F(FlowSequence, FramesAreNeverReplaced) {
    write_folder("in", 3);
    fs::create_directory(file("links"));
    for (const std::string name : {"f0.png", "f1.png", "f2.png"})
        fs::create_symlink("../in/" + name, file("links/" + name));
    fs::create_symlink("in", file("also-in"));
    const Words frames{"in/f0.png", "in/f1.png", "in/f2.png"};
    const Words before{read_text(frames[0]), read_text(frames[1]), read_text(frames[2])};
    for (const Words& input : {frames, Words{"in"}, Words{"links"}})
        for (const std::string option : {"--flow", "--color", "--arrows", "--warped"})
            for (const std::string output : {"in", "./in", "links/../in", "also-in"}) {
                Words arguments = call(input);
                arguments.insert(arguments.end(), {option, output, "--force"});
                expect_failure(2, {option, "'" + output, "input"}, arguments);
            }
    EXPECT_EQ(Words({read_text(frames[0]), read_text(frames[1]), read_text(frames[2])}), before);
    write_video("film.y4m", 3);
    expect_failure(2, {"--color", "'.'"}, call({"film.y4m", "--color", ".", "--force"}));
    const std::string from_standard_input = "cd " + folder.string() + " && " + TESELA_PROGRAM +
                                            " flow tv-l1 - -q --force --color film.y4m < film.y4m "
                                            "2> /dev/null";
    const std::string film = read_text("film.y4m");
    EXPECT_EQ(WEXITSTATUS(std::system(from_standard_input.c_str())), 2);
    EXPECT_TRUE(read_text("film.y4m") == film);
    // A folder in that of the input, or around it, is another.
    EXPECT_EQ(run(call({"in", "--color", "in/color"})).code, 0);
    EXPECT_EQ(run(call({"in", "--color", ".", "--force"})).code, 0);
}

TEST_F(FlowSequence, OneFolderUnderTwoNames) {
    write_folder("in", 3);
    fs::create_symlink(".", file("here"));
    for (const std::string same : {"./o", "o/", "in/../o", "here/o"}) {
        const Words arguments = call({"in", "--color", "o", "--arrows", same});
        expect_failure(2, {"--color", "--arrows"}, arguments);
    }
    expect_failure(2, {"--color", "--arrows"},
                   call({"in", "--color", "o", "--arrows", file("o").string()}));
    expect_failure(2, {"--color", "--arrows", "o.y4m"},
                   call({"in", "--color", "o.y4m", "--arrows", file("o.y4m").string()}));
    EXPECT_EQ(run(call({"in", "--color", "o", "--arrows", "O"})).code, 0);
    EXPECT_EQ(files_in("o").size() + files_in("O").size(), 4u);
}

TEST_F(FlowSequence, FoldersThatCannotBeMade) {
    write_folder("in", 3);
    fs::create_symlink("loop", file("loop"));
    expect_failure(1, {"'loop'", "symbolic links"}, call({"in", "--color", "loop"}));
    fs::create_symlink("nothing", file("broken"));
    expect_failure(1, {"'broken'", "leads nowhere"}, call({"in", "--color", "broken"}));
    expect_failure(1, {"File name too long"}, call({"in", "--color", std::string(256, 'n')}));
    // Of a field, whose name is that of its frame and a suffix.
    const std::string longest(255, 'n');
    fs::copy(file("in/f0.png"), file("in/" + longest));
    expect_failure(1, {"nnn.flo", "File name too long"},
                   call({"in/" + longest, "in/f1.png", "in/f2.png", "-o", "out"}));
}

TEST_F(FlowSequence, NamesOfAnyBytes) {
    write_folder("in\xff", 3);
    const Outcome outcome =
        run(call({"in\xff", "-o", "out\xff", "--color", "c\xfe.y4m", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["inputs"][0]["path"], "in\\xff");
    EXPECT_EQ(files_in("out\xff").size(), 2u);
    EXPECT_EQ(run(call({"c\xfe.y4m", "-o", "again"})).code, 0);
}

TEST_F(FlowSequence, DryRunCoversWhatABatchTakes) {
    write_folder("in", 5);
    const auto job = [&](Words more) {
        more.insert(more.begin(), {"in", "--json", "--batch", "3"});
        return run(call(more)).json();
    };
    const auto needed = job({"--dry-run"})["device_bytes"]["needed"].get<std::int64_t>();
    const auto taken = job({})["peak_memory"]["device"].get<std::int64_t>();
    EXPECT_LE(taken, needed * 17 / 16 + 20000);
    EXPECT_GE(taken, needed * 2 / 3);
}

// --max-memory is for the device and for all frames and fields under way, of which there are then
// fewer.
TEST_F(FlowSequence, MemoryOfFramesUnderWay) {
    write_folder("in", 9);
    const Json plan = run(call({"in", "--json", "--dry-run", "--color", "c"})).json();
    const auto device = plan["device_bytes"]["needed"].get<std::int64_t>();
    // The device is the CPU: what it takes is the host's.
    const auto host = plan["host_bytes"]["needed"].get<std::int64_t>() - device;
    const std::int64_t batch = 2 * 65 * 49 * (1 + 4 + 8 + 3);
    EXPECT_EQ(host % batch, 0);
    EXPECT_GT(host, 5 * batch);
    const std::string little = std::to_string(device + 3 * batch / 2);
    const Outcome fits = run(call({"in", "--max-memory", little, "--color", "c", "--json"}));
    EXPECT_EQ(fits.code, 0) << fits.err;
    EXPECT_EQ(files_in("c").size(), 8u);
    const Json small =
        run(call({"in", "--max-memory", little, "--color", "d", "--json", "--dry-run"})).json();
    EXPECT_EQ(small["host_bytes"]["needed"], device + batch);
    EXPECT_EQ(small["device_bytes"]["fits"], true);
    for (const std::int64_t bytes : {device + batch / 2, device / 2}) {
        const Words job{"in", "--max-memory", std::to_string(bytes), "--color", "d"};
        expect_failure(5, {"frames and fields under way", "--max-memory", "--batch"}, call(job));
        Words dry = job;
        dry.push_back("--dry-run");
        const Outcome planned = run(call(dry));
        EXPECT_EQ(planned.code, 5);
        EXPECT_NE(planned.err.find("on the host"), std::string::npos) << planned.err;
    }
}

TEST_F(FlowSequence, FullDisk) {
    write_folder("in", 3);
    expect_failure(1, {"out", "too large"}, call({"in", "-o", "out"}), {.largest_file = 8000});
    Words videos{"a.y4m"};
    if (io::has_video_codecs()) videos.insert(videos.end(), {"a.mp4", "a.mkv", "a.avi"});
    for (const std::string& video : videos) {
        const Words job = call({"in", "-o", video});
        expect_failure(1, {video, "too large"}, job, {.largest_file = 1000});
        EXPECT_EQ(run(job, {.largest_file = 1000}).err.find("kept"), std::string::npos) << video;
    }
}

// The videos are lost, the pictures stay.
TEST_F(FlowSequence, FullDiskSaysWhatIsThere) {
    write_folder("in", 12);
    const Outcome outcome = run(call({"in", "--color", "colors", "--arrows", "lost.y4m"}),
                                {.largest_file = 6 * 65 * 49 * 3});
    EXPECT_EQ(outcome.code, 1);
    ASSERT_EQ(outcome.errors().size(), 1u) << outcome.err;
    const std::size_t kept = files_in("colors").size();
    EXPECT_GE(kept, 5u);
    EXPECT_LT(kept, 11u);
    EXPECT_TRUE(outcome.errors()[0].ends_with("lost.y4m': File too large; " + std::to_string(kept) +
                                              " fields are kept in 'colors'"))
        << outcome.errors()[0];
    EXPECT_FALSE(fs::exists(file("lost.y4m")));
}

TEST_F(FlowSequence, VideosCutOffOrEmpty) {
    if (!io::has_video_codecs()) GTEST_SKIP() << "built without FFmpeg's libraries";
    write_video("in.mkv", 8);
    const std::string whole = read_text("in.mkv");
    write_text("in.mkv", whole.substr(0, whole.size() - 5));
    const Outcome outcome = run(call({"in.mkv", "-o", "out", "--json"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["fields"], 7);
    EXPECT_NE(outcome.err.find("'in.mkv' is cut off after its last frame; " +
                               std::to_string(whole.size() - 5) + " of its " +
                               std::to_string(whole.size()) + " bytes"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(outcome.json()["warnings"].size(), 1u);
    // The head alone, before the first cluster.
    write_text("in.mkv", whole.substr(0, whole.find("\x1f\x43\xb6\x75")));
    expect_failure(3, {"in.mkv", "no frame"}, call({"in.mkv", "-o", "none"}));
    expect_failure(3, {"in.mkv", "no frame"}, {"info", "in.mkv"});
    // Within the first cluster: the header speaks of eight frames.
    write_text("in.mkv", whole.substr(0, whole.find("\x1f\x43\xb6\x75") + 40));
    expect_failure(3, {"in.mkv", "no frame"}, {"info", "in.mkv"});
}

TEST_F(FlowSequence, ANamedPipeWaitsForItsWriter) {
    write_video("in.y4m", 4);
    ASSERT_EQ(mkfifo(file("pipe.y4m").c_str(), 0600), 0);
    std::thread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        std::ofstream(file("pipe.y4m"), std::ios::binary) << read_text("in.y4m");
    });
    const Outcome outcome = run(call({"pipe.y4m", "-o", "out", "--json"}));
    writer.join();
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["fields"], 3);
}

TEST_F(FlowSequence, InterruptKeepsWhatWasDone) {
    scene_.width = 320;
    scene_.height = 240;
    write_folder("in", 60);
    const Outcome outcome = run(call({"in", "-o", "out"}),
                                {.interrupt_when = [&] { return fs::exists(file("out/f0.flo")); }});
    ASSERT_EQ(outcome.code, 130) << outcome.err;
    ASSERT_EQ(outcome.errors().size(), 1u);
    const Words files = files_in("out");
    ASSERT_GE(files.size(), 1u) << outcome.err;
    EXPECT_LT(files.size(), 59u);
    EXPECT_NE(outcome.errors()[0].find("cancelled; " + std::to_string(files.size()) + " field"),
              std::string::npos)
        << outcome.errors()[0];
    for (const std::string& name : files)
        EXPECT_EQ(io::read_flow(file("out/" + name)).shape(), (Shape{320, 240, 1, 1, 2})) << name;
    EXPECT_LT(outcome.seconds, 6);
}

// Sixty frames take no more memory than ten.
TEST_F(FlowSequence, MemoryDoesNotGrow) {
    scene_.width = scene_.height = 256;
    std::int64_t bytes[2] = {};
    const int counts[2] = {10, 60};
    for (int i = 0; i < 2; ++i) {
        const std::string name = "in" + std::to_string(i) + ".y4m";
        write_video(name, counts[i]);
        const Outcome outcome = run(call(
            {name, "-o", "out" + std::to_string(i), "--threads", "2", "--json"}, "lucas-kanade"));
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        bytes[i] = outcome.json()["peak_memory"]["host"];
    }
    constexpr std::int64_t fields = 10;  // what allocators keep differs by some
    EXPECT_LT(bytes[1], bytes[0] + fields * 256 * 256 * 8);
}

}  // namespace
}  // namespace tesela::cli::testing
