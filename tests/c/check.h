/* What the tests of the C ABI share. Every test is a function that makes CHECKs; check.c runs them all. */
#ifndef CHECK_H
#define CHECK_H

#include "crosshook.h"

#include <stddef.h>

/* Counts a failure and says where, without ending the test. */
#define CHECK(condition) check_that((condition), #condition, __FILE__, __LINE__)

void check_that(int holds, const char *condition, const char *file, int line);

/* A NUL-terminated text as an argument. */
crosshook_str str(const char *text);

/* Whether the text is exactly, or holds, `wanted`. */
int is(crosshook_str text, const char *wanted);
int holds(crosshook_str text, const char *wanted);
int buf_holds(const crosshook_buf *buf, const char *wanted);

/* An engine of the dialect codebuddy whose one PreToolUse hook runs `command` (which must need no JSON escapes). */
crosshook_engine *engine_with(const char *command);

/* A PreToolUse event whose tool input is `text`. The caller frees it. */
char *event_with(const char *text);

/* Ends the program with status 99 should the tests hang. */
void watchdog(unsigned seconds);

/* The tests, in api.c, runs.c and hostile.c. */
void test_versions(void);
void test_nulls(void);
void test_errors(void);
void test_outputs_on_failure(void);
void test_blocking(void);
void test_callback_once(void);
void test_callback_of_a_failed_run(void);
void test_failed_start(void);
void test_waiting_inside_a_callback(void);
void test_cancel(void);
void test_free_while_running(void);
void test_threads(void);
void test_sigpipe(void);
void test_signals_untouched(void);
void test_sigchld_ignored(void);
void test_fork(void);
void test_shutdown(void);

/* Each makes one kind of mistake on purpose, to prove that a sanitizer sees it. */
void mistake_use_after_free(void);
void mistake_overflow(void);
void mistake_leak(void);

#endif
