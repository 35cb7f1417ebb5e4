/*
 * The vectors' host in C11: answers requests from stdin through the C ABI. run_vectors.py drives it and compares.
 *
 *     engine LENGTH\n BYTES \n      makes an engine from options, frees the one before; answers "ready" or "error"
 *     replies LENGTH\n BYTES \n     what a model says, in order, each text ended by a NUL; answers "ready". The next engine
 *                                  has a host that says so; when the texts run out, the model has failed
 *     event LENGTH\n BYTES \n       runs one event on the engine; answers "outcome" or "error"
 *
 * An answer is KIND LENGTH\n BYTES \n; the bytes of an error are its details. With --start events go through
 * crosshook_start() and crosshook_run_wait() instead of crosshook_dispatch(), and the model answers on a thread of its
 * own.
 */
#include "crosshook.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void answer(const char *kind, const char *data, size_t len) {
    printf("%s %zu\n", kind, len);
    fwrite(data, 1, len, stdout);
    putchar('\n');
    fflush(stdout);
}

static void answer_error(crosshook_error *error) {
    crosshook_str details = crosshook_error_details(error);
    answer("error", details.data, details.len);
    crosshook_error_free(error);
}

static void die(const char *what) {
    fprintf(stderr, "vectors: %s\n", what);
    exit(2);
}

/* Reads one request; 0 at the end of stdin. The caller frees *body. */
static int read_request(char kind[16], char **body, size_t *len) {
    int fields = scanf("%15s %zu", kind, len);
    if (fields == EOF) {
        return 0;
    }
    if (fields != 2 || getchar() != '\n') {
        die("a request must start with KIND LENGTH");
    }
    *body = malloc(*len + 1);
    if (*body == NULL || fread(*body, 1, *len, stdin) != *len || getchar() != '\n') {
        die("a request is cut short");
    }
    return 1;
}

/* A model that says what it was given. */
typedef struct model {
    char *texts;
    size_t len, at;
} model;

/* An answer that is on its way. `text` is NULL when there is none. */
typedef struct saying {
    crosshook_request *request;
    const char *text;
} saying;

static int use_start;

static void say(saying it) {
    if (it.text == NULL) {
        crosshook_str why = {"there is no reply left", 22};
        crosshook_request_fail(it.request, why);
    } else {
        crosshook_str text = {it.text, strlen(it.text)};
        crosshook_request_reply(it.request, text);
    }
}

static void *say_on_a_thread(void *argument) {
    saying it = *(saying *)argument;
    free(argument);
    say(it);
    return NULL;
}

/* The host. One event runs at a time, and with it one request after the other gets its text. */
static void asked(void *user_data, crosshook_request *request) {
    model *m = user_data;
    saying it = {request, NULL};
    pthread_t thread;
    saying *moved;
    if (crosshook_request_kind(request) != CROSSHOOK_KIND_FUNCTION && m->at < m->len) {
        it.text = m->texts + m->at;
        m->at += strlen(it.text) + 1;
    }
    if (!use_start) {
        say(it);
        return;
    }
    moved = malloc(sizeof *moved);
    if (moved == NULL) {
        die("out of memory");
    }
    *moved = it;
    if (pthread_create(&thread, NULL, say_on_a_thread, moved) != 0 || pthread_detach(thread) != 0) {
        die("no thread to answer on");
    }
}

static void model_free(void *user_data) {
    model *m = user_data;
    free(m->texts);
    free(m);
}

/* Takes `body` over. */
static model *new_model(char *body, size_t len) {
    model *m = malloc(sizeof *m);
    if (m == NULL) {
        die("out of memory");
    }
    m->texts = body;
    m->len = len;
    m->at = 0;
    answer("ready", "", 0);
    return m;
}

/* Takes `m` over. */
static void new_engine(crosshook_engine **engine, crosshook_str options, model *m) {
    crosshook_error *error = NULL;
    crosshook_status status;
    crosshook_engine_free(*engine);
    *engine = NULL;
    if (m == NULL) {
        status = crosshook_engine_new(options, engine, &error);
    } else {
        status = crosshook_engine_new_with_host(options, asked, m, model_free, engine, &error);
    }
    if (status == CROSSHOOK_STATUS_OK) {
        answer("ready", "", 0);
    } else {
        answer_error(error);
    }
}

static void dispatch(const crosshook_engine *engine, crosshook_str event) {
    crosshook_error *error = NULL;
    crosshook_buf outcome = {NULL, 0};
    if (crosshook_dispatch(engine, event, &outcome, &error) == CROSSHOOK_STATUS_OK) {
        answer("outcome", outcome.data, outcome.len);
    } else {
        answer_error(error);
    }
    crosshook_buf_free(&outcome);
}

/* The end of a started run. The main thread only waits meanwhile, so writing to stdout here is safe. */
static void done(void *user_data, crosshook_status status, crosshook_str outcome, const crosshook_error *error) {
    crosshook_str text = status == CROSSHOOK_STATUS_OK ? outcome : crosshook_error_details(error);
    (void)user_data;
    answer(status == CROSSHOOK_STATUS_OK ? "outcome" : "error", text.data, text.len);
}

static void start(const crosshook_engine *engine, crosshook_str event) {
    crosshook_error *error = NULL;
    crosshook_run *run = NULL;
    bool finished = false;
    if (crosshook_start(engine, event, done, NULL, NULL, &run, &error) != CROSSHOOK_STATUS_OK) {
        answer_error(error);
        return;
    }
    if (crosshook_run_wait(run, -1, &finished, NULL) != CROSSHOOK_STATUS_OK || !finished) {
        die("crosshook_run_wait without a limit came back before the end");
    }
    crosshook_run_free(run);
}

int main(int argc, char **argv) {
    crosshook_engine *engine = NULL;
    model *next = NULL;
    char kind[16];
    char *body = NULL;
    size_t len = 0;
    use_start = argc > 1 && strcmp(argv[1], "--start") == 0;
    while (read_request(kind, &body, &len)) {
        crosshook_str text = {body, len};
        if (strcmp(kind, "replies") == 0 && next == NULL) {
            next = new_model(body, len);
            continue;
        }
        if (strcmp(kind, "engine") == 0) {
            new_engine(&engine, text, next);
            next = NULL;
        } else if (strcmp(kind, "event") != 0) {
            die("a request is an engine, its replies or an event");
        } else if (use_start) {
            start(engine, text);
        } else {
            dispatch(engine, text);
        }
        free(body);
    }
    crosshook_engine_free(engine);
    return crosshook_shutdown(NULL) == CROSSHOOK_STATUS_OK ? 0 : 1;
}
