/*
 * A whole host in C: a policy of its own as a hook, progress lines, a run that does not block. run_c.sh builds it, runs it
 * and compares what it prints.
 *
 *     cc -Iinclude tests/c/example.c -lcrosshook -o example && ./example
 */
#include "crosshook.h"

#include <stdio.h>
#include <string.h>

static crosshook_str str(const char *text) {
    crosshook_str view = {text, strlen(text)};
    return view;
}

static int holds(crosshook_str text, const char *word) {
    size_t len = strlen(word);
    for (size_t at = 0; at + len <= text.len; at++) {
        if (memcmp(text.data + at, word, len) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Answers at once. A host that has to think first keeps `request` and answers later, on any thread. */
static void policy(void *user_data, crosshook_request *request) {
    const char *answer = "{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\", "
                         "\"permissionDecisionReason\": \"pushing is for people\"}}";
    (void)user_data;
    if (crosshook_request_kind(request) != CROSSHOOK_KIND_FUNCTION) {
        crosshook_request_fail(request, str("this host has no model"));
    } else if (holds(crosshook_request_json(request), "git push")) {
        crosshook_request_reply(request, str(answer));
    } else {
        crosshook_request_reply(request, str("")); /* no opinion */
    }
}

static void progress(void *user_data, crosshook_str notice) {
    (void)user_data;
    if (holds(notice, "\"type\":\"started\"")) {
        puts("a hook runs");
    }
}

static void done(void *user_data, crosshook_status status, crosshook_str outcome, const crosshook_error *error) {
    (void)user_data;
    if (status != CROSSHOOK_STATUS_OK) { /* no decision: the careful host treats the event as denied */
        outcome = crosshook_error_message(error);
    }
    puts(holds(outcome, "pushing is for people") ? "denied: pushing is for people" : "not denied");
}

int main(void) {
    const char *event = "{\"hook_event_name\": \"PreToolUse\", \"session_id\": \"s-1\", \"cwd\": \"/\", \"tool_name\": "
                        "\"Bash\", \"tool_input\": {\"command\": \"git push\"}}";
    crosshook_engine *engine = NULL;
    crosshook_error *error = NULL;
    crosshook_run *run = NULL;
    crosshook_buf registered = {NULL, 0};
    uint64_t listener = 0;
    bool finished = false;
    if (crosshook_engine_new_with_host(str("{\"dialect\": \"codebuddy\"}"), policy, NULL, NULL, &engine, &error) ||
        crosshook_register_function(engine, str("{\"event\": \"PreToolUse\", \"matcher\": \"Bash\"}"), &registered,
                                    &error) ||
        crosshook_watch(engine, progress, NULL, NULL, &listener, &error) ||
        crosshook_start(engine, str(event), done, NULL, NULL, &run, &error) ||
        crosshook_run_wait(run, -1, &finished, &error)) {
        crosshook_str message = crosshook_error_message(error);
        fprintf(stderr, "%.*s\n", (int)message.len, message.data);
        crosshook_error_free(error);
    }
    crosshook_buf_free(&registered);
    crosshook_run_free(run);
    crosshook_engine_free(engine);
    crosshook_shutdown(NULL);
    return finished ? 0 : 1;
}
