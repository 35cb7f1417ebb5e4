/* Hosts that are asked: kind ones, and those that never answer, answer with rubbish, block or call back. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENT "{\"hook_event_name\": \"PreToolUse\", \"session_id\": \"s\", \"cwd\": \"/\", \"tool_name\": \"Bash\"}"
#define DENY                                                                                                           \
    "{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\", "                  \
    "\"permissionDecisionReason\": \"says the host\"}}"

/* A host, and what it was asked. */
typedef struct host {
    void (*act)(struct host *host, crosshook_request *request); /* owns the request */
    const crosshook_engine *engine;
    crosshook_request *kept;
    const char *text;
    pthread_t thread;
    atomic_int asked, freed, cancelled, notice_freed;
} host;

static void asked(void *user_data, crosshook_request *request) {
    host *h = user_data;
    atomic_fetch_add(&h->asked, 1);
    h->act(h, request);
}

static void host_freed(void *user_data) { count(&((host *)user_data)->freed); }

/* Calls `done` in the place of a callback that does not matter. */
static void ignore(void *user_data, crosshook_status status, crosshook_str outcome, const crosshook_error *error) {
    (void)user_data, (void)status, (void)outcome, (void)error;
}

static crosshook_engine *hosted(host *h, const char *options) {
    crosshook_engine *engine = NULL;
    CHECK(crosshook_engine_new_with_host(str(options), asked, h, host_freed, &engine, NULL) == CROSSHOOK_STATUS_OK);
    h->engine = engine;
    return engine;
}

/* An engine with one function hook for Bash. */
static crosshook_engine *with_function(host *h, const char *limits) {
    crosshook_engine *engine = hosted(h, "{\"dialect\": \"codebuddy\", \"settings\": {}}");
    crosshook_buf out = {NULL, 0};
    char spec[200];
    snprintf(spec, sizeof spec, "{\"event\": \"PreToolUse\", \"matcher\": \"Bash\", \"name\": \"policy\"%s}", limits);
    CHECK(crosshook_register_function(engine, str(spec), &out, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(buf_holds(&out, "\"id\":\"") && buf_holds(&out, "\"hooks\":1"));
    crosshook_buf_free(&out);
    return engine;
}

static void finish(host *h, crosshook_engine *engine, int times) {
    CHECK(atomic_load(&h->asked) == times);
    crosshook_engine_free(engine);
    CHECK(comes_to(&h->freed, 1));
}

/* Starts the event on an engine thread and waits for it. */
static void run(const crosshook_engine *engine, const char *event) {
    crosshook_run *handle = NULL;
    bool finished = false;
    CHECK(crosshook_start(engine, str(event), ignore, NULL, NULL, &handle, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(crosshook_run_wait(handle, 20000, &finished, NULL) == CROSSHOOK_STATUS_OK && finished);
    crosshook_run_free(handle);
}

static void reply(host *h, crosshook_request *request) { crosshook_request_reply(request, str(h->text)); }

static void look_and_deny(host *h, crosshook_request *request) {
    crosshook_str json = crosshook_request_json(request);
    CHECK(crosshook_request_kind(request) == CROSSHOOK_KIND_FUNCTION);
    CHECK(is(crosshook_request_kind_name(request), "function"));
    CHECK(crosshook_request_id(request) > 0);
    CHECK(!crosshook_request_is_cancelled(request));
    CHECK(holds(json, "\"kind\":\"function\"") && holds(json, "\"tool_name\":\"Bash\""));
    CHECK(holds(json, "\"prompt\":null") && holds(json, "\"timeout_ms\":5000"));
    reply(h, request);
}

void test_host_answers(void) {
    host h = {.act = look_and_deny, .text = DENY};
    crosshook_engine *engine = with_function(&h, "");
    CHECK(says(engine, EVENT, "\"decision\":\"deny\",\"reason\":\"says the host\""));
    CHECK(says(engine, EVENT, "\"label\":\"policy\""));
    h.text = "";
    CHECK(says(engine, EVENT, "\"decision\":\"none\""));
    CHECK(says(engine, "{\"hook_event_name\": \"PreToolUse\", \"cwd\": \"/\", \"tool_name\": \"Read\"}",
               "\"hooks\":[]"));
    finish(&h, engine, 3);
}

static const char *const ASKING = "{\"dialect\": \"codebuddy\", \"settings\": {\"hooks\": {\"PreToolUse\": [{\"hooks\": "
                                  "[{\"type\": \"%s\", \"prompt\": \"may it?\", \"model\": \"small\"}]}]}}}";

static void object_to(host *h, crosshook_request *request) {
    crosshook_str json = crosshook_request_json(request);
    int prompt = crosshook_request_kind(request) == CROSSHOOK_KIND_PROMPT;
    CHECK(prompt || crosshook_request_kind(request) == CROSSHOOK_KIND_AGENT);
    CHECK(is(crosshook_request_kind_name(request), prompt ? "prompt" : "agent"));
    CHECK(holds(json, "may it?") && holds(json, "\"model\":\"small\"") && holds(json, "\"function\":null"));
    reply(h, request);
}

void test_host_of_prompts_and_agents(void) {
    static const char *const kinds[] = {"prompt", "agent"};
    for (int i = 0; i < 2; i++) {
        host h = {.act = object_to, .text = "{\"ok\": false, \"reason\": \"it may not\"}"};
        char options[500];
        snprintf(options, sizeof options, ASKING, kinds[i]);
        crosshook_engine *engine = hosted(&h, options);
        CHECK(says(engine, EVENT, "\"decision\":\"deny\",\"reason\":\"it may not\""));
        finish(&h, engine, 1);
    }
}

static void call_a_tool(host *h, crosshook_request *request) {
    crosshook_str json = crosshook_request_json(request);
    CHECK(crosshook_request_kind(request) == CROSSHOOK_KIND_MCP_TOOL);
    CHECK(is(crosshook_request_kind_name(request), "mcp_tool"));
    CHECK(holds(json, "\"server\":\"guard\",\"tool\":\"check\",\"input\":{\"tool\":\"Bash\"}"));
    reply(h, request);
}

void test_host_of_mcp_tools(void) {
    host h = {.act = call_a_tool, .text = DENY};
    crosshook_engine *engine =
        hosted(&h, "{\"dialect\": \"claude\", \"settings\": {\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": "
                   "\"mcp_tool\", \"server\": \"guard\", \"tool\": \"check\", \"input\": {\"tool\": "
                   "\"${tool_name}\"}}]}]}}}");
    CHECK(says(engine, EVENT, "\"decision\":\"deny\",\"reason\":\"says the host\""));
    finish(&h, engine, 1);
}

static void *answer_late(void *user_data) {
    host *h = user_data;
    pause_ms(150);
    crosshook_request_reply(h->kept, str(DENY));
    return NULL;
}

static void hand_on(host *h, crosshook_request *request) {
    h->kept = request;
    CHECK(pthread_create(&h->thread, NULL, answer_late, h) == 0);
}

void test_host_answers_on_a_thread(void) {
    host h = {.act = hand_on};
    crosshook_engine *engine = with_function(&h, "");
    CHECK(says(engine, EVENT, "says the host"));
    CHECK(pthread_join(h.thread, NULL) == 0);
    run(engine, EVENT);
    CHECK(pthread_join(h.thread, NULL) == 0);
    finish(&h, engine, 2);
}

static void notice(void *user_data) { count(&((host *)user_data)->cancelled); }

static void notice_freed(void *user_data) {
    host *h = user_data;
    CHECK(atomic_load(&h->cancelled) == 1); /* the notice came first */
    count(&h->notice_freed);
}

static void keep(host *h, crosshook_request *request) {
    h->kept = request;
    crosshook_request_on_cancel(request, notice, h, notice_freed);
}

void test_host_never_answers(void) {
    host h = {.act = keep};
    atomic_int called = 0, freed = 0;
    crosshook_engine *engine = with_function(&h, ", \"timeout_ms\": 200");
    double began = now();
    CHECK(says(engine, EVENT, "\"status\":\"timeout\""));
    CHECK(now() - began > 0.15 && now() - began < 10);
    CHECK(comes_to(&h.cancelled, 1) && comes_to(&h.notice_freed, 1));
    CHECK(crosshook_request_is_cancelled(h.kept));
    CHECK(holds(crosshook_request_json(h.kept), "\"kind\":\"function\""));
    /* It is over already: the notice comes at once. */
    crosshook_request_on_cancel(h.kept, count, &called, NULL);
    crosshook_request_on_cancel(h.kept, count, &called, count);
    CHECK(atomic_load(&called) == 3);
    crosshook_request_on_cancel(h.kept, NULL, &freed, count);
    crosshook_request_on_cancel(NULL, count, &freed, count);
    CHECK(atomic_load(&freed) == 2);
    crosshook_engine_free(engine); /* the request outlives it */
    CHECK(comes_to(&h.freed, 1));
    crosshook_request_reply(h.kept, str(DENY));
}

static void leave(host *h, crosshook_request *request) {
    (void)h;
    crosshook_request_free(request);
}

static void fail(host *h, crosshook_request *request) { crosshook_request_fail(request, str(h->text)); }

static void reply_null(host *h, crosshook_request *request) {
    const crosshook_str text = {NULL, 5};
    (void)h;
    crosshook_request_reply(request, text);
}

/* Whatever the host does wrong: the hook has failed, a diagnostic says so, and nothing is allowed. */
void test_host_answers_with_rubbish(void) {
    static const struct {
        void (*act)(host *, crosshook_request *);
        const char *text, *wanted;
    } cases[] = {
        {leave, "", "without an answer"},
        {fail, "no key", "no key"},
        {fail, "\xff", "not UTF-8"},
        {reply, "\xff", "not UTF-8"},
        {reply_null, "", "`text` is NULL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        host h = {.act = cases[i].act, .text = cases[i].text};
        crosshook_engine *engine = with_function(&h, "");
        CHECK(says(engine, EVENT, cases[i].wanted));
        CHECK(says(engine, EVENT, "\"status\":\"error\""));
        CHECK(says(engine, EVENT, "\"decision\":\"none\""));
        CHECK(says(engine, EVENT, "\"code\":\"host_failed\""));
        run(engine, EVENT);
        finish(&h, engine, 5);
    }
    host h = {.act = leave};
    crosshook_engine *engine = with_function(&h, ", \"fail_mode\": \"closed\"");
    CHECK(says(engine, EVENT, "\"decision\":\"deny\""));
    finish(&h, engine, 1);
}

static void block(host *h, crosshook_request *request) {
    pause_ms(300);
    reply(h, request);
}

void test_host_blocks(void) {
    host h = {.act = block, .text = DENY};
    crosshook_engine *engine = with_function(&h, "");
    CHECK(says(engine, EVENT, "says the host"));
    run(engine, EVENT); /* it holds the engine thread up, and that goes on afterwards */
    CHECK(says(engine, EVENT, "says the host"));
    finish(&h, engine, 3);
}

#define OTHER "{\"hook_event_name\": \"PostToolUse\", \"cwd\": \"/\", \"tool_name\": \"Bash\"}"

static void call_back(host *h, crosshook_request *request) {
    crosshook_buf out = {NULL, 0};
    crosshook_error *error = NULL;
    bool idle = false;
    int own_thread = strcmp(h->text, "own thread") == 0;
    const crosshook_status wanted = own_thread ? CROSSHOOK_STATUS_OK : CROSSHOOK_STATUS_ENGINE_THREAD;
    CHECK(crosshook_dispatch(h->engine, str(OTHER), &out, &error) == wanted);
    CHECK(own_thread ? buf_holds(&out, "\"event\":\"PostToolUse\"") : is(crosshook_error_code(error), "engine_thread"));
    crosshook_error_free(error);
    crosshook_buf_free(&out);
    CHECK(crosshook_wait_background(h->engine, -1, &idle, NULL) == wanted && idle == own_thread);
    CHECK(crosshook_shutdown(NULL) == CROSSHOOK_STATUS_ENGINE_THREAD);
    CHECK(crosshook_list(h->engine, &out, NULL) == CROSSHOOK_STATUS_OK);
    crosshook_buf_free(&out);
    CHECK(crosshook_start(h->engine, str(OTHER), ignore, NULL, NULL, NULL, NULL) == CROSSHOOK_STATUS_OK);
    crosshook_request_reply(request, str(DENY));
}

void test_host_calls_back(void) {
    host h = {.act = call_back, .text = "own thread"};
    crosshook_engine *engine = with_function(&h, "");
    CHECK(says(engine, EVENT, "says the host"));
    h.text = "engine thread";
    run(engine, EVENT);
    finish(&h, engine, 2);
}

static void call_itself(host *h, crosshook_request *request) {
    crosshook_buf out = {NULL, 0};
    crosshook_error *error = NULL;
    if (crosshook_dispatch(h->engine, str(EVENT), &out, &error) == CROSSHOOK_STATUS_OK) {
        CHECK(buf_holds(&out, "says the host"));
    } else {
        CHECK(is(crosshook_error_code(error), "resource"));
        CHECK(holds(crosshook_error_message(error), "without an end"));
    }
    crosshook_error_free(error);
    crosshook_buf_free(&out);
    crosshook_request_reply(request, str(DENY));
}

void test_host_calls_itself(void) {
    host h = {.act = call_itself};
    crosshook_engine *engine = with_function(&h, "");
    CHECK(says(engine, EVENT, "says the host"));
    finish(&h, engine, 16);
}

void test_host_is_cancelled(void) {
    host h = {.act = keep};
    crosshook_engine *engine = with_function(&h, ", \"timeout_ms\": 60000");
    crosshook_run *handle = NULL;
    bool finished = false;
    CHECK(crosshook_start(engine, str(EVENT), ignore, NULL, NULL, &handle, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(comes_to(&h.asked, 1));
    crosshook_run_cancel(handle);
    CHECK(crosshook_run_wait(handle, 20000, &finished, NULL) == CROSSHOOK_STATUS_OK && finished);
    CHECK(comes_to(&h.cancelled, 1) && comes_to(&h.notice_freed, 1));
    crosshook_request_fail(h.kept, str("too late"));
    crosshook_run_free(handle);
    finish(&h, engine, 1);
}

void test_host_is_shut_down(void) {
    host h = {.act = keep};
    crosshook_engine *engine = with_function(&h, ", \"timeout_ms\": 60000");
    CHECK(crosshook_start(engine, str(EVENT), ignore, NULL, NULL, NULL, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(comes_to(&h.asked, 1));
    CHECK(crosshook_shutdown(NULL) == CROSSHOOK_STATUS_OK);
    CHECK(comes_to(&h.cancelled, 1) && crosshook_request_is_cancelled(h.kept));
    crosshook_request_free(h.kept);
    h.act = reply;
    h.text = DENY;
    CHECK(says(engine, EVENT, "says the host")); /* it starts anew */
    finish(&h, engine, 2);
}

static void keep_without_notice(host *h, crosshook_request *request) { h->kept = request; }

static void *answer_after_the_engine(void *user_data) {
    host *h = user_data;
    pause_ms(100);
    CHECK(atomic_load(&h->freed) == 0); /* the run still needs it */
    crosshook_request_reply(h->kept, str(DENY));
    return NULL;
}

void test_host_destructor(void) {
    host none = {.act = leave}, broken = {.act = leave}, nowhere = {.act = leave}, running = {.act = keep_without_notice};
    crosshook_engine *engine = NULL;
    const crosshook_status null = CROSSHOOK_STATUS_NULL_ARGUMENT;
    CHECK(crosshook_engine_new_with_host(str("{}"), NULL, &none, host_freed, &engine, NULL) == null);
    CHECK(crosshook_engine_new_with_host(str("{"), asked, &broken, host_freed, &engine, NULL) ==
          CROSSHOOK_STATUS_INVALID_OPTIONS);
    CHECK(crosshook_engine_new_with_host(str("{}"), asked, &nowhere, host_freed, NULL, NULL) == null);
    CHECK(engine == NULL && none.freed == 1 && broken.freed == 1 && nowhere.freed == 1);
    /* It outlives the engine as long as a run needs it. */
    engine = with_function(&running, ", \"timeout_ms\": 60000");
    CHECK(crosshook_start(engine, str(EVENT), ignore, NULL, NULL, NULL, NULL) == CROSSHOOK_STATUS_OK);
    crosshook_engine_free(engine);
    CHECK(comes_to(&running.asked, 1));
    CHECK(pthread_create(&running.thread, NULL, answer_after_the_engine, &running) == 0);
    CHECK(pthread_join(running.thread, NULL) == 0);
    CHECK(comes_to(&running.freed, 1));
    pause_ms(50);
    CHECK(running.freed == 1);
}

void test_host_and_fork(void) {
    host h = {.act = hand_on};
    crosshook_engine *engine = with_function(&h, "");
    int status = -1;
    pid_t child;
    run(engine, EVENT);
    CHECK(pthread_join(h.thread, NULL) == 0);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        watchdog(20);
        _exit(says(engine, EVENT, "says the host") ? 7 : 8);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    finish(&h, engine, 1);
}

static atomic_int pointless, pointless_freed, replaced_freed;

static void answer_after_asking_for_notice(host *h, crosshook_request *request) {
    crosshook_request_on_cancel(request, count, &pointless, count);
    crosshook_request_on_cancel(request, count, &replaced_freed, count);
    crosshook_request_on_cancel(request, count, &pointless_freed, count);
    reply(h, request);
}

/* The notice never comes, and its user data is freed all the same. */
void test_notice_of_an_answered_request(void) {
    host h = {.act = answer_after_asking_for_notice, .text = DENY};
    crosshook_engine *engine = with_function(&h, "");
    CHECK(says(engine, EVENT, "says the host"));
    CHECK(pointless == 1 && replaced_freed == 1 && pointless_freed == 1);
    finish(&h, engine, 1);
    CHECK(crosshook_request_kind(NULL) == CROSSHOOK_KIND_NONE && is(crosshook_request_kind_name(NULL), ""));
    CHECK(crosshook_request_id(NULL) == 0 && is(crosshook_request_json(NULL), ""));
    CHECK(!crosshook_request_is_cancelled(NULL));
    crosshook_request_reply(NULL, str("x"));
    crosshook_request_fail(NULL, str("x"));
    crosshook_request_free(NULL);
}
