// Crosshook for C++17: a header-only wrapper of crosshook.h that owns handles, takes std::string_view and returns
// std::string. The conventions at the top of crosshook.h hold here too; this file adds:
//
//   Ownership.  Engine and Run free their handle when they go; they can be moved, not copied. A moved-from object may
//     only be assigned to or destroyed; any other use throws an Error with the code "null_argument".
//   Errors.  Every failure is thrown as crosshook::Error. A hook that fails, blocks or denies is no error: it stands in
//     the outcome. A host that must be safe treats every Error of a dispatch as "denied".
//   Threads.  All const members may be called by several threads at once. Callbacks may run on a thread of
//     the library.
//
//     crosshook::Engine engine(R"({"dialect": "qwen", "settings": {"hooks": {}}})");
//     std::string outcome = engine.dispatch(R"({"hook_event_name": "Stop", "stop_hook_active": false})");

#ifndef CROSSHOOK_HPP
#define CROSSHOOK_HPP

#include "crosshook.h"

#include <chrono>
#include <cstdint>
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

// Frees whatever handle the C side gave.
struct Free {
    void operator()(crosshook_engine *engine) const noexcept { crosshook_engine_free(engine); }
    void operator()(crosshook_run *run) const noexcept { crosshook_run_free(run); }
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
    Callback &done = *static_cast<Callback *>(user_data);
    done(status == CROSSHOOK_STATUS_OK ? Result(copy(outcome)) : Result(describe(status, error)));
}

extern "C" inline void crosshook_hpp_free(void *user_data) noexcept { delete static_cast<Callback *>(user_data); }

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

// A set of hooks, ready to run.
class Engine {
public:
    // Makes an engine from a JSON object, see crosshook_engine_new(). Throws a std::logic_error when the library that
    // was loaded has another ABI than this header.
    explicit Engine(std::string_view options) {
        if (crosshook_abi_version() != CROSSHOOK_ABI_VERSION) {
            throw std::logic_error("the crosshook library has ABI " + std::to_string(crosshook_abi_version()) +
                                   ", its header ABI " + std::to_string(CROSSHOOK_ABI_VERSION));
        }
        crosshook_engine *raw = nullptr;
        detail::check(
            [&](crosshook_error **error) { return crosshook_engine_new(detail::view(options), &raw, error); });
        handle_.reset(raw);
    }

    // Runs one event (JSON) and waits; the outcome as JSON text.
    std::string dispatch(std::string_view event) const {
        return detail::text([&](crosshook_buf *out, crosshook_error **error) {
            return crosshook_dispatch(handle_.get(), detail::view(event), out, error);
        });
    }

    // Starts one event and returns at once; `done` is called exactly once, unless this throws. `done` must not be
    // empty.
    Run start(std::string_view event, Callback done) const {
        if (!done) {
            throw std::invalid_argument("crosshook::Engine::start needs a callback");
        }
        auto data = std::make_unique<Callback>(std::move(done));
        crosshook_run *run = nullptr;
        detail::check([&](crosshook_error **error) {
            // The call takes the callback over, also when it fails.
            return crosshook_start(handle_.get(), detail::view(event), detail::crosshook_hpp_done, data.release(),
                                   detail::crosshook_hpp_free, &run, error);
        });
        return Run(run);
    }

    // Which hooks would run for an event, which not, and why, as a JSON array. Runs nothing.
    std::string explain(std::string_view event) const {
        return detail::text([&](crosshook_buf *out, crosshook_error **error) {
            return crosshook_explain(handle_.get(), detail::view(event), out, error);
        });
    }

    // Every configured hook, as a JSON array.
    std::string list() const {
        return detail::text([&](crosshook_buf *out, crosshook_error **error) {
            return crosshook_list(handle_.get(), out, error);
        });
    }

    // What was noticed while the settings were loaded, as a JSON array.
    std::string diagnostics() const {
        return detail::text([&](crosshook_buf *out, crosshook_error **error) {
            return crosshook_diagnostics(handle_.get(), out, error);
        });
    }

private:
    std::unique_ptr<crosshook_engine, detail::Free> handle_;
};

// Ends everything that runs in this process, of all engines, and waits for it; see crosshook_shutdown().
inline void shutdown() {
    detail::check([](crosshook_error **error) { return crosshook_shutdown(error); });
}

// The version of the library, for example "0.1.0".
inline std::string version() { return detail::copy(crosshook_version()); }

} // namespace crosshook

#endif // CROSSHOOK_HPP
