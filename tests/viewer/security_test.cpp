// Who may ask the viewer what, and what clients that mean no good get.
#include <chrono>
#include <deque>
#include <random>
#include <thread>

#include "sanitized.h"
#include "viewer/server/security.h"
#include "viewer_test.h"

namespace tesela::viewer::testing {
namespace {

using std::chrono::milliseconds;

class Security : public ViewerTest {
  protected:
    void start_with_picture() {
        write("photo.png", cli::testing::gray_picture(31, 17));
        start(std::vector<std::string>{"photo.png"});
    }
    std::string send_raw(const std::string& text) const {
        const Socket socket(client().port());
        socket.send(text);
        return socket.receive_all(milliseconds(5000));
    }
};

TEST_F(Security, TokensAreDifferentEachTime) {
    const std::string token = new_token();
    EXPECT_EQ(token.size(), 32u);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_NE(token, new_token());
}

TEST_F(Security, ApiNeedsTheToken) {
    start_with_picture();
    const std::string& token = viewer().token();
    EXPECT_EQ(client().get("/api/session").status, 200);
    std::string other = token;
    other.back() = other.back() == '0' ? '1' : '0';
    for (const std::string& wrong :
         std::vector<std::string>{"", other, token + "0", token.substr(1), "x"}) {
        for (const char* address : {"/api/session", "/api/images/1", "/api/images/1/slice",
                                    "/api/operations", "/api/jobs/1", "/api/events", "/api/none"})
            EXPECT_EQ(client().get(address, {{"X-Tesela-Token", wrong}}).status, 401)
                << address << " " << wrong;
        EXPECT_EQ(client().post("/api/jobs", Json::object(), {{"X-Tesela-Token", wrong}}).status,
                  401);
        EXPECT_EQ(client().remove("/api/jobs/1", {{"X-Tesela-Token", wrong}}).status, 401);
    }
    // Neither an address nor a cookie carries it.
    const Answer answer = client().get("/api/session?token=" + token,
                                       {{"X-Tesela-Token", ""}, {"Cookie", "token=" + token}});
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(answer.body.find(token), std::string::npos);
}

TEST_F(Security, ForeignHostsAreMisdirected) {
    start_with_picture();
    const std::string port = std::to_string(client().port());
    for (const std::string& host : std::vector<std::string>{
             "evil.example", "evil.example:" + port, "127.0.0.1.evil.example",
             "localhost.evil.example", "10.0.0.1", "[::2]:" + port, "127.0.0.1@evil.example"})
        for (const char* address : {"/", "/index.html", "/api/session"})
            EXPECT_EQ(client().get(address, {{"Host", host}}).status, 421) << host << address;
    for (const std::string& host :
         std::vector<std::string>{"localhost:" + port, "LOCALHOST", "127.0.0.1:9", "[::1]:9"})
        EXPECT_EQ(client().get("/api/session", {{"Host", host}}).status, 200) << host;
    EXPECT_EQ(client().get("/api/session", {{"Host", ""}}).status, 400);
    const std::string two = "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n";
    EXPECT_EQ(parsed(send_raw(two)).status, 400);
}

TEST_F(Security, ChangesNeedTheServersOrigin) {
    start_with_picture();
    const std::string own = "http://127.0.0.1:" + std::to_string(client().port());
    for (const std::string& origin :
         std::vector<std::string>{"", "null", "http://evil.example", own + ".evil.example",
                                  "https" + own.substr(4), own + "/", "http://127.0.0.1:1"}) {
        EXPECT_EQ(client().post("/api/jobs", Json::object(), {{"Origin", origin}}).status, 403)
            << origin;
        EXPECT_EQ(client().remove("/api/images/1", {{"Origin", origin}}).status, 403) << origin;
    }
    EXPECT_EQ(client().post("/api/jobs", Json::object(), {{"Origin", own}}).status, 400);
    EXPECT_EQ(client()
                  .get("/api/session", {{"Origin", "http://evil.example"}})
                  .headers.count("access-control-allow-origin"),
              0u);
}

TEST_F(Security, FurtherHostsAndOriginsAreThoseThatTheUserNamed) {
    write("photo.png", cli::testing::gray_picture(31, 17));
    ViewerSettings made = settings({"photo.png"});
    made.hosts = {"viewer.example"};
    made.origins = {"https://hub.example"};
    made.http.base_path = "/user/me";
    start(made);
    EXPECT_EQ(client().get("/api/session", {{"Host", "viewer.example"}}).status, 200);
    EXPECT_EQ(client().get("/api/session", {{"Host", "Viewer.Example:8000"}}).status, 200);
    EXPECT_EQ(client().get("/api/session", {{"Host", "a.viewer.example"}}).status, 421);
    EXPECT_EQ(client().remove("/api/images/9", {{"Origin", "https://hub.example"}}).status, 404);
    EXPECT_EQ(client().remove("/api/images/9", {{"Origin", "http://hub.example"}}).status, 403);
    EXPECT_EQ(client().get("/user/me/api/session").status, 200);
    EXPECT_EQ(client().get("/user/me/api/session", {{"X-Tesela-Token", "x"}}).status, 401);
    EXPECT_EQ(client().get("/user/you/api/session").status, 404);
    EXPECT_NE(viewer().address().find("/user/me/#token="), std::string::npos);
}

TEST_F(Security, ReadOnlyViewersChangeNothing) {
    write("photo.png", cli::testing::gray_picture(31, 17));
    ViewerSettings made = settings({"photo.png"});
    made.read_only = true;
    made.save_to = folder;
    start(made);
    const Json session = client().get("/api/session").json();
    EXPECT_TRUE(session.at("read_only"));
    EXPECT_FALSE(session.at("can_save"));
    EXPECT_EQ(client().post("/api/jobs", growth("1,1", 5)).status, 403);
    EXPECT_EQ(client().post("/api/images/1/save", {{"name", "a.png"}}).status, 403);
    EXPECT_EQ(client().remove("/api/images/1").status, 403);
    EXPECT_EQ(client().get("/api/images/1/slice").status, 200);
    EXPECT_EQ(names(), std::vector<std::string>{"photo.png"});
}

TEST_F(Security, NothingButThePageAndTheApiIsServed) {
    write_text("secret.txt", "secret");
    write("photo.png", cli::testing::gray_picture(31, 17));
    ViewerSettings made = settings({"photo.png"});
    // "hello" by gzip.
    static const std::string packed(
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05"
        "\x00\x00\x00",
        25);
    static const PageFile files[] = {{"index.html", packed}, {"app.js", packed}};
    made.page = files;
    start(made);
    const Answer page = client().get("/");
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.body, "hello");
    EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
    EXPECT_NE(page.headers.at("content-security-policy").find("default-src 'none'"),
              std::string::npos);
    EXPECT_EQ(page.headers.at("content-security-policy").find("unsafe"), std::string::npos);
    EXPECT_EQ(page.headers.at("referrer-policy"), "no-referrer");
    EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(page.body.find(viewer().token()), std::string::npos);
    EXPECT_EQ(client().get("/app.js", {{"Accept-Encoding", "gzip"}}).body, packed);
    EXPECT_EQ(client().get("/app.js", {{"Accept-Encoding", "gzip;q=0"}}).body, "hello");
    for (const char* address :
         {"/secret.txt", "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "//secret.txt",
          "/./secret.txt", "/app.js/..", "/app.js/", "/web/../app.js", "/..\\secret.txt",
          "/etc/passwd", "//etc/passwd", "/api/../index.html", "/api/images/1/../../session",
          "/api/images/%2e%2e/session", "/api//session", "/api/images/1%2fslice", "/api/session/"})
        EXPECT_EQ(client().get(address).status, 404) << address;
    for (const char* address : {"/%00", "/app.js%00.html", "/%zz", "/%1", "/api/session?%",
                                "/api/images/1/slice?axis=z&axis=x", "index.html", "*",
                                "http://127.0.0.1/", "/%0d%0aSet-Cookie:x"})
        EXPECT_EQ(client().get(address).status, 400) << address;
    for (const char* method : {"PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT"})
        EXPECT_EQ(client().ask(method, "/api/session", "").status, 405) << method;
    EXPECT_EQ(client().ask("POST", "/", "{}").status, 405);
    EXPECT_EQ(client().ask("POST", "/api/session", "{}").status, 405);
}

TEST_F(Security, WithoutAPageTheServerSaysSo) {
    write("photo.png", cli::testing::gray_picture(31, 17));
    ViewerSettings made = settings({"photo.png"});
    made.page = {};
    start(made);
    const Answer page = client().get("/");
    EXPECT_EQ(page.status, 503);
    EXPECT_NE(page.body.find("without the page"), std::string::npos);
}

TEST_F(Security, LongAndMalformedRequestsAreRefused) {
    start_with_picture();
    const Client ask = client();
    const auto status = [&](const std::string& text) { return parsed(send_raw(text)).status; };
    EXPECT_EQ(status("nonsense\r\n\r\n"), 400);
    EXPECT_EQ(status(std::string("\x16\x03\x01\x02\x00\x01\x00", 7) + "\r\n\r\n"), 400);
    EXPECT_EQ(ask.get("/api/session", {{"X-Long", std::string(20'000, 'x')}}).status, 431);
    EXPECT_EQ(ask.get("/" + std::string(20'000, 'x')).status, 431);
    EXPECT_EQ(ask.ask("POST", "/api/jobs", "", {{"Transfer-Encoding", "chunked"}}).status, 411);
    EXPECT_EQ(ask.ask("POST", "/api/jobs", "", {{"Content-Length", "16777217"}}).status, 413);
    EXPECT_EQ(ask.ask("POST", "/api/jobs", "", {{"Content-Length", "99999999999999999999"}}).status,
              400);
    EXPECT_EQ(ask.ask("POST", "/api/jobs", "", {{"Content-Length", "-1"}}).status, 400);
    EXPECT_EQ(ask.ask("POST", "/api/jobs", std::string((16 << 20) + 1, ' ')).status, 413);
    EXPECT_EQ(ask.ask("POST", "/api/jobs", std::string(16 << 20, ' ')).status, 400);
    EXPECT_EQ(ask.get("/api/session").status, 200);
}

TEST_F(Security, MutatedRequestsAreAnsweredOrCutAndTheServerStaysUp) {
    start_with_picture();
    const Client ask = client();
    const std::vector<std::string> good{
        ask.request("GET", "/api/images/1/slice?axis=z&index=0&step=2", ""),
        ask.request("POST", "/api/jobs", growth("1,1", 5).dump()),
        ask.request("GET", "/index.html", "", {{"Accept-Encoding", "gzip"}})};
    std::mt19937 random(5);
    const auto below = [&](std::size_t most) { return random() % most; };
    for (int round = 0; round < 300; ++round) {
        std::string text = good[below(good.size())];
        for (std::size_t i = below(4) + 1; i > 0; --i) switch (below(4)) {
                case 0:
                    text[below(text.size())] = static_cast<char>(below(256));
                    break;
                case 1:
                    text.erase(below(text.size() - 1), below(20) + 1);
                    break;
                case 2:
                    text.insert(below(text.size()), text.substr(below(text.size()), below(40)));
                    break;
                default:
                    text.insert(below(text.size()), std::string(below(300), text[below(9)]));
            }
        const Socket socket(ask.port());
        socket.send(text);
        socket.end();
        const std::string answered = socket.receive_all(milliseconds(5000));
        if (answered.empty()) continue;
        const int status = parsed(answered).status;
        EXPECT_TRUE(status == 200 || status == 202 || (status >= 400 && status < 600))
            << status << " " << text;
    }
    EXPECT_EQ(ask.get("/api/session").status, 200);
}

TEST_F(Security, SeveralRequestsGoOverOneConnection) {
    start_with_picture();
    const Client ask = client();
    const Socket socket(ask.port());
    const Headers kept{{"Connection", ""}};
    // The second is on its way before the first is answered.
    socket.send(ask.request("GET", "/api/images/1", "", kept) +
                ask.request("GET", "/api/none", "", kept));
    socket.send(ask.request("GET", "/api/session", ""));
    const std::string all = socket.receive_all(milliseconds(10'000));
    const std::size_t second = all.find("HTTP/1.1 404"), third = all.find("HTTP/1.1 200", 20);
    EXPECT_TRUE(all.starts_with("HTTP/1.1 200")) << all;
    EXPECT_NE(second, std::string::npos) << all;
    EXPECT_GT(third, second) << all;
}

TEST_F(Security, SlowClientsAreCutAndHoldUpNobody) {
    write("photo.png", cli::testing::gray_picture(31, 17));
    ViewerSettings made = settings({"photo.png"});
    made.http.limits.head = made.http.limits.body = milliseconds(1500);
    start(made);
    const Client ask = client();
    std::deque<Socket> slow;
    const std::string head = ask.request("GET", "/api/session", "");
    const std::string body = ask.request("POST", "/api/jobs", "", {{"Content-Length", "1000"}});
    for (int i = 0; i < 50; ++i) slow.emplace_back(ask.port());
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < slow.size(); ++i) slow[i].send(i % 2 ? head.substr(0, 20) : body);
    // Nobody waits for them.
    for (int i = 0; i < 20; ++i) EXPECT_EQ(ask.get("/api/session").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              milliseconds(static_cast<int>(1500 * tesela::testing::patience)));
    for (std::size_t at = 20; at < 24; ++at) {  // a byte now and then does not save them
        for (std::size_t i = 1; i < slow.size(); i += 2) slow[i].send(head.substr(at, 1));
        std::this_thread::sleep_for(milliseconds(500));
    }
    for (const Socket& socket : slow)
        EXPECT_EQ(socket.receive_all(milliseconds(5000)), "") << "a slow client was answered";
    EXPECT_EQ(ask.get("/api/session").status, 200);
}

TEST_F(Security, ConnectionsAreLimitedInNumber) {
    write("photo.png", cli::testing::gray_picture(31, 17));
    ViewerSettings made = settings({"photo.png"});
    made.http.limits.connections = 4;
    made.http.limits.head = milliseconds(1000);
    start(made);
    const Client ask = client();
    std::deque<Socket> open;
    for (int i = 0; i < 8; ++i) open.emplace_back(ask.port());
    std::this_thread::sleep_for(milliseconds(2000));
    EXPECT_EQ(ask.get("/api/session").status, 200);  // the first ones were cut meanwhile
}

}  // namespace
}  // namespace tesela::viewer::testing
