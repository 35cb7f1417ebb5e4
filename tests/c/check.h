/* What the tests of the C ABI share. Every test is a function that makes CHECKs; check.c runs them all. */
#ifndef CHECK_H
#define CHECK_H

#include "crosshook.h"

#include <stdatomic.h>
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

/* An engine from options; it must work. */
crosshook_engine *engine_of(const char *options);

/* Whether the outcome of the event holds `wanted`. */
int says(const crosshook_engine *engine, const char *event, const char *wanted);

/* What stands between the first `mark` and the next quotation mark. The caller frees it. */
char *text_after(const crosshook_buf *buf, const char *mark);

void pause_ms(long ms);
double now(void); /* in seconds */

/* Waits until the number has this value, 20 seconds at most. */
int comes_to(atomic_int *number, int wanted);

/* A destructor and a notice: adds one to the atomic_int. */
void count(void *number);

/* Ends the program with status 99 should the tests hang. */
void watchdog(unsigned seconds);

/* The tests, in api.c, runs.c, host.c, life.c and hostile.c. */
void test_versions(void);
void test_dialects(void);
void test_nulls(void);
void test_errors(void);
void test_outputs_on_failure(void);
void test_blocking(void);
void test_several_dialects(void);
void test_callback_once(void);
void test_callback_of_a_failed_run(void);
void test_failed_start(void);
void test_waiting_inside_a_callback(void);
void test_cancel(void);
void test_free_while_running(void);
void test_threads(void);
void test_host_answers(void);
void test_host_of_prompts_and_agents(void);
void test_host_of_mcp_tools(void);
void test_host_answers_on_a_thread(void);
void test_host_never_answers(void);
void test_host_answers_with_rubbish(void);
void test_host_blocks(void);
void test_host_calls_back(void);
void test_host_calls_itself(void);
void test_host_is_cancelled(void);
void test_host_is_shut_down(void);
void test_host_destructor(void);
void test_host_and_fork(void);
void test_notice_of_an_answered_request(void);
void test_register(void);
void test_reload(void);
void test_scopes(void);
void test_other_dialects(void);
void test_grants(void);
void test_background(void);
void test_replay(void);
void test_sessions(void);
void test_goals(void);
void test_render_context(void);
void test_message_display(void);
void test_listeners(void);
void test_unwatch_inside_a_listener(void);
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
