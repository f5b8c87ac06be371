// Gives arbitrary bytes to the viewer's server as what comes in on a connection: reading requests,
// who may ask, addresses, JSON, slices, tiles, edits of labels, views. There is no socket, and
// operations do not run: what they make of their options is looked at elsewhere. Nothing may be
// thrown, and every response is one that a page can read.
#include <boost/asio/buffer.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "core/temporary_folder.h"
#include "http_samples.h"
#include "tesela/compute/device.h"
#include "tesela/io.h"
#include "tesela/slide_io.h"
#include "viewer/server/http_request.h"
#include "viewer/server/site.h"

namespace {

namespace fs = std::filesystem;
using namespace tesela::viewer;
using tesela::LabelImage;

constexpr int most_inputs = 200;           // of one site, as long as none changes it
constexpr int most_requests = 8;           // of one connection
constexpr std::int64_t memory = 32 << 20;  // of images

void require(bool holds) {
    if (!holds) std::abort();
}

// All operations, of which none computes.
const tesela::operations::Registry& described_operations() {
    static const tesela::operations::Registry registry = [] {
        const auto& all = tesela::operations::Registry::all();
        tesela::operations::Registry made;
        for (const auto& family : all.families()) made.add(family);
        for (tesela::operations::Operation operation : all.operations()) {
            operation.run = [](const auto&, auto&, const auto&) {
                return tesela::operations::Results{};
            };
            operation.finish = nullptr;
            made.add(std::move(operation));
        }
        return made;
    }();
    return registry;
}

// A volume, a picture with annotations, labels of the volume and a slide, as small as they can be.
class Files {
  public:
    Files() {
        const auto steps = [](auto& image, int step) {
            for (std::int64_t i = 0; i < image.shape().elements(); ++i)
                image.data()[i] = static_cast<std::uint8_t>(i * step % 251);
        };
        tesela::Image<std::uint8_t> volume({9, 8, 5}), picture({16, 12, 1, 1, 3});
        steps(volume, 7);
        steps(picture, 5);
        tesela::io::write_image(volume, path("volume.nii"));
        tesela::io::write_image(picture, path("picture.png"));
        LabelImage labels({9, 8, 5});
        for (std::int64_t i = 0; i < labels.shape().points(); ++i)
            labels.data()[i] = static_cast<std::uint32_t>(i / 40 % 4);
        tesela::io::write_labels(labels, path("labels.nii"));
        write_slide();
        std::ofstream(path("cells.geojson"))
            << R"({"type": "Feature", "geometry": {"type": "Polygon", "coordinates": )"
            << R"([[[1, 1], [9, 1], [9, 9], [1, 1]]]}, "properties": {"classification": )"
            << R"({"name": "tumor", "color": [200, 0, 0]}}})";
    }
    fs::path path(const std::string& name) const { return folder_.path() / name; }
    fs::path results() const {
        fs::remove_all(path("results"));
        fs::create_directory(path("results"));
        return path("results");
    }

  private:
    void write_slide() const {
        constexpr std::int64_t side = 64, width = 200, height = 130;
        const auto writer = tesela::io::create_ome_tiff(
            path("slide.ome.tif"), {tesela::PixelType::u8, {width, height, 1, 1, 3}},
            {.tile = side, .compression = tesela::TileCompression::deflate});
        for (std::int64_t y = 0; y < height; y += side)
            for (std::int64_t x = 0; x < width; x += side)
                writer->write(x / side, y / side,
                              tesela::Image<std::uint8_t>({std::min(side, width - x),
                                                           std::min(side, height - y), 1, 1, 3}));
        writer->finish();
    }

    tesela::detail::TemporaryFolder folder_{fs::path("fuzzed requests")};
};

std::unique_ptr<Site> new_site() {
    static const Files files;
    return std::make_unique<Site>(ViewerSettings{
        .files = {files.path("volume.nii"), files.path("picture.png"), files.path("labels.nii"),
                  files.path("slide.ome.tif"), files.path("cells.geojson")},
        .save_to = files.results(),
        .device = "cpu",
        .threads = 1,
        .max_memory = memory,
        .describe =
            [](const auto& operation) {
                return Json{{"name", operation.name}};
            },
        .registry = described_operations(),
        .page = {}});
}

// What every response has to be.
void check_response(const Response& response) {
    require(response.status >= 200 && response.status < 600);
    for (const auto& [name, value] : response.headers)
        require((name + value).find_first_of("\r\n") == std::string::npos);
    if (response.type != "application/json") return;
    const Json json = Json::parse(response.body, nullptr, false);
    require(!json.is_discarded());
    if (response.status >= 400) require(!json.at("error").get<std::string>().empty());
}

class Fuzzed {
  public:
    explicit Fuzzed(Site& site) : site_(site), handlers_(site.handlers()) {}

    // Whether something was done that changes what a site has: images, labels, jobs.
    bool has_changed() const { return has_changed_; }
    bool has_refused() const { return has_refused_; }

    // The requests of a connection, one behind the other.
    void take(const char* bytes, std::size_t size) {
        for (int i = 0; i < most_requests && size > 0; ++i) {
            std::optional<HttpParser> parser;
            begin_request(parser, settings_.limits);
            parser->eager(false);
            boost::beast::error_code error;
            while (!parser->is_header_done() && size > 0) {
                if (!put(*parser, bytes, size, error)) break;
            }
            if (error) return refuse(error);
            if (!parser->is_header_done()) return;
            auto head = request_of(*parser, settings_);
            if (const auto* wrong = std::get_if<Response>(&head)) return check(*wrong);
            auto& request = std::get<Request>(head);
            if (const auto refused = handlers_.refuse(request)) check_response(*refused);
            // What cannot be guessed is put in.
            request.token = site_.token();
            if (handlers_.refuse(request)) return;
            parser->eager(true);
            while (!parser->is_done() && size > 0)
                if (!put(*parser, bytes, size, error)) break;
            if (error || !parser->is_done()) return;
            request.body = std::move(parser->get().body());
            answer(request);
        }
    }

  private:
    // False where the parser can go no further.
    static bool put(HttpParser& parser, const char*& bytes, std::size_t& size,
                    boost::beast::error_code& error) {
        const std::size_t used = parser.put(boost::asio::buffer(bytes, size), error);
        bytes += used;
        size -= used;
        if (error != boost::beast::http::error::need_more) return !error && used > 0;
        error = {};
        size = 0;  // the client has closed its side
        return false;
    }
    void check(const Response& response) {
        check_response(response);
        has_refused_ = has_refused_ || response.status >= 400;
    }
    void refuse(const boost::beast::error_code& error) {
        if (const auto response = refusal_of(error, settings_.limits)) check(*response);
    }

    void answer(const Request& request) {
        if (request.is_events()) try {
                static_cast<void>(handlers_.events(request));
                return;
            } catch (const Refused& refused) {
                return check(error_response(refused.status(), refused.what(), refused.field()));
            }
        static_cast<void>(handlers_.is_slow(request));
        std::promise<Response> promise;
        auto answered = promise.get_future();
        handlers_.answer(request,
                         [&](Response response) { promise.set_value(std::move(response)); });
        const Response response = answered.get();
        check(response);
        has_changed_ = has_changed_ || (request.method != "GET" && response.status < 300);
        if (response.status == 202) wait_for(Json::parse(response.body).at("job").get<int>());
    }

    // So that what follows finds it as it will find it each time.
    void wait_for(int job) {
        const Request state{.method = "GET", .path = {"api", "jobs", std::to_string(job)}};
        for (bool is_under_way = true; is_under_way;) {
            handlers_.answer(state, [&](const Response& response) {
                const Json json = Json::parse(response.body);
                is_under_way = json.at("state") == "waiting" || json.at("state") == "running";
            });
            std::this_thread::yield();
        }
    }

    Site& site_;
    const HttpHandlers handlers_;
    const HttpSettings settings_{.base_path = "/user/me"};
    bool has_changed_ = false, has_refused_ = false;
};

// What the fuzzer starts from reaches what it is meant for.
void check_samples() {
    for (const tesela::fuzz::HttpSample& sample : tesela::fuzz::http_samples()) {
        const std::unique_ptr<Site> site = new_site();
        Fuzzed fuzzed(*site);
        fuzzed.take(sample.text.data(), sample.text.size());
        if (!sample.is_answered || !fuzzed.has_refused()) continue;
        std::fprintf(stderr, "the sample '%s' is refused\n", sample.name.c_str());
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static std::unique_ptr<Site> site;
    static int inputs = 0;
    if (inputs == 0) {
        // glibc keeps what it says of drivers that are absent until the thread ends; the main
        // thread would seem to leak it.
        std::thread([] { tesela::Device::all(); }).join();
        check_samples();
    }
    // Images are numbered on, and edits name the revision before them: what a sample asks for is
    // there on a new site only.
    if (inputs++ % most_inputs == 0) site = nullptr;
    if (!site) site = new_site();
    Fuzzed fuzzed(*site);
    fuzzed.take(reinterpret_cast<const char*>(data), size);
    if (fuzzed.has_changed()) site = nullptr;
    return 0;
}
