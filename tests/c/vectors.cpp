// The vectors' host in C++17, through crosshook.hpp: the same requests and answers as vectors.c, where they are
// described. Nothing in here calls the C functions.
#include "crosshook.hpp"

#include <cstddef>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace {

void answer(std::string_view kind, std::string_view text) {
    std::cout << kind << ' ' << text.size() << '\n' << text << '\n' << std::flush;
}

struct Order {
    std::string kind;
    std::string body;
};

// The next request; nothing at the end of stdin.
std::optional<Order> next_request() {
    Order request;
    std::size_t length = 0;
    if (!(std::cin >> request.kind)) {
        return std::nullopt;
    }
    if (!(std::cin >> length) || std::cin.get() != '\n') {
        throw std::runtime_error("a request must start with KIND LENGTH");
    }
    request.body.resize(length);
    if (!std::cin.read(request.body.data(), static_cast<std::streamsize>(length)) || std::cin.get() != '\n') {
        throw std::runtime_error("a request is cut short");
    }
    return request;
}

std::string start(const crosshook::Engine &engine, std::string_view event) {
    auto promise = std::make_shared<std::promise<std::string>>();
    auto outcome = promise->get_future();
    const crosshook::Run run = engine.start(event, [promise](crosshook::Result result) {
        if (result.ok()) {
            promise->set_value(result.outcome());
        } else {
            promise->set_exception(std::make_exception_ptr(*result.error()));
        }
    });
    run.wait();
    return outcome.get();
}

// A model that says the texts in `body`, each ended by a NUL, and then fails.
crosshook::Host model(std::string body, bool on_a_thread) {
    auto texts = std::make_shared<std::istringstream>(std::move(body));
    return [texts, on_a_thread](crosshook::Request request) {
        std::string text;
        if (request.kind() == CROSSHOOK_KIND_FUNCTION || !std::getline(*texts, text, '\0')) {
            throw std::runtime_error("there is no reply left");
        }
        if (on_a_thread) {
            std::thread([](crosshook::Request moved, const std::string &said) { moved.reply(said); },
                        std::move(request), std::move(text))
                .detach();
        } else {
            request.reply(text);
        }
    };
}

void serve(bool use_start) {
    std::optional<crosshook::Engine> engine;
    crosshook::Host next;
    while (const auto request = next_request()) {
        try {
            if (request->kind == "replies") {
                next = model(request->body, use_start);
                answer("ready", "");
            } else if (request->kind == "engine") {
                engine.reset();
                if (crosshook::Host host = std::exchange(next, nullptr)) {
                    engine.emplace(request->body, std::move(host));
                } else {
                    engine.emplace(request->body);
                }
                answer("ready", "");
            } else if (request->kind == "event" && engine) {
                answer("outcome", use_start ? start(*engine, request->body) : engine->dispatch(request->body));
            } else {
                throw std::runtime_error("a request is replies, an engine, or an event after an engine");
            }
        } catch (const crosshook::Error &error) {
            answer("error", error.details());
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    try {
        serve(argc > 1 && std::string_view(argv[1]) == "--start");
        crosshook::shutdown();
        return 0;
    } catch (const std::exception &error) {
        std::cerr << "vectors: " << error.what() << '\n';
        return 2;
    }
}
