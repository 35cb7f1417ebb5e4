// The C++ wrapper itself: ownership, errors, runs, hosts, the life of settings. Prints "N passed, N failed".
#include "crosshook.hpp"

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

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
    CHECK(engine.lint() == "[]");
    CHECK(crosshook::version() == CROSSHOOK_VERSION);
    CHECK(holds(crosshook::dialect_names(), R"("qwen")"));
    CHECK(holds(crosshook::settings_schema("zcode"), R"("timeoutMs")"));
    CHECK(code_of([] { crosshook::settings_schema("pascal"); }) == "invalid_options");
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

constexpr std::string_view deny =
    R"({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "says the host"}})";
constexpr std::string_view bare = R"({"dialect": "codebuddy", "settings": {}})";
constexpr std::string_view spec = R"({"event": "PreToolUse", "matcher": "Bash", "timeout_ms": 2000})";

// What the one function hook of a host comes to.
std::string asked(crosshook::Host host) {
    const crosshook::Engine engine(bare, std::move(host));
    CHECK(holds(engine.register_function(spec), R"("hooks":1)"));
    return engine.dispatch(event);
}

void hosts() {
    static_assert(!std::is_copy_constructible_v<crosshook::Request>);
    static_assert(std::is_nothrow_move_constructible_v<crosshook::Request>);
    auto alive = std::make_shared<int>(0);
    const std::string outcome = asked([alive](crosshook::Request request) {
        ++*alive;
        CHECK(request && request.kind() == CROSSHOOK_KIND_FUNCTION && request.kind_name() == "function");
        CHECK(request.id() > 0 && !request.is_cancelled() && holds(request.json(), R"("tool_name":"Bash")"));
        request.on_cancel([alive] { *alive += 100; });
        request.reply(deny);
        // It is answered: there is nothing left to do with it.
        CHECK(!request);
        CHECK(code_of([&] { request.reply("{}"); }) == "null_argument");
        CHECK(code_of([&] { request.fail("no"); }) == "null_argument");
        CHECK(code_of([&] { static_cast<void>(request.id()); }) == "null_argument");
    });
    CHECK(holds(outcome, R"("decision":"deny","reason":"says the host")"));
    CHECK(*alive == 1 && alive.use_count() == 1); // the host and the notice are gone
    CHECK(holds(asked([](crosshook::Request request) {
                    std::thread([](crosshook::Request moved) { moved.reply(deny); }, std::move(request)).detach();
                }),
                "says the host"));
}

void hosts_that_fail() {
    const auto says = [](crosshook::Host host, std::string_view part) {
        const std::string outcome = asked(std::move(host));
        CHECK(holds(outcome, R"("decision":"none")") && holds(outcome, R"("status":"error")"));
        CHECK(holds(outcome, part));
    };
    says([](crosshook::Request request) { request.fail("no key"); }, "no key");
    says([](crosshook::Request) {}, "without an answer");
    says([](crosshook::Request) { throw std::runtime_error("a defect in the host"); }, "a defect in the host");
    says([](crosshook::Request) { throw std::runtime_error("\xff"); }, "not UTF-8");
    says([](crosshook::Request) { throw 7; }, "no std::exception");
    says([](crosshook::Request request) { request.reply("\xff"); }, "not UTF-8");
    // Handed on and then thrown, or answered and then thrown: the answer counts.
    std::vector<std::thread> threads;
    CHECK(holds(asked([&](crosshook::Request request) {
                    auto later = [](crosshook::Request moved) {
                        std::this_thread::sleep_for(100ms);
                        moved.reply(deny);
                    };
                    threads.emplace_back(later, std::move(request));
                    throw std::runtime_error("too late to matter");
                }),
                "says the host"));
    threads.front().join();
    CHECK(holds(asked([](crosshook::Request request) {
                    request.reply(deny);
                    throw std::runtime_error("too late to matter");
                }),
                "says the host"));
}

void hosts_on_engine_threads() {
    crosshook::Engine *inside = nullptr;
    std::string nested, refused, outcome;
    crosshook::Engine engine(bare, [&](crosshook::Request request) {
        std::string &code = nested.empty() ? nested : refused;
        code = code_of([&] { inside->dispatch(R"({"hook_event_name": "Stop"})"); }) + ";";
        request.reply(deny);
    });
    inside = &engine;
    engine.register_function(spec);
    CHECK(holds(engine.dispatch(event), "says the host"));
    CHECK(nested == ";"); // on the caller's own thread
    engine.start(event, [&](const crosshook::Result &result) { outcome = result.outcome(); }).wait();
    CHECK(refused == "engine_thread;");
    CHECK(holds(outcome, "says the host"));
}

void cancelled_requests() {
    std::vector<crosshook::Request> kept;
    std::atomic<int> notices{0};
    const crosshook::Engine engine(bare, [&](crosshook::Request request) {
        request.on_cancel([&] {
            ++notices;
            throw std::runtime_error("nobody hears it");
        });
        kept.push_back(std::move(request));
    });
    engine.register_function(R"({"event": "PreToolUse", "timeout_ms": 100})");
    CHECK(holds(engine.dispatch(event), R"("status":"timeout")"));
    CHECK(notices == 1 && kept.at(0).is_cancelled());
    CHECK(code_of([&] { kept.at(0).reply(deny); }).empty()); // too late, and harmless
    bool refused = false;
    try {
        kept.at(0) = crosshook::Request(nullptr);
        kept.at(0).on_cancel(nullptr);
    } catch (const crosshook::Error &error) {
        refused = error.code() == "null_argument";
    }
    CHECK(refused);
}

template <typename Call>
bool needs_a_function(Call &&call) {
    try {
        call();
        return false;
    } catch (const std::invalid_argument &) {
        return true;
    }
}

void failed_hosts() {
    auto alive = std::make_shared<int>(0);
    CHECK(needs_a_function([] { crosshook::Engine engine(bare, crosshook::Host()); }));
    CHECK(code_of([&] { crosshook::Engine engine("{", [alive](crosshook::Request) {}); }) == "invalid_options");
    CHECK(alive.use_count() == 1);
    const crosshook::Engine engine(bare);
    CHECK(code_of([&] { engine.register_function(spec); }) == "invalid_options"); // nobody to ask
    CHECK(needs_a_function([&] { engine.watch(nullptr); }));
}

void listeners() {
    auto heard = std::make_shared<std::vector<std::string>>();
    const crosshook::Engine engine(options("exit 2"));
    const auto number = engine.watch([heard](std::string_view notice) { heard->emplace_back(notice); });
    engine.watch([](std::string_view) { throw std::runtime_error("a listener that breaks harms nobody"); });
    CHECK(holds(engine.dispatch(event), R"("decision":"deny")"));
    CHECK(heard->size() == 2 && holds(heard->at(0), R"("type":"started")") && holds(heard->at(1), R"("type":"finished")"));
    CHECK(engine.unwatch(number) && !engine.unwatch(number));
    CHECK(heard.use_count() == 1);
    engine.dispatch(event);
    CHECK(heard->size() == 2);
}

// What stands between the first `mark` and the next quotation mark.
std::string text_after(const std::string &text, const std::string &mark) {
    const auto from = text.find(mark) + mark.size();
    return text.substr(from, text.find('"', from) - from);
}

void life_of_settings() {
    const crosshook::Engine engine(bare);
    const std::string mine = R"({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"})";
    const std::string deny_all = R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}})";
    const std::string id = text_after(engine.register_hooks("s", deny_all), R"("id":")");
    CHECK(holds(engine.dispatch(mine), R"("decision":"deny")"));
    CHECK(engine.unregister(id) && !engine.unregister(id));
    CHECK(holds(engine.dispatch(mine), R"("decision":"none")"));
    CHECK(code_of([&] { engine.register_hooks("s", "["); }) == "invalid_settings");
    CHECK(engine.changes() == R"({"files":[],"added":[],"changed":[],"removed":[],"diagnostics":[]})");
    CHECK(engine.reload() == engine.changes());
    const std::string scope = engine.open_scope(
        R"({"owner": "agent", "source": "builtin", "text": "---\nname: a\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: exit 2\n---\n"})");
    CHECK(holds(engine.dispatch(mine), R"("decision":"deny")"));
    CHECK(engine.close_scope(text_after(scope, R"("id":")")) && !engine.close_scope("nothing"));
    CHECK(code_of([&] { engine.open_scope("{}"); }) == "invalid_options");
    CHECK(engine.wanted_grants() == "[]");
    CHECK(engine.grants() == "[]");
    CHECK(code_of([&] { engine.grant("sha256:00"); }) == "invalid_options");
    CHECK(code_of([&] { engine.revoke("sha256:00"); }).empty());
    CHECK(!engine.end_session("nobody"));
}

void background_hooks() {
    const crosshook::Engine engine(
        R"({"dialect": "codebuddy", "settings": {"hooks": {"Stop": [{"hooks": [{"type": "command", "async": true, "command": "sleep 0.3; printf '{\"systemMessage\":\"built\"}'"}]}]}}})");
    const std::string stop = R"({"hook_event_name": "Stop", "session_id": "s", "cwd": "/"})";
    CHECK(holds(engine.dispatch(stop), R"("status":"background")"));
    CHECK(holds(engine.background(), R"("number":1)"));
    CHECK(!engine.wait_background_for(1ms));
    engine.wait_background();
    CHECK(holds(engine.take_late_results(), R"("system_message":"built")"));
    CHECK(engine.take_late_results() == "[]");
    engine.dispatch(stop);
    crosshook::end_foreground();
    CHECK(engine.cancel_background(99) == 0 && engine.cancel_background() == 1);
    CHECK(engine.wait_background_for(20s));
}

void goals_and_messages() {
    const std::string stop = R"({"hook_event_name": "Stop", "session_id": "s", "cwd": "/"})";
    const crosshook::Engine engine(R"({"dialect": "qwen", "settings": {}})", [](crosshook::Request request) {
        request.reply(R"({"ok": false, "reason": "two are red"})");
    });
    engine.set_goal("s", "all tests pass");
    CHECK(engine.note_goal_usage("s", 2, 500) && !engine.note_goal_usage("t", 1, 1));
    CHECK(holds(engine.dispatch(stop), "[all tests pass] two are red"));
    const std::string saved = engine.goal("s");
    CHECK(holds(saved, R"("turns":2,"tokens":500,"checks":1)"));
    CHECK(engine.clear_goal("s") && !engine.clear_goal("s") && engine.goal("s") == "null");
    engine.restore_goal("s", saved);
    CHECK(engine.goal("s") == saved);
    CHECK(code_of([&] { engine.set_goal("s", ""); }) == "invalid_options");
    CHECK(engine.render_context(
              R"({"event": "UserPromptSubmit", "decision": "none", "reason": null, "additional_context": ["a"]})") ==
          R"("<qwen:user-prompt-submit-context>\na\n</qwen:user-prompt-submit-context>")");
    CHECK(code_of([&] { engine.render_context("[]"); }) == "invalid_event");
    const crosshook::MessageDisplay message = engine.message_display("{}");
    message.push("Hello");
    CHECK(message.finish(20s));
    message.abort();
    CHECK(code_of([&] { message.push("\xff"); }) == "invalid_utf8");
    CHECK(code_of([] { crosshook::Engine(bare).message_display("{}"); }) == "invalid_options");
}

} // namespace

int main() {
    int passed = 0, failed = 0;
    for (auto test : {engines, errors, runs, failed_run, cancelled_run, hosts, hosts_that_fail, hosts_on_engine_threads,
                      cancelled_requests, failed_hosts, listeners, life_of_settings, background_hooks,
                      goals_and_messages}) {
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
