/* Many threads on one engine, each with events of its own, on its own thread and on the engine's, while others list,
   reload, register and watch: everyone gets the outcome of the own event. */
#define _DEFAULT_SOURCE
#include "host.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 16

static crosshook_engine *engine;
static atomic_int stop, notices;

typedef struct answer {
    char wanted[40];
    int right;
} answer;

static void compare(void *user_data, crosshook_status status, crosshook_str outcome, const crosshook_error *error) {
    answer *a = user_data;
    (void)error;
    a->right = status == CROSSHOOK_STATUS_OK && holds(outcome, DENIED) && holds(outcome, a->wanted);
}

static void *dispatch_all(void *number) {
    for (int i = 0; i < rounds(20); i++) {
        char event[300];
        answer a = {.right = 0};
        crosshook_run *run = NULL;
        bool finished = false;
        snprintf(event, sizeof event,
                 "{\"hook_event_name\": \"PreToolUse\", \"session_id\": \"s\", \"cwd\": \"/\", \"tool_name\": \"Bash\", "
                 "\"tool_input\": {\"command\": \"thread-%d-%d-\"}}",
                 *(int *)number, i);
        snprintf(a.wanted, sizeof a.wanted, "\"reason\":\"thread-%d-%d-", *(int *)number, i);
        REQUIRE(says(engine, event, a.wanted));
        REQUIRE(crosshook_start(engine, text_of(event), compare, &a, NULL, &run, NULL) == CROSSHOOK_STATUS_OK);
        REQUIRE(crosshook_run_wait(run, 60000, &finished, NULL) == CROSSHOOK_STATUS_OK && finished);
        crosshook_run_free(run);
        REQUIRE(a.right);
    }
    return NULL;
}

static void notice(void *user_data, crosshook_str text) {
    (void)user_data, (void)text;
    atomic_fetch_add(&notices, 1);
}

/* Somebody who changes and looks at everything meanwhile. */
static void *meddle(void *nothing) {
    const char *more = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"exit 0\"}]}]}}";
    while (!atomic_load(&stop)) {
        crosshook_buf out = {NULL, 0};
        uint64_t number = 0;
        REQUIRE(crosshook_list(engine, &out, NULL) == CROSSHOOK_STATUS_OK);
        crosshook_buf_free(&out);
        REQUIRE(crosshook_register(engine, text_of("s"), text_of(more), &out, NULL) == CROSSHOOK_STATUS_OK);
        crosshook_buf_free(&out);
        REQUIRE(crosshook_reload(engine, &out, NULL) == CROSSHOOK_STATUS_OK);
        crosshook_buf_free(&out);
        REQUIRE(crosshook_watch(engine, notice, NULL, NULL, &number, NULL) == CROSSHOOK_STATUS_OK);
        pause_ms(5);
        bool was = false;
        REQUIRE(crosshook_unwatch(engine, number, &was, NULL) == CROSSHOOK_STATUS_OK && was);
        REQUIRE(crosshook_end_session(engine, text_of("s"), &was, NULL) == CROSSHOOK_STATUS_OK);
    }
    return nothing;
}

int main(void) {
    pthread_t threads[THREADS], meddler;
    int numbers[THREADS];
    engine = engine_of("grep -o 'thread-[0-9]*-[0-9]*-' >&2; exit 2");
    REQUIRE(pthread_create(&meddler, NULL, meddle, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        REQUIRE(pthread_create(&threads[i], NULL, dispatch_all, &numbers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    atomic_store(&stop, 1);
    pthread_join(meddler, NULL);
    REQUIRE(atomic_load(&notices) > 0);
    crosshook_engine_free(engine);
    return 0;
}
