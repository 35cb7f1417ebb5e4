// The C++ wrapper itself: ownership, errors, runs. Prints "N passed, N failed".
#include "crosshook.hpp"

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace {

using namespace std::chrono_literals;

int failures = 0;

void check_that(bool holds, const char *condition, int line) {
    if (!holds) {
        ++failures;
        std::cerr << "wrapper.cpp:" << line << ": does not hold: " << condition << '\n';
    }
}

#define CHECK(condition) check_that((condition), #condition, __LINE__)

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string options(std::string_view command) {
    return R"({"dialect": "codebuddy", "settings": {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": ")" +
           std::string(command) + R"("}]}]}}})";
}

constexpr std::string_view event = R"({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}})";

// The code of the crosshook::Error that `call` throws; empty when it throws none.
template <typename Call>
std::string code_of(Call &&call) {
    try {
        call();
        return "";
    } catch (const crosshook::Error &error) {
        CHECK(error.status() != CROSSHOOK_STATUS_OK);
        CHECK(std::string_view(error.what()).size() > 10);
        CHECK(holds(error.details(), "\"code\":\"" + error.code() + "\""));
        return error.code();
    }
}

void engines() {
    static_assert(!std::is_copy_constructible_v<crosshook::Engine>);
    static_assert(std::is_nothrow_move_constructible_v<crosshook::Engine>);
    crosshook::Engine engine(options("exit 2"));
    CHECK(holds(engine.dispatch(event), R"("decision":"deny")"));
    CHECK(holds(engine.explain(event), R"("runs":true)"));
    CHECK(holds(engine.list(), "exit 2"));
    CHECK(engine.diagnostics() == "[]");
    CHECK(crosshook::version() == CROSSHOOK_VERSION);
    crosshook::Engine moved = std::move(engine);
    CHECK(holds(moved.dispatch(event), R"("decision":"deny")"));
    CHECK(code_of([&] { engine.list(); }) == "null_argument");
}

void errors() {
    const crosshook::Engine engine(options("exit 0"));
    CHECK(code_of([&] { engine.dispatch("{"); }) == "invalid_event");
    CHECK(code_of([&] { engine.explain("[]"); }) == "invalid_event");
    CHECK(code_of([&] { engine.dispatch("\xff"); }) == "invalid_utf8");
    CHECK(code_of([] { crosshook::Engine broken("{"); }) == "invalid_options");
    bool refused = false;
    try {
        engine.start(event, crosshook::Callback());
    } catch (const std::invalid_argument &) {
        refused = true;
    }
    CHECK(refused);
    int calls = 0;
    CHECK(code_of([&] { engine.start("\xff", [&](const crosshook::Result &) { ++calls; }); }) == "invalid_utf8");
    CHECK(calls == 0);
}

void runs() {
    static_assert(!std::is_copy_constructible_v<crosshook::Run>);
    auto engine = std::make_unique<crosshook::Engine>(options("sleep 0.3; exit 2"));
    auto alive = std::make_shared<int>(0);
    std::string outcome, waited;
    crosshook::Run run = engine->start(event, [&, alive](const crosshook::Result &result) {
        ++*alive;
        outcome = result.outcome();
        waited = code_of([] { crosshook::shutdown(); });
    });
    CHECK(!run.finished());
    CHECK(!run.wait_for(1ms));
    engine.reset();
    CHECK(run.wait_for(20s));
    CHECK(run.finished());
    CHECK(*alive == 1);
    CHECK(alive.use_count() == 1); // the callback is gone
    CHECK(holds(outcome, R"("decision":"deny")"));
    CHECK(waited == "engine_thread");
}

void failed_run() {
    const crosshook::Engine engine(options("exit 0"));
    std::string code, thrown;
    engine
        .start("{}",
               [&](const crosshook::Result &result) {
                   code = result.error() ? result.error()->code() : "none";
                   thrown = code_of([&] { result.outcome(); });
               })
        .wait();
    CHECK(code == "invalid_event");
    CHECK(thrown == "invalid_event");
}

void cancelled_run() {
    const crosshook::Engine engine(options("sleep 30"));
    std::string outcome;
    const crosshook::Run run =
        engine.start(event, [&](const crosshook::Result &result) { outcome = result.ok() ? result.outcome() : ""; });
    CHECK(!run.wait_for(200ms));
    run.cancel();
    CHECK(run.wait_for(10s));
    CHECK(holds(outcome, R"("status":"cancelled")"));
}

} // namespace

int main() {
    int passed = 0, failed = 0;
    for (auto test : {engines, errors, runs, failed_run, cancelled_run}) {
        failures = 0;
        try {
            test();
        } catch (const std::exception &error) {
            ++failures;
            std::cerr << "thrown: " << error.what() << '\n';
        }
        ++(failures == 0 ? passed : failed);
    }
    crosshook::shutdown();
    std::cout << passed << " passed, " << failed << " failed\n";
    return failed == 0 ? 0 : 1;
}
