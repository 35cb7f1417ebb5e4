/* What the C hosts share. A host ends with 0 when everything held, with 1 and words when not, and with 77 and words
   when this system does not let it be tried. */
#ifndef HOST_H
#define HOST_H

#include "crosshook.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Ends the host unless the condition holds. */
#define REQUIRE(condition) require((condition), #condition, __FILE__, __LINE__)

static inline void require(int holds, const char *condition, const char *file, int line) {
    if (!holds) {
        fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
        _exit(1);
    }
}

static inline void left_out(const char *why) {
    printf("%s\n", why);
    fflush(stdout);
    _exit(77);
}

static inline crosshook_str text_of(const char *text) {
    crosshook_str view = {text, strlen(text)};
    return view;
}

static inline int holds(crosshook_str text, const char *wanted) {
    size_t len = strlen(wanted);
    for (size_t at = 0; at + len <= text.len; at++) {
        if (memcmp(text.data + at, wanted, len) == 0) {
            return 1;
        }
    }
    return 0;
}

/* An engine whose PreToolUse hook for the tool Bash runs `command`, which must need no JSON escapes. A hook that fails
   decides nothing, or denies with the fail mode "closed". */
static inline crosshook_engine *engine_failing(const char *fail_mode, const char *command) {
    const char *form = "{\"dialect\": \"codebuddy\", \"fail_mode\": \"%s\", \"settings\": {\"hooks\": {\"PreToolUse\": "
                       "[{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"%s\"}]}]}}}";
    char options[2048];
    crosshook_engine *engine = NULL;
    snprintf(options, sizeof options, form, fail_mode, command);
    REQUIRE(crosshook_engine_new(text_of(options), &engine, NULL) == CROSSHOOK_STATUS_OK);
    return engine;
}

static inline crosshook_engine *engine_of(const char *command) { return engine_failing("open", command); }

#define EVENT                                                                                                          \
    "{\"hook_event_name\": \"PreToolUse\", \"session_id\": \"s\", \"cwd\": \"/\", \"tool_name\": \"Bash\", "             \
    "\"tool_input\": {\"command\": \"ls\"}}"

/* An event whose tool input is this many bytes long. The caller frees it. */
static inline char *large_event(size_t size) {
    const char *head = "{\"hook_event_name\": \"PreToolUse\", \"cwd\": \"/\", \"tool_name\": \"Bash\", "
                       "\"tool_input\": {\"command\": \"";
    const char *tail = "\"}}";
    char *event = malloc(strlen(head) + size + strlen(tail) + 1);
    REQUIRE(event != NULL);
    strcpy(event, head);
    memset(event + strlen(head), 'x', size);
    strcpy(event + strlen(head) + size, tail);
    return event;
}

/* The outcome of the event, dispatched on this thread. The caller frees it. */
static inline crosshook_buf outcome_of(const crosshook_engine *engine, const char *event) {
    crosshook_buf out = {NULL, 0};
    REQUIRE(crosshook_dispatch(engine, text_of(event), &out, NULL) == CROSSHOOK_STATUS_OK);
    return out;
}

static inline int says(const crosshook_engine *engine, const char *event, const char *wanted) {
    crosshook_buf out = outcome_of(engine, event);
    int found = holds((crosshook_str){out.data, out.len}, wanted);
    crosshook_buf_free(&out);
    return found;
}

#define DENIED "\"decision\":\"deny\""

static inline int denies(const crosshook_engine *engine, const char *event) { return says(engine, event, DENIED); }

static inline void note_denial(void *denied, crosshook_status status, crosshook_str outcome,
                               const crosshook_error *error) {
    (void)error;
    *(int *)denied = status == CROSSHOOK_STATUS_OK && holds(outcome, DENIED);
}

/* The same on the engine's thread, while this one waits. */
static inline int denies_there(const crosshook_engine *engine, const char *event) {
    crosshook_run *run = NULL;
    bool finished = false;
    int denied = 0;
    REQUIRE(crosshook_start(engine, text_of(event), note_denial, &denied, NULL, &run, NULL) == CROSSHOOK_STATUS_OK);
    REQUIRE(crosshook_run_wait(run, 60000, &finished, NULL) == CROSSHOOK_STATUS_OK && finished);
    crosshook_run_free(run);
    return denied;
}

static inline void pause_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static inline double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* How often a test is repeated: the usual number, or fewer where CROSSHOOK_ROUNDS says so (a slow machine, valgrind). */
static inline int rounds(int usual) {
    const char *text = getenv("CROSSHOOK_ROUNDS");
    int most = text == NULL ? usual : atoi(text);
    return most < usual ? most : usual;
}

#endif
