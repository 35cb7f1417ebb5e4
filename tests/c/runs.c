/* Runs that do not block: callbacks, cancel, threads. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a callback saw. */
typedef struct seen {
    atomic_int done;
    atomic_int freed;
    atomic_int freed_before_done;
    crosshook_status status;
    char text[4096];
    const crosshook_engine *engine;
    void (*inside)(struct seen *seen);
} seen;

static void on_done(void *user_data, crosshook_status status, crosshook_str outcome, const crosshook_error *error) {
    seen *s = user_data;
    crosshook_str text = status == CROSSHOOK_STATUS_OK ? outcome : crosshook_error_message(error);
    size_t len = text.len < sizeof s->text - 1 ? text.len : sizeof s->text - 1;
    s->status = status;
    memcpy(s->text, text.data, len);
    s->text[len] = 0;
    if (s->inside != NULL) {
        s->inside(s);
    }
    atomic_fetch_add(&s->done, 1);
}

static void on_free(void *user_data) {
    seen *s = user_data;
    if (atomic_load(&s->done) == 0) {
        atomic_fetch_add(&s->freed_before_done, 1);
    }
    atomic_fetch_add(&s->freed, 1);
}

static crosshook_run *start(const crosshook_engine *engine, const char *event, seen *s) {
    crosshook_run *run = NULL;
    CHECK(crosshook_start(engine, str(event), on_done, s, on_free, &run, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(run != NULL);
    return run;
}

/* Waits for the end; when it has come, everything must have been called exactly once. */
static void finish(crosshook_run *run, seen *s) {
    bool finished = false;
    CHECK(crosshook_run_wait(run, 20000, &finished, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(finished);
    CHECK(atomic_load(&s->done) == 1);
    CHECK(atomic_load(&s->freed) == 1);
    CHECK(atomic_load(&s->freed_before_done) == 0);
    crosshook_run_free(run);
}

void test_callback_once(void) {
    crosshook_engine *engine = engine_with("sleep 0.3; exit 2");
    char *event = event_with("x");
    seen s = {0};
    bool finished = true;
    double began = now();
    crosshook_run *run = start(engine, event, &s);
    CHECK(now() - began < 0.25); /* it did not wait for the hook */
    CHECK(crosshook_run_wait(run, 0, &finished, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(!finished);
    finish(run, &s);
    CHECK(s.status == CROSSHOOK_STATUS_OK);
    CHECK(strstr(s.text, "\"decision\":\"deny\"") != NULL);
    free(event);
    crosshook_engine_free(engine);
}

void test_callback_of_a_failed_run(void) {
    crosshook_engine *engine = engine_with("exit 0");
    seen s = {0};
    finish(start(engine, "{\"a\": 1}", &s), &s);
    CHECK(s.status == CROSSHOOK_STATUS_INVALID_EVENT);
    CHECK(strstr(s.text, "hook_event_name") != NULL);
    crosshook_engine_free(engine);
}

void test_failed_start(void) {
    crosshook_engine *engine = engine_with("exit 0");
    crosshook_run *run = NULL;
    crosshook_error *error = NULL;
    seen no_engine = {0}, no_callback = {0}, bad_text = {0};
    CHECK(crosshook_start(NULL, str("{}"), on_done, &no_engine, on_free, &run, &error) ==
          CROSSHOOK_STATUS_NULL_ARGUMENT);
    CHECK(holds(crosshook_error_message(error), "engine"));
    crosshook_error_free(error);
    CHECK(crosshook_start(engine, str("{}"), NULL, &no_callback, on_free, &run, NULL) ==
          CROSSHOOK_STATUS_NULL_ARGUMENT);
    CHECK(crosshook_start(engine, str("\xff"), on_done, &bad_text, on_free, &run, NULL) ==
          CROSSHOOK_STATUS_INVALID_UTF8);
    CHECK(run == NULL);
    /* The call took the user data over all the same. */
    CHECK(no_engine.freed == 1 && no_callback.freed == 1 && bad_text.freed == 1);
    CHECK(no_engine.done == 0 && no_callback.done == 0 && bad_text.done == 0);
    crosshook_engine_free(engine);
}

static seen second; /* the run that is started inside a callback */

static void wait_inside(seen *s) {
    crosshook_buf out = {NULL, 0};
    crosshook_error *error = NULL;
    crosshook_run *run = NULL;
    bool finished = true;
    char *event = event_with("x");
    CHECK(crosshook_dispatch(s->engine, str(event), &out, &error) == CROSSHOOK_STATUS_ENGINE_THREAD);
    CHECK(is(crosshook_error_code(error), "engine_thread"));
    CHECK(holds(crosshook_error_message(error), "crosshook_dispatch"));
    crosshook_error_free(error);
    CHECK(crosshook_shutdown(NULL) == CROSSHOOK_STATUS_ENGINE_THREAD);
    /* What does not wait is fine. */
    CHECK(crosshook_list(s->engine, &out, NULL) == CROSSHOOK_STATUS_OK);
    crosshook_buf_free(&out);
    CHECK(crosshook_start(s->engine, str(event), on_done, &second, on_free, &run, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(crosshook_run_wait(run, -1, &finished, NULL) == CROSSHOOK_STATUS_ENGINE_THREAD);
    CHECK(finished);
    crosshook_run_free(run);
    free(event);
}

void test_waiting_inside_a_callback(void) {
    crosshook_engine *engine = engine_with("exit 2");
    char *event = event_with("x");
    seen s = {0};
    s.engine = engine;
    s.inside = wait_inside;
    finish(start(engine, event, &s), &s);
    for (int i = 0; i < 1000 && atomic_load(&second.freed) == 0; i++) {
        pause_ms(10);
    }
    CHECK(atomic_load(&second.done) == 1 && atomic_load(&second.freed) == 1);
    CHECK(strstr(second.text, "\"decision\":\"deny\"") != NULL);
    free(event);
    crosshook_engine_free(engine);
}

void test_cancel(void) {
    crosshook_engine *engine = engine_with("sleep 30");
    char *event = event_with("x");
    seen s = {0};
    double began = now();
    crosshook_run *run = start(engine, event, &s);
    pause_ms(200);
    crosshook_run_cancel(run);
    crosshook_run_cancel(run);
    finish(run, &s);
    CHECK(now() - began < 10);
    CHECK(s.status == CROSSHOOK_STATUS_OK);
    CHECK(strstr(s.text, "\"status\":\"cancelled\"") != NULL);
    free(event);
    crosshook_engine_free(engine);
}

void test_free_while_running(void) {
    crosshook_engine *engine = engine_with("sleep 0.3; exit 2");
    char *event = event_with("x");
    seen with_handle = {0}, without = {0};
    crosshook_run *run = start(engine, event, &with_handle);
    CHECK(crosshook_start(engine, str(event), on_done, &without, on_free, NULL, NULL) == CROSSHOOK_STATUS_OK);
    memset(event, '!', strlen(event)); /* both runs have their own copy */
    free(event);
    crosshook_engine_free(engine);
    finish(run, &with_handle);
    for (int i = 0; i < 1000 && atomic_load(&without.freed) == 0; i++) {
        pause_ms(10);
    }
    CHECK(atomic_load(&without.done) == 1 && atomic_load(&without.freed) == 1);
    CHECK(strstr(with_handle.text, "\"decision\":\"deny\"") != NULL);
    CHECK(strstr(without.text, "\"decision\":\"deny\"") != NULL);
}

#define THREADS 8
#define EVENTS 20

typedef struct worker {
    pthread_t thread;
    const crosshook_engine *engine;
    int number;
    int right;
} worker;

static void *work(void *argument) {
    worker *w = argument;
    char mark[32], wanted[64];
    char *event;
    snprintf(mark, sizeof mark, "thread-%d", w->number);
    snprintf(wanted, sizeof wanted, "\"reason\":\"thread-%d\"", w->number);
    event = event_with(mark);
    for (int i = 0; i < EVENTS; i++) {
        crosshook_buf out = {NULL, 0};
        if (crosshook_dispatch(w->engine, str(event), &out, NULL) == CROSSHOOK_STATUS_OK && buf_holds(&out, wanted)) {
            w->right++;
        }
        crosshook_buf_free(&out);
    }
    free(event);
    return NULL;
}

void test_threads(void) {
    crosshook_engine *engine = engine_with("grep -o 'thread-[0-9]*' >&2; exit 2");
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.engine = engine, .number = i, .right = 0};
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(workers[i].thread, NULL) == 0);
        CHECK(workers[i].right == EVENTS);
    }
    crosshook_engine_free(engine);
}
