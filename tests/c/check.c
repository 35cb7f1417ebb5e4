/*
 * Runs the tests of the C ABI and prints "N passed, N failed"; exit status 0 when all pass. With the name of a mistake
 * as argument it makes that mistake instead: under a sanitizer that must end the program.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int failures;

void check_that(int holds, const char *condition, const char *file, int line) {
    if (!holds) {
        failures++;
        fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    }
}

crosshook_str str(const char *text) {
    crosshook_str view = {text, strlen(text)};
    return view;
}

int is(crosshook_str text, const char *wanted) {
    return text.len == strlen(wanted) && (text.len == 0 || memcmp(text.data, wanted, text.len) == 0);
}

int holds(crosshook_str text, const char *wanted) {
    size_t len = strlen(wanted);
    if (len == 0) {
        return 1;
    }
    for (size_t at = 0; at + len <= text.len; at++) {
        if (memcmp(text.data + at, wanted, len) == 0) {
            return 1;
        }
    }
    return 0;
}

int buf_holds(const crosshook_buf *buf, const char *wanted) {
    crosshook_str text = {buf->data, buf->len};
    int found = holds(text, wanted);
    if (!found) {
        fprintf(stderr, "not in: %.*s\n", (int)(buf->len < 1000 ? buf->len : 1000), buf->data);
    }
    return found;
}

crosshook_engine *engine_with(const char *command) {
    const char *form = "{\"dialect\": \"codebuddy\", \"settings\": {\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", "
                       "\"hooks\": [{\"type\": \"command\", \"command\": \"%s\"}]}]}}}";
    char options[1024];
    crosshook_engine *engine = NULL;
    snprintf(options, sizeof options, form, command);
    CHECK(crosshook_engine_new(str(options), &engine, NULL) == CROSSHOOK_STATUS_OK);
    return engine;
}

char *event_with(const char *text) {
    const char *form = "{\"session_id\": \"s\", \"cwd\": \"/\", \"hook_event_name\": \"PreToolUse\", "
                       "\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"%s\"}}";
    size_t room = strlen(form) + strlen(text) + 1;
    char *event = malloc(room);
    if (event == NULL) {
        abort();
    }
    snprintf(event, room, form, text);
    return event;
}

crosshook_engine *engine_of(const char *options) {
    crosshook_engine *engine = NULL;
    crosshook_error *error = NULL;
    if (crosshook_engine_new(str(options), &engine, &error) != CROSSHOOK_STATUS_OK) {
        crosshook_str message = crosshook_error_message(error);
        fprintf(stderr, "%.*s\n", (int)message.len, message.data);
        CHECK(!"an engine");
    }
    crosshook_error_free(error);
    return engine;
}

int says(const crosshook_engine *engine, const char *event, const char *wanted) {
    crosshook_buf out = {NULL, 0};
    int found =
        crosshook_dispatch(engine, str(event), &out, NULL) == CROSSHOOK_STATUS_OK && buf_holds(&out, wanted);
    crosshook_buf_free(&out);
    return found;
}

char *text_after(const crosshook_buf *buf, const char *mark) {
    size_t len = strlen(mark);
    for (size_t at = 0; at + len <= buf->len; at++) {
        if (memcmp(buf->data + at, mark, len) == 0) {
            const char *from = buf->data + at + len;
            const char *to = memchr(from, '"', buf->len - at - len);
            size_t size = to == NULL ? 0 : (size_t)(to - from);
            char *text = malloc(size + 1);
            if (text == NULL) {
                abort();
            }
            memcpy(text, from, size);
            text[size] = 0;
            return text;
        }
    }
    CHECK(!"the mark");
    return calloc(1, 1);
}

void pause_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int comes_to(atomic_int *number, int wanted) {
    for (int i = 0; i < 2000 && atomic_load(number) != wanted; i++) {
        pause_ms(10);
    }
    return atomic_load(number) == wanted;
}

void count(void *number) { atomic_fetch_add((atomic_int *)number, 1); }

static void hang(int signal_number) {
    static const char text[] = "the tests hang\n";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        _exit(98);
    }
    _exit(99);
}

void watchdog(unsigned seconds) {
    signal(SIGALRM, hang);
    alarm(seconds);
}

static void make_mistake(const char *name) {
    if (strcmp(name, "use-after-free") == 0) {
        mistake_use_after_free();
    } else if (strcmp(name, "overflow") == 0) {
        mistake_overflow();
    } else if (strcmp(name, "leak") == 0) {
        mistake_leak();
    } else {
        fprintf(stderr, "unknown mistake: %s\n", name);
        exit(3);
    }
}

int main(int argc, char **argv) {
#define TEST(name) {#name, test_##name}
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        TEST(versions),
        TEST(dialects),
        TEST(nulls),
        TEST(errors),
        TEST(outputs_on_failure),
        TEST(blocking),
        TEST(several_dialects),
        TEST(callback_once),
        TEST(callback_of_a_failed_run),
        TEST(failed_start),
        TEST(waiting_inside_a_callback),
        TEST(cancel),
        TEST(free_while_running),
        TEST(threads),
        TEST(host_answers),
        TEST(host_of_prompts_and_agents),
        TEST(host_answers_on_a_thread),
        TEST(host_never_answers),
        TEST(host_answers_with_rubbish),
        TEST(host_blocks),
        TEST(host_calls_back),
        TEST(host_calls_itself),
        TEST(host_is_cancelled),
        TEST(host_is_shut_down),
        TEST(host_destructor),
        TEST(host_and_fork),
        TEST(notice_of_an_answered_request),
        TEST(register),
        TEST(reload),
        TEST(scopes),
        TEST(other_dialects),
        TEST(grants),
        TEST(background),
        TEST(replay),
        TEST(sessions),
        TEST(goals),
        TEST(render_context),
        TEST(message_display),
        TEST(listeners),
        TEST(unwatch_inside_a_listener),
        TEST(sigpipe),
        TEST(signals_untouched),
        TEST(sigchld_ignored),
        TEST(fork),
        TEST(shutdown),
    };
    int passed = 0, failed = 0;
    if (argc > 1) {
        make_mistake(argv[1]);
        return 0;
    }
    watchdog(180);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        failures = 0;
        tests[i].run();
        if (failures == 0) {
            passed++;
        } else {
            failed++;
            printf("FAILED %s\n", tests[i].name);
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
