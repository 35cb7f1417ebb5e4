/* A host function that dispatches on the engine that asked it, starts runs, and changes what is registered: on the
   caller's thread it may do all of it, on the engine's only what does not wait, and is told so. */
#define _DEFAULT_SOURCE
#include "host.h"

#include <stdatomic.h>

static crosshook_engine *engine;
static atomic_int asked, refused, nested, ended;

static void count_end(void *user_data, crosshook_status status, crosshook_str outcome, const crosshook_error *error) {
    (void)user_data, (void)error;
    REQUIRE(status == CROSSHOOK_STATUS_OK && holds(outcome, "\"decision\":\"block\""));
    atomic_fetch_add(&ended, 1);
}

static void call_back(void *user_data, crosshook_request *request) {
    const char *stop = "{\"hook_event_name\": \"Stop\", \"session_id\": \"s\", \"cwd\": \"/\"}";
    const char *more = "{\"hooks\": {\"Notification\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}";
    crosshook_buf out = {NULL, 0};
    (void)user_data;
    atomic_fetch_add(&asked, 1);
    crosshook_status status = crosshook_dispatch(engine, text_of(stop), &out, NULL);
    if (status == CROSSHOOK_STATUS_ENGINE_THREAD) {
        atomic_fetch_add(&refused, 1);
    } else {
        REQUIRE(status == CROSSHOOK_STATUS_OK && holds((crosshook_str){out.data, out.len}, "\"decision\":\"block\""));
        atomic_fetch_add(&nested, 1);
        crosshook_buf_free(&out);
    }
    REQUIRE(crosshook_start(engine, text_of(stop), count_end, NULL, NULL, NULL, NULL) == CROSSHOOK_STATUS_OK);
    REQUIRE(crosshook_register(engine, text_of("s"), text_of(more), &out, NULL) == CROSSHOOK_STATUS_OK);
    crosshook_buf_free(&out);
    REQUIRE(crosshook_end_session(engine, text_of("s"), NULL, NULL) == CROSSHOOK_STATUS_OK);
    crosshook_request_reply(request, text_of("{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", "
                                             "\"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"no\"}}"));
}

int main(void) {
    const char *options = "{\"dialect\": \"codebuddy\", \"settings\": {\"hooks\": {\"Stop\": [{\"hooks\": "
                          "[{\"type\": \"command\", \"command\": \"exit 2\"}]}]}}}";
    crosshook_buf out = {NULL, 0};
    int times = rounds(100);
    REQUIRE(crosshook_engine_new_with_host(text_of(options), call_back, NULL, NULL, &engine, NULL) ==
            CROSSHOOK_STATUS_OK);
    REQUIRE(crosshook_register_function(engine, text_of("{\"event\": \"PreToolUse\", \"timeout_ms\": 60000}"), &out,
                                        NULL) == CROSSHOOK_STATUS_OK);
    crosshook_buf_free(&out);
    for (int i = 0; i < times; i++) {
        REQUIRE(denies(engine, EVENT) && denies_there(engine, EVENT));
    }
    REQUIRE(asked == 2 * times && nested == times && refused == times);
    for (int i = 0; i < 2000 && atomic_load(&ended) < 2 * times; i++) {
        pause_ms(10);
    }
    REQUIRE(atomic_load(&ended) == 2 * times);
    crosshook_engine_free(engine);
    return 0;
}
