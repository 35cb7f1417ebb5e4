/*
 * A tour of what a host in C can do beyond one event and its outcome. Each function below shows one thing, and prints
 * one line when everything is as expected; run_c.sh builds and runs it and compares its output with tour.txt.
 *
 *     cc -std=c11 -pthread -Iinclude tests/examples/tour.c -lcrosshook -o tour && ./tour
 */
#define _POSIX_C_SOURCE 200809L
#include "crosshook.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Turns JSON that stands in the program into a string. A real host has a JSON library; this one looks with strstr(). */
#define JSON(...) #__VA_ARGS__

/* Ends the program unless the condition holds. */
#define EXPECT(condition) expect((condition), #condition, __LINE__)

/* Makes a call of the library, which must succeed and leaves its error in `error` otherwise. */
#define OK(call) expect((call) == CROSSHOOK_STATUS_OK, #call, __LINE__)

static crosshook_error *error;

static void expect(int holds, const char *what, int line) {
    if (!holds) {
        crosshook_str message = crosshook_error_message(error);
        fprintf(stderr, "tour.c:%d: not so: %s %.*s\n", line, what, (int)message.len, message.len ? message.data : "");
        exit(1);
    }
}

static crosshook_str str(const char *text) { return (crosshook_str){text, strlen(text)}; }

/* What the library gave, as a string with a NUL at its end. The caller frees it. */
static char *taken(crosshook_buf *buf) {
    char *text = malloc(buf->len + 1);
    EXPECT(text != NULL);
    memcpy(text, buf->data, buf->len);
    text[buf->len] = '\0';
    crosshook_buf_free(buf);
    return text;
}

static int count(const char *text, const char *word) {
    int found = 0;
    while ((text = strstr(text, word)) != NULL) {
        text += strlen(word);
        found++;
    }
    return found;
}

static crosshook_engine *engine_of(const char *options) {
    crosshook_engine *engine = NULL;
    OK(crosshook_engine_new(str(options), &engine, &error));
    return engine;
}

/* The host: what a model, an agent or a function says. Here `user_data` is the answer to every question. */
static void answer(void *user_data, crosshook_request *request) { crosshook_request_reply(request, str(user_data)); }

static crosshook_engine *engine_with_host(const char *options, char *says) {
    crosshook_engine *engine = NULL;
    OK(crosshook_engine_new_with_host(str(options), answer, says, NULL, &engine, &error));
    return engine;
}

/* Runs one event. The caller frees the outcome. */
static char *dispatch(const crosshook_engine *engine, const char *event) {
    crosshook_buf outcome = {NULL, 0};
    OK(crosshook_dispatch(engine, str(event), &outcome, &error));
    return taken(&outcome);
}

/* Whether an outcome has this decision; `decided` goes on with the reason where that matters. */
static int is(const char *outcome, const char *decided) {
    const char *decision = strstr(outcome, "\"decision\":"); /* the first one; those of single hooks come later */
    return decision != NULL && strncmp(decision, decided, strlen(decided)) == 0;
}

/* Runs one event and looks whether it has this decision. */
static int decides(const crosshook_engine *engine, const char *event, const char *decided) {
    char *outcome = dispatch(engine, event);
    int as_wanted = is(outcome, decided);
    if (!as_wanted) {
        fprintf(stderr, "the outcome: %s\n", outcome);
    }
    free(outcome);
    return as_wanted;
}

static const char *const TOOL = JSON({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/",
                                      "tool_name": "Bash", "tool_input": {"command": "make"}});
static const char *const STOP = JSON({"hook_event_name": "Stop", "session_id": "s", "cwd": "/"});

/* A web server that denies so many requests, one after the other, and ends. */
typedef struct server {
    int listener, port, requests;
    pthread_t thread;
} server;

/* Reads a request to its end: its head and as much as the head announces. */
static void read_request(int peer) {
    char text[16384] = "";
    size_t len = 0, wanted = sizeof text - 1;
    while (len < wanted) {
        ssize_t got = recv(peer, text + len, sizeof text - 1 - len, 0);
        EXPECT(got > 0);
        len += (size_t)got;
        text[len] = '\0';
        char *head_end = strstr(text, "\r\n\r\n");
        for (char *line = text; head_end != NULL && line < head_end; line = strstr(line, "\r\n") + 2) {
            if (strncasecmp(line, "content-length:", 15) == 0) {
                wanted = (size_t)(head_end + 4 - text) + strtoul(line + 15, NULL, 10);
            }
        }
    }
}

static void *serve(void *data) {
    const server *s = data;
    const char *body = JSON({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                                    "permissionDecisionReason": "no network today"}});
    for (int i = 0; i < s->requests; i++) {
        char reply[1024];
        int peer = accept(s->listener, NULL, NULL);
        EXPECT(peer >= 0);
        read_request(peer);
        int len = snprintf(reply, sizeof reply,
                           "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                           "Connection: close\r\n\r\n%s",
                           strlen(body), body);
        EXPECT(send(peer, reply, (size_t)len, MSG_NOSIGNAL) == len);
        close(peer);
    }
    return NULL;
}

static void start_server(server *s, int requests) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}; /* any port */
    socklen_t len = sizeof address;
    s->requests = requests;
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(s->listener >= 0 && bind(s->listener, (struct sockaddr *)&address, len) == 0);
    EXPECT(listen(s->listener, 8) == 0 && getsockname(s->listener, (struct sockaddr *)&address, &len) == 0);
    s->port = ntohs(address.sin_port);
    EXPECT(pthread_create(&s->thread, NULL, serve, s) == 0);
}

static void end_server(server *s) {
    EXPECT(pthread_join(s->thread, NULL) == 0);
    close(s->listener);
}

/* An HTTP hook: the event is posted to a server, whose answer counts like what a command prints. */
static void http(void) {
    const char *form = JSON({"dialect": "qwen", "settings": {"hooks": {"PreToolUse": [{"hooks": [
        {"type": "http", "url": "http://127.0.0.1:%d/"}]}]}}});
    char options[300];
    server s;
    start_server(&s, 1);
    snprintf(options, sizeof options, form, s.port);
    crosshook_engine *engine = engine_of(options);
    EXPECT(decides(engine, TOOL, "\"decision\":\"deny\",\"reason\":\"no network today\""));
    end_server(&s);
    crosshook_engine_free(engine);
    puts("http: deny, no network today");
}

/* A prompt hook: the host's model judges the event, which stands in the prompt in the place of $ARGUMENTS. */
static void prompt(void) {
    static char reply[] = JSON({"ok": false, "reason": "too risky"});
    const char *options = JSON({"dialect": "codebuddy", "settings": {"hooks": {"PreToolUse": [{"hooks": [
        {"type": "prompt", "prompt": "May it run? $ARGUMENTS"}]}]}}});
    crosshook_engine *engine = engine_with_host(options, reply);
    EXPECT(decides(engine, TOOL, "\"decision\":\"deny\",\"reason\":\"too risky\""));
    crosshook_engine_free(engine);
    puts("prompt: deny, too risky");
}

/* An agent hook: the host runs an agent, whose last words count. They are asked for as those of a model are. */
static void agent(void) {
    static char reply[] = JSON({"ok": false, "reason": "not reviewed"});
    const char *options = JSON({"dialect": "codebuddy", "settings": {"hooks": {"PreToolUse": [{"hooks": [
        {"type": "agent", "prompt": "Review it"}]}]}}});
    crosshook_engine *engine = engine_with_host(options, reply);
    EXPECT(decides(engine, TOOL, "\"decision\":\"deny\",\"reason\":\"not reviewed\""));
    crosshook_engine_free(engine);
    puts("agent: deny, not reviewed");
}

/* A function hook: a function of the host's, registered at run time, that answers what a command would print. */
static void function(void) {
    static char reply[] = JSON({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                                       "permissionDecisionReason": "not on Fridays"}});
    crosshook_engine *engine = engine_with_host(JSON({"dialect": "qwen", "settings": {}}), reply);
    const char *spec = JSON({"event": "PreToolUse", "name": "calendar"});
    crosshook_buf registered = {NULL, 0}; /* its id is for crosshook_unregister() */
    OK(crosshook_register_function(engine, str(spec), &registered, &error));
    EXPECT(decides(engine, TOOL, "\"decision\":\"deny\",\"reason\":\"not on Fridays\""));
    crosshook_buf_free(&registered);
    crosshook_engine_free(engine);
    puts("function: deny, not on Fridays");
}

/* A background hook: the dispatch does not wait for it. What it says is taken later, for the agent's next turn. */
static void background(void) {
    const char *event = JSON({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/", "tool_name": "Bash"});
    const char *options = JSON({"dialect": "codebuddy", "settings": {"hooks": {"PostToolUse": [{"hooks": [
        {"type": "command", "async": true, "command": "sleep 0.3; echo '{\"hookSpecificOutput\": {\"hookEventName\": \
         \"PostToolUse\", \"additionalContext\": \"late context from the background\"}}'"}]}]}}});
    crosshook_engine *engine = engine_of(options);
    crosshook_buf buf = {NULL, 0};
    bool idle = false;
    EXPECT(decides(engine, event, "\"decision\":\"none\""));
    OK(crosshook_background(engine, &buf, &error));
    char *running = taken(&buf);
    OK(crosshook_wait_background(engine, 20000, &idle, &error));
    OK(crosshook_take_late_results(engine, &buf, &error));
    char *late = taken(&buf);
    EXPECT(count(running, "\"number\":") == 1 && idle);
    EXPECT(strstr(late, "\"additional_context\":\"late context from the background\"") != NULL);
    free(running);
    free(late);
    crosshook_engine_free(engine);
    puts("background: 1 running, done, late context from the background");
}

/* How many hooks of an outcome were not skipped. */
static int ran(const char *outcome) { return count(outcome, "\"status\":") - count(outcome, "\"status\":\"skipped\""); }

/* A hook with `once` runs once a session. When the host says that the session is over, it may run again. */
static void once(void) {
    const char *form = JSON({"dialect": "qwen", "settings": {"hooks": {"PreToolUse": [{"hooks": [
        {"type": "http", "url": "http://127.0.0.1:%d/", "once": true}]}]}}});
    char options[300], *outcomes[3];
    bool known = false;
    server s;
    start_server(&s, 2);
    snprintf(options, sizeof options, form, s.port);
    crosshook_engine *engine = engine_of(options);
    outcomes[0] = dispatch(engine, TOOL);
    outcomes[1] = dispatch(engine, TOOL);
    OK(crosshook_end_session(engine, str("s"), &known, &error));
    outcomes[2] = dispatch(engine, TOOL);
    EXPECT(ran(outcomes[0]) == 1 && count(outcomes[1], "\"status\":") == 1 && ran(outcomes[1]) == 0);
    EXPECT(known && ran(outcomes[2]) == 1);
    for (int i = 0; i < 3; i++) free(outcomes[i]);
    end_server(&s);
    crosshook_engine_free(engine);
    puts("once: 1, then 0 of 1 hooks ran");
}

/* A Stop hook that never gives in: the agent is kept going so many times in a row, then it may stop, and the count
 * starts anew. The engine counts for each session. */
static void stop(void) {
    crosshook_engine *engine = engine_of(JSON({"dialect": "qwen", "settings": {"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "echo go on >&2; exit 2"}]}]}}}));
    int blocked = 0;
    for (int i = 0; i < 9; i++) {
        char *outcome = dispatch(engine, STOP);
        blocked += is(outcome, "\"decision\":\"block\",\"reason\":\"go on\"");
        free(outcome);
    }
    crosshook_engine_free(engine);
    EXPECT(blocked == 8); /* seven, then none, then one of the next seven */
    puts("stop: block 8 of 9 times");
}

/* A goal: the agent may not stop until the host's model says that it is met. Saved as JSON, it outlives the process. */
static void goal(void) {
    static char no[] = JSON({"ok": false, "reason": "tests fail"}), yes[] = JSON({"ok": true});
    const char *options = JSON({"dialect": "codebuddy", "settings": {}});
    crosshook_buf buf = {NULL, 0};
    crosshook_engine *engine = engine_with_host(options, no);
    OK(crosshook_set_goal(engine, str("s"), str("all tests pass"), &error));
    EXPECT(decides(engine, STOP, "\"decision\":\"block\""));
    OK(crosshook_goal(engine, str("s"), &buf, &error));
    char *saved = taken(&buf);
    crosshook_engine_free(engine);
    engine = engine_with_host(options, yes);
    OK(crosshook_restore_goal(engine, str("s"), str(saved), &error));
    EXPECT(decides(engine, STOP, "\"decision\":\"none\""));
    free(saved);
    OK(crosshook_goal(engine, str("s"), &buf, &error));
    char *over = taken(&buf);
    EXPECT(strstr(over, "\"status\":\"met\"") != NULL);
    free(over);
    crosshook_engine_free(engine);
    puts("goal: block until met, restored");
}

/* The text of a file that may not be there yet. The caller frees it. */
static char *contents(const char *path) {
    char *text = calloc(1, 65536);
    FILE *file = fopen(path, "r");
    EXPECT(text != NULL);
    if (file != NULL) {
        text[fread(text, 1, 65535, file)] = '\0';
        fclose(file);
    }
    return text;
}

static void wait_for(const char *path, const char *word) {
    for (int found = 0; !found;) {
        char *text = contents(path);
        found = strstr(text, word) != NULL;
        free(text);
        nanosleep(&(struct timespec){0, 10 * 1000 * 1000}, NULL);
    }
}

/* Text that streams to the user: hooks get the text so far now and then, and the whole text, always, in the end. */
static void display(void) {
    crosshook_engine *engine = engine_of(JSON({"dialect": "qwen", "settings": {"hooks": {"MessageDisplay": [{"hooks": [
        {"type": "command", "command": "cat >> shown; sleep 1"}]}]}}}));
    char folder[] = "/tmp/crosshook-tour-XXXXXX", path[100], event[200], *shown;
    crosshook_display *message = NULL;
    bool done = false;
    EXPECT(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/shown", folder);
    snprintf(event, sizeof event, JSON({"session_id": "s", "cwd": "%s"}), folder);
    OK(crosshook_message_display(engine, str(event), &message, &error));
    OK(crosshook_display_push(message, str("Good "), &error));
    wait_for(path, "\"is_final\":false");
    OK(crosshook_display_push(message, str("morning"), &error)); /* waits, because the hook is still busy */
    OK(crosshook_display_finish(message, 20000, &done, &error));
    shown = contents(path);
    EXPECT(done && strstr(shown, "\"displayed_text\":\"Good morning\",\"is_final\":true") != NULL);
    EXPECT(count(shown, "\"is_final\":") == 2 && unlink(path) == 0 && rmdir(folder) == 0);
    free(shown);
    crosshook_display_free(message);
    crosshook_engine_free(engine);
    puts("display: 2 deliveries, the last with all of the text");
}

/* What hooks add to a prompt, as the agent puts it before its model: escaped, so that no hook closes the frame. */
static void context(void) {
    const char *event = JSON({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/", "prompt": "hello"});
    const char *options = JSON({"dialect": "qwen", "settings": {"hooks": {"UserPromptSubmit": [{"hooks": [
        {"type": "command", "command": "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"UserPromptSubmit\", \
         \"additionalContext\": \"mind the <gap>\"}}'"}]}]}}});
    crosshook_engine *engine = engine_of(options);
    crosshook_buf buf = {NULL, 0};
    char *outcome = dispatch(engine, event);
    OK(crosshook_render_context(engine, str(outcome), &buf, &error));
    char *text = taken(&buf); /* a JSON string */
    EXPECT(strstr(text, "<qwen:user-prompt-submit-context>\\nmind the &lt;gap&gt;\\n") != NULL);
    free(outcome);
    free(text);
    crosshook_engine_free(engine);
    puts("context: the model's text holds the hook's words");
}

/* Whether a text that is not terminated by NUL, as callbacks get it, holds a word. */
static int holds(crosshook_str text, const char *word) {
    size_t len = strlen(word);
    for (size_t at = 0; at + len <= text.len; at++) {
        if (memcmp(text.data + at, word, len) == 0) return 1;
    }
    return 0;
}

/* Called when a run has ended, on a thread of the library. */
static void ended(void *user_data, crosshook_status status, crosshook_str outcome, const crosshook_error *why) {
    atomic_int *cancelled = user_data;
    (void)why; /* belongs to the library */
    atomic_store(cancelled, status == CROSSHOOK_STATUS_OK && holds(outcome, "\"status\":\"cancelled\""));
}

/* A run that is cancelled, because the user pressed Escape: its hooks are ended with all that they started. */
static void cancel(void) {
    crosshook_engine *engine = engine_of(JSON({"dialect": "codebuddy", "settings": {"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "sleep 30"}]}]}}}));
    atomic_int cancelled = 0;
    crosshook_run *run = NULL;
    bool finished = true;
    OK(crosshook_start(engine, str(TOOL), ended, &cancelled, NULL, &run, &error));
    OK(crosshook_run_wait(run, 100, &finished, &error));
    EXPECT(!finished);
    crosshook_run_cancel(run);
    OK(crosshook_run_wait(run, 20000, &finished, &error));
    EXPECT(finished && atomic_load(&cancelled));
    crosshook_run_free(run);
    crosshook_engine_free(engine);
    puts("cancel: cancelled");
}

typedef struct notices {
    atomic_int started, finished;
} notices;

static void listen_to(void *user_data, crosshook_str notice) {
    notices *n = user_data;
    atomic_fetch_add(&n->started, holds(notice, "\"type\":\"started\""));
    atomic_fetch_add(&n->finished, holds(notice, "\"type\":\"finished\""));
}

/* A listener hears when hooks start and end: for progress lines and logs. */
static void watch(void) {
    crosshook_engine *engine = engine_of(JSON({"dialect": "qwen", "settings": {"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "true"}]}]}}}));
    notices heard = {0, 0};
    uint64_t number = 0;
    bool found = false;
    OK(crosshook_watch(engine, listen_to, &heard, NULL, &number, &error));
    EXPECT(decides(engine, STOP, "\"decision\":\"none\""));
    OK(crosshook_unwatch(engine, number, &found, &error));
    EXPECT(found && atomic_load(&heard.started) > 0 && atomic_load(&heard.finished) > 0);
    crosshook_engine_free(engine);
    puts("watch: started, finished");
}

int main(void) {
    alarm(60); /* ends the program should anything hang */
    http();
    prompt();
    agent();
    function();
    background();
    once();
    stop();
    goal();
    display();
    context();
    cancel();
    watch();
    OK(crosshook_shutdown(&error));
    return 0;
}
