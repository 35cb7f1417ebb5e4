// Crosshook for C++17: a header-only wrapper of crosshook.h that owns handles, takes std::string_view and returns
// std::string. The conventions at the top of crosshook.h hold here too; this file adds:
//
//   Ownership.  Engine, Run, Request and MessageDisplay free their handle when they go; they can be moved, not copied. A moved-from
//     object may only be assigned to or destroyed; any other use throws an Error with the code "null_argument".
//   Errors.  Every failure is thrown as crosshook::Error. A hook that fails, blocks or denies is no error: it stands in
//     the outcome. A host that must be safe treats every Error of a dispatch as "denied".
//   Threads.  All const members may be called by several threads at once. Callbacks may run on a thread of
//     the library.
//   JSON.  What a member takes and returns is described at the C function of the same name.
//
// An example (which run_c.sh runs):
//
//         crosshook::Engine engine(R"({"dialect": "qwen", "settings": {}})", [](crosshook::Request request) {
//             request.reply(R"({"decision": "deny", "reason": "not today"})");
//         });
//         engine.register_function(R"({"event": "PreToolUse", "matcher": "Bash"})");
//         std::cout << engine.dispatch(R"({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/"})") << "\n";

#ifndef CROSSHOOK_HPP
#define CROSSHOOK_HPP

#include "crosshook.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace crosshook {

// Why a call failed. what() is the message for people.
class Error : public std::runtime_error {
public:
    Error(crosshook_status status, std::string code, const std::string &message, std::string details)
        : std::runtime_error(message), status_(status), code_(std::move(code)), details_(std::move(details)) {}

    // The number, one of CROSSHOOK_STATUS_..., or one that a later version of the library added.
    crosshook_status status() const noexcept { return status_; }

    // The stable text code, for example "invalid_event", the same in every language.
    const std::string &code() const noexcept { return code_; }

    // A JSON object with the keys code, message, path, pointer and line.
    const std::string &details() const noexcept { return details_; }

private:
    crosshook_status status_;
    std::string code_;
    std::string details_;
};

namespace detail {

inline crosshook_str view(std::string_view text) noexcept { return {text.data(), text.size()}; }

inline std::string copy(crosshook_str text) { return text.len == 0 ? std::string() : std::string(text.data, text.len); }

// Owns the function behind a user_data pointer. The pointer is always one to this base.
struct Box {
    Box() = default;
    Box(const Box &) = delete;
    Box &operator=(const Box &) = delete;
    virtual ~Box() = default;
};

template <typename Function>
struct Held final : Box {
    explicit Held(Function held) : function(std::move(held)) {}
    Function function;
};

template <typename Function>
std::unique_ptr<Box> hold(Function function, const char *whose) {
    if (!function) {
        throw std::invalid_argument(std::string(whose) + " needs a function");
    }
    return std::make_unique<Held<Function>>(std::move(function));
}

template <typename Function>
Function &held(void *user_data) noexcept {
    return static_cast<Held<Function> *>(static_cast<Box *>(user_data))->function;
}

extern "C" inline void crosshook_hpp_free(void *user_data) noexcept { delete static_cast<Box *>(user_data); }

// Frees whatever handle the C side gave.
struct Free {
    void operator()(crosshook_engine *engine) const noexcept { crosshook_engine_free(engine); }
    void operator()(crosshook_run *run) const noexcept { crosshook_run_free(run); }
    void operator()(crosshook_display *display) const noexcept { crosshook_display_free(display); }
    void operator()(crosshook_error *error) const noexcept { crosshook_error_free(error); }
};

// Copies an error; `error` may be NULL and stays the caller's.
inline Error describe(crosshook_status status, const crosshook_error *error) {
    return Error(status, copy(crosshook_status_code(status)), copy(crosshook_error_message(error)),
                 copy(crosshook_error_details(error)));
}

// Makes a call that gets the place for its error, and throws when it fails.
template <typename Call>
void check(Call &&call) {
    crosshook_error *raw = nullptr;
    const crosshook_status status = call(&raw);
    const std::unique_ptr<crosshook_error, Free> error(raw);
    if (status != CROSSHOOK_STATUS_OK) {
        throw describe(status, error.get());
    }
}

// Makes a call that fills in a buffer, and returns the text. The buffer is freed even if the copy runs out of memory.
template <typename Call>
std::string text(Call &&call) {
    struct Buffer {
        crosshook_buf value{nullptr, 0};
        Buffer() = default;
        Buffer(const Buffer &) = delete;
        Buffer &operator=(const Buffer &) = delete;
        ~Buffer() { crosshook_buf_free(&value); }
    } buffer;
    check([&](crosshook_error **error) { return call(&buffer.value, error); });
    return copy({buffer.value.data, buffer.value.len});
}

} // namespace detail

// How a run ended: with an outcome or with an error.
class Result {
public:
    explicit Result(std::string outcome) : value_(std::move(outcome)) {}
    explicit Result(Error error) : value_(std::move(error)) {}

    // Whether there is an outcome.
    bool ok() const noexcept { return std::holds_alternative<std::string>(value_); }

    // The outcome as JSON text; throws the Error when there is none.
    const std::string &outcome() const {
        if (const Error *failed = error()) {
            throw *failed;
        }
        return *std::get_if<std::string>(&value_);
    }

    // The error, or NULL when there is an outcome.
    const Error *error() const noexcept { return std::get_if<Error>(&value_); }

private:
    std::variant<std::string, Error> value_;
};

// Called once when a run has ended, on a thread of the library or, when the event is invalid or no thread can be had,
// inside Engine::start. It must be quick. What it throws ends the program
// (std::terminate), and a call that waits throws an Error with the code "engine_thread" there.
using Callback = std::function<void(Result)>;

namespace detail {

extern "C" inline void crosshook_hpp_done(void *user_data, crosshook_status status, crosshook_str outcome,
                                          const crosshook_error *error) noexcept {
    Callback &done = held<Callback>(user_data);
    done(status == CROSSHOOK_STATUS_OK ? Result(copy(outcome)) : Result(describe(status, error)));
}

} // namespace detail

// An event that was started with Engine::start. When it goes, the run itself goes on to its end.
class Run {
public:
    // Ends the hooks, whole process groups; the callback is called as always. Returns at once.
    void cancel() const noexcept { crosshook_run_cancel(handle_.get()); }

    // Waits until the callback has returned and is destroyed.
    void wait() const { wait_ms(-1); }

    // The same, for `limit` at most; whether the run has ended.
    bool wait_for(std::chrono::milliseconds limit) const {
        const std::int64_t ms = limit.count();
        return wait_ms(ms < 0 ? 0 : ms);
    }

    // Whether the run has ended.
    bool finished() const { return wait_ms(0); }

private:
    friend class Engine;
    explicit Run(crosshook_run *handle) noexcept : handle_(handle) {}

    bool wait_ms(std::int64_t ms) const {
        bool finished = false;
        detail::check(
            [&](crosshook_error **error) { return crosshook_run_wait(handle_.get(), ms, &finished, error); });
        return finished;
    }

    std::unique_ptr<crosshook_run, detail::Free> handle_;
};

namespace detail {

// A request that is answered once, or freed when nobody holds it any more.
class Question {
public:
    explicit Question(crosshook_request *raw) noexcept : raw_(raw) {}
    Question(const Question &) = delete;
    Question &operator=(const Question &) = delete;
    ~Question() { crosshook_request_free(take()); }

    // The request, which stays here; NULL when it was taken.
    crosshook_request *look() const noexcept { return raw_.load(); }

    // The request, for the one who ends it; NULL when somebody else has done so.
    crosshook_request *take() noexcept { return raw_.exchange(nullptr); }

private:
    std::atomic<crosshook_request *> raw_;
};

extern "C" inline void crosshook_hpp_cancelled(void *user_data) noexcept {
    try {
        held<std::function<void()>>(user_data)();
    } catch (...) { // the hook is over: there is nobody to tell
    }
}

} // namespace detail

// A question to the host, see crosshook_request: answer it once, now or later, on any thread. One that goes without an
// answer counts as failed. Its members are for one thread at a time.
class Request {
public:
    explicit Request(std::shared_ptr<detail::Question> question) noexcept : question_(std::move(question)) {}
    Request(Request &&) noexcept = default;
    Request &operator=(Request &&) noexcept = default;

    // CROSSHOOK_KIND_PROMPT, CROSSHOOK_KIND_AGENT or CROSSHOOK_KIND_FUNCTION; or one that a later version added.
    crosshook_kind kind() const { return crosshook_request_kind(look()); }

    // The same as text.
    std::string_view kind_name() const { return view(crosshook_request_kind_name(look())); }

    // A number that no other request of this process has.
    std::uint64_t id() const { return crosshook_request_id(look()); }

    // The whole request as a JSON object. Valid until the request is answered or goes.
    std::string_view json() const { return view(crosshook_request_json(look())); }

    // Whether the answer is no longer wanted.
    bool is_cancelled() const { return crosshook_request_is_cancelled(look()); }

    // Calls `notice` once when the answer is no longer wanted, perhaps at once, perhaps on a thread of the library. It
    // must be quick; what it throws is lost.
    void on_cancel(std::function<void()> notice) const {
        const crosshook_request *const request = look();
        auto data = detail::hold(std::move(notice), "crosshook::Request::on_cancel");
        crosshook_request_on_cancel(request, detail::crosshook_hpp_cancelled, data.release(),
                                    detail::crosshook_hpp_free);
    }

    // Answers. The request is empty afterwards.
    void reply(std::string_view text) { crosshook_request_reply(take(), detail::view(text)); }

    // Says that there is no answer, and why. The request is empty afterwards.
    void fail(std::string_view why) { crosshook_request_fail(take(), detail::view(why)); }

    // Whether it can still be answered here.
    explicit operator bool() const noexcept { return question_ && question_->look() != nullptr; }

private:
    static std::string_view view(crosshook_str text) noexcept {
        return text.len == 0 ? std::string_view() : std::string_view(text.data, text.len);
    }

    crosshook_request *wanted(crosshook_request *request) const {
        if (request == nullptr) {
            const char *const message = "the request was answered already, or moved from";
            throw Error(CROSSHOOK_STATUS_NULL_ARGUMENT, "null_argument", message,
                        std::string(R"({"code":"null_argument","message":")") + message +
                            R"(","path":null,"pointer":null,"line":null})");
        }
        return request;
    }

    const crosshook_request *look() const { return wanted(question_ ? question_->look() : nullptr); }

    crosshook_request *take() {
        const std::shared_ptr<detail::Question> question = std::move(question_);
        return wanted(question ? question->take() : nullptr);
    }

    std::shared_ptr<detail::Question> question_;
};

// Answers prompt, agent and function hooks; see crosshook_host for the threads it is called on. When it throws, the
// request has failed, with the exception's text, unless the function has handed it on.
using Host = std::function<void(Request)>;

// Hears notices (JSON), see crosshook_listener. What it throws is lost.
using Listener = std::function<void(std::string_view)>;

namespace detail {

// Fails a request whose callback threw. Where the callback has handed it on, its new holder answers.
inline void thrown(const std::shared_ptr<Question> &question, const char *what) noexcept {
    if (question.use_count() == 1) {
        crosshook_request_fail(question->take(), view(what));
    }
}

extern "C" inline void crosshook_hpp_ask(void *user_data, crosshook_request *request) noexcept {
    std::shared_ptr<Question> question;
    try {
        question = std::make_shared<Question>(request);
    } catch (...) {
        crosshook_request_fail(request, view("the host is out of memory"));
        return;
    }
    try {
        held<Host>(user_data)(Request(question));
    } catch (const std::exception &error) {
        thrown(question, error.what());
    } catch (...) {
        thrown(question, "the host's callback threw something that is no std::exception");
    }
}

extern "C" inline void crosshook_hpp_listen(void *user_data, crosshook_str notice) noexcept {
    try {
        held<Listener>(user_data)(std::string_view(notice.data, notice.len));
    } catch (...) { // a listener decides nothing
    }
}

} // namespace detail

// A message that is streamed to the MessageDisplay hooks, see crosshook_message_display(). One that goes unfinished is
// aborted.
class MessageDisplay {
public:
    // Appends text that was shown. Returns at once.
    void push(std::string_view text) const {
        detail::check(
            [&](crosshook_error **error) { return crosshook_display_push(handle_.get(), detail::view(text), error); });
    }

    // Delivers the finished text and waits for the hooks, for `limit` at most; whether they are done.
    bool finish(std::chrono::milliseconds limit) const {
        const std::int64_t ms = limit.count();
        bool done = false;
        detail::check([&](crosshook_error **error) {
            return crosshook_display_finish(handle_.get(), ms < 0 ? 0 : ms, &done, error);
        });
        return done;
    }

    // Ends the message without delivering it.
    void abort() const noexcept { crosshook_display_abort(handle_.get()); }

private:
    friend class Engine;
    explicit MessageDisplay(crosshook_display *handle) noexcept : handle_(handle) {}

    std::unique_ptr<crosshook_display, detail::Free> handle_;
};

// A set of hooks, ready to run.
class Engine {
public:
    // Makes an engine from a JSON object, see crosshook_engine_new(). Throws a std::logic_error when the library that
    // was loaded has another ABI than this header.
    explicit Engine(std::string_view options) {
        check_abi();
        crosshook_engine *raw = nullptr;
        detail::check(
            [&](crosshook_error **error) { return crosshook_engine_new(detail::view(options), &raw, error); });
        handle_.reset(raw);
    }

    // The same with a host, which must not be empty, for prompt, agent and function hooks.
    Engine(std::string_view options, Host host) {
        check_abi();
        auto data = detail::hold(std::move(host), "crosshook::Engine");
        crosshook_engine *raw = nullptr;
        detail::check([&](crosshook_error **error) {
            // The call takes the host over, also when it fails.
            return crosshook_engine_new_with_host(detail::view(options), detail::crosshook_hpp_ask, data.release(),
                                                  detail::crosshook_hpp_free, &raw, error);
        });
        handle_.reset(raw);
    }

    // Runs one event (JSON) and waits; the outcome as JSON text.
    std::string dispatch(std::string_view event) const { return json(crosshook_dispatch, event); }

    // Starts one event and returns at once; `done` is called exactly once, unless this throws. `done` must not be
    // empty.
    Run start(std::string_view event, Callback done) const {
        auto data = detail::hold(std::move(done), "crosshook::Engine::start");
        crosshook_run *run = nullptr;
        detail::check([&](crosshook_error **error) {
            return crosshook_start(handle_.get(), detail::view(event), detail::crosshook_hpp_done, data.release(),
                                   detail::crosshook_hpp_free, &run, error);
        });
        return Run(run);
    }

    // Which hooks would run for an event, which not, and why. Runs nothing.
    std::string explain(std::string_view event) const { return json(crosshook_explain, event); }

    // What would be decided otherwise than a line of a recording says. Runs nothing.
    std::string replay(std::string_view line) const { return json(crosshook_replay, line); }

    // Every configured hook.
    std::string list() const { return json(crosshook_list); }

    // What was noticed while the settings were loaded.
    std::string diagnostics() const { return json(crosshook_diagnostics); }

    // What in working settings is probably not meant. Runs nothing.
    std::string lint() const { return json(crosshook_lint); }

    // What a reload would change. Changes nothing.
    std::string changes() const { return json(crosshook_changes); }

    // Takes over the settings as they are now; what has changed.
    std::string reload() const { return json(crosshook_reload); }

    // crosshook_register(): adds hooks for one session; those of another dialect as {"dialect": "claude", "settings":
    // {...}}. (`register` is a word of C++.)
    std::string register_hooks(std::string_view session_id, std::string_view settings) const {
        return json(crosshook_register, session_id, settings);
    }

    // Makes a function of the host's a hook.
    std::string register_function(std::string_view spec) const { return json(crosshook_register_function, spec); }

    // Removes what was registered; whether there was anything.
    bool unregister(std::string_view id) const { return act<bool>(crosshook_unregister, detail::view(id)); }

    // Opens the scope of an agent or skill.
    std::string open_scope(std::string_view scope) const { return json(crosshook_open_scope, scope); }

    // Closes a scope; whether there was one.
    bool close_scope(std::string_view id) const { return act<bool>(crosshook_close_scope, detail::view(id)); }

    // The declarations that wait for a grant.
    std::string wanted_grants() const { return json(crosshook_wanted_grants); }

    // What has been granted.
    std::string grants() const { return json(crosshook_grants); }

    // Grants a declaration by its digest.
    void grant(std::string_view digest) const {
        detail::check(
            [&](crosshook_error **error) { return crosshook_grant(handle_.get(), detail::view(digest), error); });
    }

    // Takes a grant back.
    void revoke(std::string_view digest) const {
        detail::check(
            [&](crosshook_error **error) { return crosshook_revoke(handle_.get(), detail::view(digest), error); });
    }

    // Calls `listener`, which must not be empty, for everything that happens from now on; the number is for unwatch().
    std::uint64_t watch(Listener listener) const {
        auto data = detail::hold(std::move(listener), "crosshook::Engine::watch");
        std::uint64_t number = 0;
        detail::check([&](crosshook_error **error) {
            return crosshook_watch(handle_.get(), detail::crosshook_hpp_listen, data.release(),
                                   detail::crosshook_hpp_free, &number, error);
        });
        return number;
    }

    // Takes a listener away; whether it was there.
    bool unwatch(std::uint64_t number) const { return act<bool>(crosshook_unwatch, number); }

    // The background hooks that run now.
    std::string background() const { return json(crosshook_background); }

    // Ends one background hook, or all; how many.
    std::size_t cancel_background(std::uint64_t number = 0) const {
        return act<std::size_t>(crosshook_cancel_background, number);
    }

    // Waits for the end of all background hooks.
    void wait_background() const { act<bool>(crosshook_wait_background, std::int64_t{-1}); }

    // The same, for `limit` at most; whether none runs any more.
    bool wait_background_for(std::chrono::milliseconds limit) const {
        const std::int64_t ms = limit.count();
        return act<bool>(crosshook_wait_background, ms < 0 ? 0 : ms);
    }

    // Takes what background hooks had to say since the last call.
    std::string take_late_results() const { return json(crosshook_take_late_results); }

    // Forgets a session; whether there was anything to forget.
    bool end_session(std::string_view session_id) const {
        return act<bool>(crosshook_end_session, detail::view(session_id));
    }

    // Gives a session a goal: its agent works on until the host's model says that the condition is met.
    void set_goal(std::string_view session_id, std::string_view condition) const {
        detail::check([&](crosshook_error **error) {
            return crosshook_set_goal(handle_.get(), detail::view(session_id), detail::view(condition), error);
        });
    }

    // Takes a session's goal away; whether it had one.
    bool clear_goal(std::string_view session_id) const {
        return act<bool>(crosshook_clear_goal, detail::view(session_id));
    }

    // A session's goal, or "null".
    std::string goal(std::string_view session_id) const { return json(crosshook_goal, session_id); }

    // Adds turns and tokens that were spent on a session's goal; whether it has one.
    bool note_goal_usage(std::string_view session_id, std::uint64_t turns, std::uint64_t tokens) const {
        return act<bool>(crosshook_note_goal_usage, detail::view(session_id), turns, tokens);
    }

    // Gives a session a goal that goal() has shown.
    void restore_goal(std::string_view session_id, std::string_view goal) const {
        detail::check([&](crosshook_error **error) {
            return crosshook_restore_goal(handle_.get(), detail::view(session_id), detail::view(goal), error);
        });
    }

    // The contexts of an outcome as the dialect hands them to its model: a JSON string, or "null".
    std::string render_context(std::string_view outcome) const { return json(crosshook_render_context, outcome); }

    // Begins a message for the MessageDisplay hooks.
    MessageDisplay message_display(std::string_view event) const {
        crosshook_display *raw = nullptr;
        detail::check([&](crosshook_error **error) {
            return crosshook_message_display(handle_.get(), detail::view(event), &raw, error);
        });
        return MessageDisplay(raw);
    }

private:
    static void check_abi() {
        if (crosshook_abi_version() != CROSSHOOK_ABI_VERSION) {
            throw std::logic_error("the crosshook library has ABI " + std::to_string(crosshook_abi_version()) +
                                   ", its header ABI " + std::to_string(CROSSHOOK_ABI_VERSION));
        }
    }

    // A call that takes texts and gives JSON.
    template <typename Function, typename... Texts>
    std::string json(Function function, Texts... texts) const {
        return detail::text([&](crosshook_buf *out, crosshook_error **error) {
            return function(handle_.get(), detail::view(texts)..., out, error);
        });
    }

    // A call that gives a number.
    template <typename Out, typename Function, typename... Arguments>
    Out act(Function function, Arguments... arguments) const {
        Out out{};
        detail::check([&](crosshook_error **error) { return function(handle_.get(), arguments..., &out, error); });
        return out;
    }

    std::unique_ptr<crosshook_engine, detail::Free> handle_;
};

// Ends everything that runs in this process, of all engines, and waits for it; see crosshook_shutdown().
inline void shutdown() {
    detail::check([](crosshook_error **error) { return crosshook_shutdown(error); });
}

// Kills what is left of hooks whose dispatch is over; see crosshook_end_foreground().
inline void end_foreground() noexcept { crosshook_end_foreground(); }

// The names of all dialects: a JSON list of strings.
inline std::string dialect_names() {
    return detail::text([](crosshook_buf *out, crosshook_error **error) { return crosshook_dialect_names(out, error); });
}

// The JSON Schema of the settings files of a dialect.
inline std::string settings_schema(std::string_view dialect) {
    return detail::text([&](crosshook_buf *out, crosshook_error **error) {
        return crosshook_settings_schema(detail::view(dialect), out, error);
    });
}

// The version of the library, for example "0.1.0".
inline std::string version() { return detail::copy(crosshook_version()); }

} // namespace crosshook

#endif // CROSSHOOK_HPP
