// Jobs: what they give is what the library gives, and whatever goes wrong in one is told of it.
#include <atomic>
#include <chrono>
#include <thread>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "tesela/region_grow.h"
#include "viewer/server/jobs.h"
#include "viewer_test.h"

namespace tesela::viewer::testing {
namespace {

using operations::Call;
using operations::Operation;
using operations::Registry;
using operations::Results;

struct WaitOptions {
    double seconds = 30;
    std::string ends = "done";
};
template <class V>
void describe(V&& v, WaitOptions& o) {
    v("seconds", o.seconds, "how long", OptionRange{.lowest = 0, .highest = 100});
    v("ends", o.ends, "how it ends: done, device, argument or fault");
}

std::atomic<int> at_work{0};

Results wait(const Call& call, Queue&, const Progress& progress) {
    const auto& options = call.options.as<WaitOptions>();
    const auto begin = std::chrono::steady_clock::now();
    const auto passed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    struct AtWork {
        AtWork() { ++at_work; }
        ~AtWork() { --at_work; }
    } const counted;
    do {
        progress.report(std::min(passed() / options.seconds, 1.0), "wait");
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (passed() < options.seconds);
    if (options.ends == "device") throw DeviceUnavailable("the device is gone");
    if (options.ends == "argument") throw InvalidArgument("--seconds is too much for today");
    if (options.ends == "fault") throw std::runtime_error("something broke");
    Results results = operations::image_results("waited", call.inputs.image("input"));
    results.warnings = {"it took a while"};
    return results;
}

// Of Tesela, and one that a later version might bring.
const Registry& registry() {
    static const Registry all = [] {
        Registry made;
        operations::add_grow(made);
        operations::add_components(made);
        made.add(
            Operation{.name = "wait",
                      .purpose = "give the image after a while",
                      .sentence = "Gives the image after a while.",
                      .task = operations::tasks::filter,
                      .inputs = {operations::volume_input},
                      .outputs = {{"image", operations::kinds::image, "the same image"}},
                      .options = operations::Options::of(WaitOptions{}),
                      .run = wait,
                      .memory = [](const Call&, const Device&) { return operations::Memory{}; },
                      .device = {.on_host = true}});
        return made;
    }();
    return all;
}

class Jobs : public ViewerTest {
  protected:
    void start_with(const std::vector<std::string>& names, std::int64_t max_memory = 0) {
        ViewerSettings made{.files = {},
                            .save_to = folder,
                            .device = "cpu",
                            .max_memory = max_memory,
                            .describe = cli::description_of_verb,
                            .registry = registry()};
        for (const std::string& name : names) made.files.push_back(file(name));
        start(made);
    }
    void start_with_volume() {
        write("head.nii", cli::testing::volume(40, 30, 12, {.unit = Unit::millimeter}));
        start_with({"head.nii"});
    }
    static Json waiting(double seconds, const std::string& view = "",
                        const std::string& ends = "done") {
        return {{"operation", "wait"},
                {"view", view},
                {"inputs", {{"input", {{"image", 1}}}}},
                {"options", {{"seconds", seconds}, {"ends", ends}}}};
    }
    void expect_refused(const Json& request, int status, const std::string& field,
                        const std::string& words) {
        const Answer answer = client().post("/api/jobs", request);
        EXPECT_EQ(answer.status, status) << request << answer.body;
        EXPECT_EQ(answer.field(), field) << request << answer.body;
        EXPECT_NE(answer.error().find(words), std::string::npos) << answer.error();
    }
};

TEST_F(Jobs, GrowthBySeedsGivesTheLabelsOfTheLibrary) {
    start_with_volume();
    const std::string seeds = "3,4,5=2;30,20,6=7";
    const Json state = done(growth(seeds, 12));
    const int id = state.at("outputs").at("labels");
    Queue queue(Device::parse("cpu"));
    const AnyImage image = io::read_image(file("head.nii")).image;
    const RegionGrowResult expected =
        region_grow(image, *parse_seeds(seeds), ToleranceGrowOptions{.tolerance = 12}, queue);
    EXPECT_GT(expected.count, 0u);
    EXPECT_TRUE(samples<std::uint32_t>(id) == expected.labels.pixels());
    const Json labels = client().get("/api/images/" + std::to_string(id)).json();
    EXPECT_EQ(labels.at("role"), "labels");
    EXPECT_EQ(labels.at("of"), 1);
    EXPECT_EQ(labels.at("channels")[0].at("highest"), 7);
    EXPECT_EQ(state.at("figures").at("region_count"), expected.count);
    EXPECT_FALSE(state.at("summary").get<std::string>().empty());
    EXPECT_GT(state.at("seconds"), 0.0);
}

TEST_F(Jobs, OfAPageThatIsGoneStop) {
    write("head.nii", cli::testing::volume(40, 30, 12, {.unit = Unit::millimeter}));
    start(ViewerSettings{.files = {file("head.nii")},
                         .device = "cpu",
                         .describe = cli::description_of_verb,
                         .registry = registry(),
                         .gone = std::chrono::milliseconds(300)});
    const auto state = [&](int job) {
        return client().get("/api/jobs/" + std::to_string(job)).json().at("state");
    };
    const auto after = [](double seconds) {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    };
    // A program that never listens has its jobs.
    const int first = begin(waiting(1, "script"));
    after(0.7);
    EXPECT_EQ(state(first), "running");
    int live = 0, kept = 0;
    {
        EventReader events(client());
        live = begin(waiting(60, "tab"));
        events.until(live, {"running"});
        after(0.7);
        EXPECT_EQ(state(live), "running");
    }
    for (int i = 0; i < 100 && state(live) == "running"; ++i) after(0.05);
    EXPECT_EQ(state(live), "canceled");
    kept = begin(waiting(0.8));  // of no view: it goes on
    after(1.2);
    EXPECT_EQ(state(kept), "done");
}

TEST_F(Jobs, EventsComeInOrderAndAPageThatComesLaterIsToldOfResults) {
    start_with_volume();
    EventReader events(client());
    EXPECT_NE(events.head().find("text/event-stream"), std::string::npos);
    const int job = begin(waiting(0.3));
    const Json last = events.until(job, {"done", "failed", "canceled"});
    EXPECT_EQ(last.at("warnings"), Json({"it took a while"}));
    std::vector<std::string> states;
    double fraction = 0;
    int image = 0;
    for (const Event& event : events.seen()) {
        if (event.name == "image") image = event.data.at("id");
        if (event.name != "job") continue;
        if (states.empty() || states.back() != event.data.at("state"))
            states.push_back(event.data.at("state"));
        EXPECT_GE(event.data.at("fraction"), fraction);
        fraction = event.data.at("fraction");
    }
    EXPECT_EQ(states, (std::vector<std::string>{"waiting", "running", "done"}));
    EXPECT_GT(events.seen().size(), 4u) << "progress was told";
    EXPECT_EQ(image, last.at("outputs").at("image"));
    EXPECT_EQ(client().get("/api/jobs/" + std::to_string(job)).json(), last);
    EventReader later(client());
    const Event first = later.next();
    EXPECT_EQ(first.name, "job");
    EXPECT_EQ(first.data, last);
}

TEST_F(Jobs, NewerOnesOfAViewCancelTheOlder) {
    start_with_volume();
    EventReader events(client());
    const int running = begin(waiting(60, "a"));
    events.until(running, {"running"});
    const int other = begin(waiting(0, "b"));
    const int waits = begin(waiting(60, "a"));
    const int newest = begin(waiting(0, "a"));
    events.until(newest, {"done"});
    const auto state = [&](int job) {
        return client().get("/api/jobs/" + std::to_string(job)).json().at("state");
    };
    EXPECT_EQ(state(running), "canceled");
    EXPECT_EQ(state(waits), "canceled");
    EXPECT_EQ(state(other), "done");
    EXPECT_EQ(state(newest), "done");
}

TEST_F(Jobs, CanBeCanceled) {
    start_with_volume();
    EventReader events(client());
    const int job = begin(waiting(60)), next = begin(waiting(60));
    events.until(job, {"running"});
    EXPECT_EQ(client().remove("/api/jobs/" + std::to_string(next)).status, 200);
    EXPECT_TRUE(events.until(next, {"canceled"}).at("outputs").empty());
    const auto begin_of_wait = std::chrono::steady_clock::now();
    EXPECT_EQ(client().remove("/api/jobs/" + std::to_string(job)).status, 200);
    events.until(job, {"canceled"});
    EXPECT_LT(std::chrono::steady_clock::now() - begin_of_wait, std::chrono::seconds(2));
    EXPECT_EQ(client().remove("/api/jobs/" + std::to_string(job)).status, 200);  // as it was
    EXPECT_EQ(client().remove("/api/jobs/99").status, 404);
    EXPECT_EQ(client().get("/api/jobs/99").status, 404);
    EXPECT_EQ(at_work, 0);
}

TEST_F(Jobs, AreCanceledWhenTheViewerEnds) {
    start_with_volume();
    EventReader events(client());
    events.until(begin(waiting(60)), {"running"});
    begin(waiting(60));
    const auto begin_of_end = std::chrono::steady_clock::now();
    stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begin_of_end, std::chrono::seconds(2));
    EXPECT_EQ(at_work, 0);
}

TEST_F(Jobs, SlicesAnswerWhileOneRuns) {
    start_with_volume();
    EventReader events(client());
    const int job = begin(waiting(60));
    events.until(job, {"running"});
    EXPECT_EQ(client().get("/api/images/1/slice").status, 200);
    EXPECT_EQ(client().get("/api/jobs/" + std::to_string(job)).json().at("state"), "running");
}

TEST_F(Jobs, FailuresAreToldAndTheNextJobRuns) {
    start_with_volume();
    const auto failed = [&](const Json& request) {
        EventReader events(client());
        return events.until(begin(request), {"failed", "done"});
    };
    const Json device = failed(waiting(0, "", "device"));
    EXPECT_EQ(device.at("state"), "failed");
    EXPECT_EQ(device.at("error"), "the device is gone");
    EXPECT_TRUE(device.at("field").is_null());
    EXPECT_EQ(failed(waiting(0, "", "argument")).at("field"), "seconds");
    EXPECT_EQ(failed(waiting(0, "", "fault")).at("error"), "something broke");
    const Json outside = failed(growth("400,1,1", 3));
    EXPECT_EQ(outside.at("state"), "failed");
    EXPECT_EQ(outside.at("field"), "seeds");
    EXPECT_TRUE(outside.at("outputs").empty());
    EXPECT_EQ(failed(growth("1,1,1", 3)).at("state"), "done");
}

TEST_F(Jobs, RequestsThatAreWrongAreRefusedByField) {
    start_with_volume();
    write("other.nii", LabelImage({5, 4, 3}));
    start_with({"head.nii", "other.nii"});
    const Json good = growth("1,1,1", 5);
    const auto with = [&](const char* pointer, const Json& value) {
        Json request = good;
        request[Json::json_pointer(pointer)] = value;
        return request;
    };
    expect_refused(with("/operation", "grow sideways"), 404, "operation", "sideways");
    expect_refused(with("/operation", 5), 400, "operation", "text");
    expect_refused(with("/device", "cuda:77"), 400, "device", "");
    expect_refused(with("/options/tolerance", -1), 400, "tolerance", "--tolerance is -1");
    expect_refused(with("/options/tolerance", "much"), 400, "tolerance", "number");
    expect_refused(with("/options/connectivity", "round"), 400, "connectivity", "round");
    expect_refused(with("/options/no-such", 1), 400, "no-such", "no option");
    expect_refused(with("/options", Json::array()), 400, "options", "object");
    expect_refused(with("/inputs/no-such", Json{{"image", 1}}), 400, "no-such", "no input");
    expect_refused(with("/inputs/input", Json{{"image", 9}}), 404, "", "no image 9");
    expect_refused(with("/inputs/input", Json{{"image", -1}}), 400, "image", "-1");
    expect_refused(with("/inputs/input", Json{{"image", "1"}}), 400, "image", "whole");
    expect_refused(with("/inputs/input", Json{{"path", "/etc/passwd"}}), 400, "text", "missing");
    expect_refused(with("/inputs/input", Json{{"seeds", "1,1"}}), 400, "input", "image");
    expect_refused(with("/inputs/input", 1), 400, "input", "image");
    expect_refused(with("/inputs/seeds", Json{{"seeds", "1,x"}}), 400, "seeds", "1,x");
    expect_refused(with("/inputs/seeds", Json{{"seeds", "seeds.png"}}), 400, "seeds", "seeds.png");
    expect_refused(with("/inputs/seeds", Json{{"image", 2}}), 400, "seeds", "sizes differ");
    expect_refused(with("/inputs/seeds", nullptr), 400, "seeds", "");
    expect_refused(with("/outputs", Json{"labels", "none"}), 400, "outputs", "none");
    expect_refused(with("/outputs", "labels"), 400, "outputs", "list");
    expect_refused(with("/more", 1), 400, "more", "no part");
    Json without = good;
    without["inputs"].erase("seeds");
    expect_refused(without, 400, "", "seeds");
    for (const std::string& body : std::vector<std::string>{
             "", "{", "[]", "1", "{\"operation\": 1e999}", "\xff\xfe", std::string(100'000, '['),
             "{\"operation\":" + std::string(5000, '{')})
        EXPECT_EQ(
            client()
                .ask("POST", "/api/jobs", body, {{"Content-Length", std::to_string(body.size())}})
                .status,
            400)
            << body.substr(0, 30);
}

TEST_F(Jobs, OperationsOfAnyVersionAreListedDescribedAndRun) {
    start_with_volume();
    const Json list = client().get("/api/operations").json();
    ASSERT_EQ(list.size(), 6u);
    EXPECT_EQ(list[0], Json({{"name", "grow limits"},
                             {"title", "Grow limits"},
                             {"task", "Segmentation"},
                             {"purpose", "pixels within limits, connected with a seed"}}));
    EXPECT_EQ(list[5].at("name"), "wait");
    const Json described = client().get("/api/operations/grow%20tolerance").json();
    const auto printed = run({"grow", "tolerance", "--describe"});
    EXPECT_EQ(described, Json::parse(printed.out));
    EXPECT_EQ(client().get("/api/operations/wait").json().at("verb"), "wait");
    EXPECT_EQ(client().get("/api/operations/grow").status, 404);
    const Json state = done(waiting(0));
    EXPECT_TRUE(samples<std::int16_t>(state.at("outputs").at("image")) ==
                cli::testing::volume(40, 30, 12).pixels());
}

TEST_F(Jobs, ResultsAreInputsOfOthersAndAreForgottenWhenAskedTo) {
    start_with_volume();
    EventReader events(client());
    const int labels = done(growth("3,4,5=2;30,20,6=7", 12)).at("outputs").at("labels");
    const Json components{{"operation", "components"},
                          {"inputs", {{"input", {{"image", labels}}}}},
                          {"outputs", {"labels", "table"}}};
    const Json state = done(components);
    EXPECT_GT(state.at("tables").at("table").at("count"), 0);
    EXPECT_EQ(
        client().get("/api/images/" + state.at("outputs").at("labels").dump()).json().at("of"), 1);
    // As seeds of another growth.
    Json again = growth("", 3);
    again["inputs"]["seeds"] = {{"image", labels}};
    EXPECT_GT(done(again).at("figures").at("region_count"), 0);
    const std::string address = "/api/images/" + std::to_string(labels);
    EXPECT_EQ(client().remove(address).status, 200);
    EXPECT_EQ(events.until("gone").at("id"), labels);
    EXPECT_EQ(client().get(address).status, 404);
    EXPECT_EQ(client().get(address + "/slice").status, 404);
    EXPECT_EQ(client().remove(address).status, 404);
    expect_refused(components, 404, "", "no image");
}

TEST(JobThreads, LeaveOneToWhatIsShown) {
    const auto expect = [](int given, int of_machine, int threads) {
        EXPECT_EQ(threads_of_jobs(given, of_machine), threads) << given << " of " << of_machine;
    };
    expect(0, 1, 1);
    expect(0, 2, 2);
    expect(0, 4, 3);
    expect(0, 16, 15);
    expect(16, 16, 15);
    expect(4, 16, 4);
    expect(1, 16, 1);
}

TEST_F(Jobs, OfResultsOfAViewTheLastTwoStay) {
    start_with_volume();
    EventReader events(client());
    std::vector<int> made;
    for (int i = 0; i < 3; ++i)
        made.push_back(done(growth("3,4,5", 5 + i, "live")).at("outputs").at("labels"));
    done(growth("3,4,5", 5, "other"));
    const auto status = [&](int id) {
        return client().get("/api/images/" + std::to_string(id)).status;
    };
    EXPECT_EQ(status(made[0]), 404);
    EXPECT_EQ(events.until("gone").at("id"), made[0]);
    EXPECT_EQ(status(made[1]), 200);
    EXPECT_EQ(status(made[2]), 200);
}

TEST_F(Jobs, ResultsThatWereReplacedMakeRoomAndOthersDoNot) {
    write("a.nii", tesela::Image<std::uint8_t>({50, 50, 10}));  // 25,000 bytes; labels take 100,000
    start_with({"a.nii"}, 350'000);
    const auto status = [&](int id) {
        return client().get("/api/images/" + std::to_string(id) + "/slice").status;
    };
    const auto made = [&](const std::string& view) -> int {
        return done(growth("1,1,1", 5, view)).at("outputs").at("labels");
    };
    const int first = made("live");
    for (int i = 0; i < 4; ++i) made("live");
    const int last = made("live");
    EXPECT_EQ(status(first), 404);
    EXPECT_EQ(status(last), 200);
    made("");
    made("");
    EventReader events(client());
    const Json state = events.until(begin(growth("1,1,1", 5)), {"done", "failed"});
    EXPECT_EQ(state.at("state"), "failed");
    EXPECT_NE(state.at("error").get<std::string>().find("--max-memory"), std::string::npos);
    EXPECT_EQ(status(last), 200);
    EXPECT_EQ(client().remove("/api/images/" + std::to_string(last)).status, 200);
    EXPECT_EQ(status(made("")), 200);
}

TEST_F(Jobs, FilesForWhichResultsLeaveNoRoomAreRefused) {
    write("a.nii", tesela::Image<std::uint8_t>({50, 50, 10}));
    start_with({"a.nii"}, 205'000);
    const int id = done(growth("1,1,1", 5)).at("outputs").at("labels");
    done(growth("1,1,1", 5));  // in place of the file's pixels
    EXPECT_EQ(client().get("/api/images/1/slice").status, 507);
    EXPECT_EQ(client().post("/api/jobs", growth("1,1,1", 5)).status, 507);
    EXPECT_EQ(client().remove("/api/images/" + std::to_string(id)).status, 200);
    EXPECT_EQ(client().get("/api/images/1/slice").status, 200);
}

TEST_F(Jobs, PagesThatReadNoEventsAreLost) {
    EventStream stream;
    int woken = 0;
    stream.on_text([&] { ++woken; });
    const std::string event(1 << 20, 'x');
    for (int i = 0; i < 8; ++i) stream.put(event);
    EXPECT_FALSE(stream.is_lost());
    stream.put(event);
    EXPECT_TRUE(stream.is_lost());
    EXPECT_EQ(woken, 9);
}

TEST_F(Jobs, SavedResultsAreThoseOfTheCommandLine) {
    start_with_volume();
    const int id = done(growth("3,4,5=2;30,20,6=7", 12)).at("outputs").at("labels");
    const std::string address = "/api/images/" + std::to_string(id) + "/save";
    const Answer saved = client().post(address, {{"name", "saved.nii.gz"}});
    EXPECT_EQ(saved.status, 200) << saved.body;
    EXPECT_EQ(saved.json().at("saved"), "saved.nii.gz");
    ASSERT_EQ(run({"grow", "tolerance", "head.nii", "--seeds", "3,4,5=2;30,20,6=7", "--tolerance",
                   "12", "-o", "made.nii.gz"})
                  .code,
              0);
    EXPECT_EQ(read_text("saved.nii.gz"), read_text("made.nii.gz"));
    EXPECT_EQ(client().post(address, {{"name", "saved.nii.gz"}}).status, 409);
    EXPECT_EQ(client().post(address, {{"name", "saved.nii.gz"}, {"overwrite", true}}).status, 200);
    EXPECT_EQ(client().post(address, {{"name", "head.nii"}, {"overwrite", true}}).status, 403);
    const auto before = names();
    for (const std::string& name : std::vector<std::string>{
             "", "../up.nii", "/tmp/up.nii", "a/b.nii", ".hidden.nii", "a\\b.nii", "a\nb.nii",
             std::string("a\0b.nii", 7), std::string(250, 'a') + ".nii", ".."})
        EXPECT_EQ(client().post(address, {{"name", name}}).status, 400) << name;
    EXPECT_EQ(client().post(address, {{"name", "a.xyz"}}).status, 422);
    EXPECT_EQ(client().post(address, {{"name", 5}}).status, 400);
    EXPECT_EQ(client().post(address, {{"name", "a.nii"}, {"path", "/tmp"}}).status, 400);
    EXPECT_EQ(client().post("/api/images/99/save", {{"name", "a.nii"}}).status, 404);
    EXPECT_EQ(names(), before);
}

TEST_F(Jobs, ResultsThatCannotBeWrittenAreKept) {
    start_with_volume();
    const int id = done(growth("3,4,5=2;30,20,6=7", 12)).at("outputs").at("labels");
    const std::string address = "/api/images/" + std::to_string(id) + "/save";
    {
        const FullDisk full;
        const Answer answer = client().post(address, {{"name", "saved.nii"}});
        EXPECT_EQ(answer.status, 500);
        EXPECT_NE(answer.error().find("saved.nii"), std::string::npos) << answer.error();
    }
    EXPECT_EQ(names(), std::vector<std::string>{"head.nii"});
    EXPECT_EQ(client().post(address, {{"name", "saved.nii"}}).status, 200);
}

}  // namespace
}  // namespace tesela::viewer::testing
