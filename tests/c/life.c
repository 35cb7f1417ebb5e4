/* What a host does between events: registers, reloads, grants, waits, listens. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STOP "{\"hook_event_name\": \"Stop\", \"session_id\": \"s\", \"cwd\": \"/\"}"
#define STOP_OF_T "{\"hook_event_name\": \"Stop\", \"session_id\": \"t\", \"cwd\": \"/\"}"
#define HOOK(command) "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"" command "\"}]}]}}"
#define BLOCKS "\"decision\":\"block\""
#define NOTHING "\"decision\":\"none\""
#define OK CROSSHOOK_STATUS_OK

/* A call that fails must say so with this code, and write nothing. */
#define CHECK_FAILS(call, wanted)                                                                                      \
    do {                                                                                                               \
        crosshook_error *error = NULL;                                                                                 \
        crosshook_buf out = {NULL, 0};                                                                                 \
        CHECK((call) != OK && is(crosshook_error_code(error), wanted) && out.data == NULL);                            \
        crosshook_error_free(error);                                                                                   \
    } while (0)

void test_register(void) {
    crosshook_engine *engine = engine_of("{\"dialect\": \"codebuddy\", \"settings\": {}}");
    crosshook_buf out = {NULL, 0};
    bool found = false;
    char *id;
    CHECK(crosshook_register(engine, str("s"), str(HOOK("exit 2")), &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"hooks\":1") && buf_holds(&out, "\"diagnostics\":[]"));
    id = text_after(&out, "\"id\":\"");
    crosshook_buf_free(&out);
    CHECK(says(engine, STOP, BLOCKS));
    CHECK(says(engine, STOP_OF_T, NOTHING));
    CHECK(crosshook_unregister(engine, str(id), &found, NULL) == OK && found);
    CHECK(says(engine, STOP, NOTHING));
    CHECK(crosshook_unregister(engine, str(id), &found, NULL) == OK && !found);
    CHECK(crosshook_unregister(engine, str(id), NULL, NULL) == OK);
    free(id);
    CHECK_FAILS(crosshook_register(engine, str("s"), str("["), &out, &error), "invalid_settings");
    CHECK_FAILS(crosshook_register(engine, str("\xff"), str("{}"), &out, &error), "invalid_utf8");
    CHECK_FAILS(crosshook_register(NULL, str("s"), str("{}"), &out, &error), "null_argument");
    CHECK_FAILS(crosshook_register_function(engine, str("{\"event\": \"Stop\"}"), &out, &error), "invalid_options");
    CHECK_FAILS(crosshook_open_scope(engine, str("{}"), &out, &error), "invalid_options");
    CHECK_FAILS(crosshook_unregister(engine, str("\xff"), NULL, &error), "invalid_utf8");
    crosshook_engine_free(engine);
}

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

void test_reload(void) {
    char path[] = "/tmp/crosshook-c-XXXXXX", options[300];
    crosshook_buf out = {NULL, 0};
    int descriptor = mkstemp(path);
    CHECK(descriptor >= 0 && close(descriptor) == 0);
    put(path, HOOK("exit 0"));
    snprintf(options, sizeof options,
             "{\"dialect\": \"codebuddy\", \"settings\": [{\"scope\": \"user\", \"path\": \"%s\"}]}", path);
    crosshook_engine *engine = engine_of(options);
    put(path, HOOK("exit 2"));
    CHECK(crosshook_changes(engine, &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"change\":\"changed\"") && buf_holds(&out, "exit 2") && buf_holds(&out, "exit 0"));
    crosshook_buf_free(&out);
    CHECK(says(engine, STOP, NOTHING));
    CHECK(crosshook_reload(engine, &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"change\":\"changed\""));
    crosshook_buf_free(&out);
    CHECK(says(engine, STOP, BLOCKS));
    put(path, "{");
    CHECK_FAILS(crosshook_reload(engine, &out, &error), "invalid_settings");
    CHECK(says(engine, STOP, BLOCKS)); /* the old set holds */
    CHECK(crosshook_changes(engine, &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"change\":\"broken\""));
    crosshook_buf_free(&out);
    CHECK(unlink(path) == 0);
    crosshook_engine_free(engine);
}

void test_scopes(void) {
    const char *scope = "{\"owner\": \"agent\", \"source\": \"builtin\", \"text\": \"---\\nname: tester\\nhooks:\\n  Stop:\\n"
                        "    - hooks:\\n        - type: command\\n          command: exit 2\\n---\\n\"}";
    const char *event = "{\"hook_event_name\": \"SubagentStop\", \"cwd\": \"/\"}";
    crosshook_engine *engine = engine_of("{\"dialect\": \"codebuddy\", \"settings\": {}}");
    crosshook_buf out = {NULL, 0};
    bool found = false;
    char *id;
    CHECK(crosshook_open_scope(engine, str(scope), &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"hooks\":1"));
    id = text_after(&out, "\"id\":\"");
    crosshook_buf_free(&out);
    CHECK(says(engine, event, BLOCKS));
    CHECK(crosshook_close_scope(engine, str(id), &found, NULL) == OK && found);
    CHECK(says(engine, event, NOTHING));
    CHECK(crosshook_close_scope(engine, str(id), &found, NULL) == OK && !found);
    free(id);
    crosshook_engine_free(engine);
}

/* A host of one dialect, and hooks of another from a plugin, from frontmatter and registered. */
void test_other_dialects(void) {
    const char *scope =
        "{\"owner\": \"agent\", \"source\": \"user\", \"dialect\": \"claude\", \"text\": \"---\\nname: n\\nhooks:\\n"
        "  PreToolUse:\\n    - matcher: Bash\\n      hooks:\\n        - {type: command, command: 'exit 2'}\\n---\\n\"}";
    const char *hooks = "{\"hooks\": {\"BeforeTool\": [{\"matcher\": \"run_shell_command\", \"hooks\": [{\"type\": "
                        "\"command\", \"command\": \"exit 2\"}]}]}}";
    const char *event = "{\"hook_event_name\": \"PreToolUse\", \"session_id\": \"s\", \"cwd\": \"/\", \"tool_name\": "
                        "\"run_shell_command\", \"tool_input\": {\"command\": \"ls\"}}";
    const char *denies = "\"decision\":\"deny\"";
    char folder[] = "/tmp/crosshook-c-XXXXXX", path[64], text[512];
    crosshook_engine *engine;
    crosshook_buf out = {NULL, 0};
    bool found = false;
    char *id;

    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/gemini-extension.json", folder);
    put(path, hooks);
    snprintf(text, sizeof text,
             "{\"dialect\": \"qwen\", \"settings\": {}, \"plugins\": [{\"path\": \"%s\", \"dialect\": \"gemini\"}]}", folder);
    engine = engine_of(text);
    CHECK(says(engine, event, denies));
    crosshook_engine_free(engine);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0);

    engine = engine_of("{\"dialect\": \"qwen\", \"settings\": {}}");
    snprintf(text, sizeof text, "{\"dialect\": \"gemini\", \"settings\": %s}", hooks);
    CHECK(crosshook_register(engine, str("s"), str(text), &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"hooks\":1") && buf_holds(&out, "\"diagnostics\":[]"));
    id = text_after(&out, "\"id\":\"");
    crosshook_buf_free(&out);
    CHECK(says(engine, event, denies));
    CHECK(crosshook_unregister(engine, str(id), &found, NULL) == OK && found);
    CHECK(says(engine, event, NOTHING));
    free(id);
    CHECK(crosshook_open_scope(engine, str(scope), &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"hooks\":1") && buf_holds(&out, "\"diagnostics\":[]"));
    crosshook_buf_free(&out);
    CHECK(says(engine, event, denies));
    CHECK_FAILS(crosshook_register(engine, str("s"), str("{\"dialect\": \"cursor\", \"settings\": {}}"), &out, &error),
                "invalid_options");
    crosshook_engine_free(engine);
}

void test_grants(void) {
    crosshook_engine *engine = engine_of(
        "{\"dialect\": \"zcode\", \"trusted\": false, \"project_dir\": \"/\", \"settings\": [{\"scope\": \"project\", "
        "\"settings\": {\"hooks\": {\"enabled\": true, \"events\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", "
        "\"command\": \"exit 2\"}]}]}}}}, {\"scope\": \"user\", \"settings\": {\"hooks\": {\"enabled\": true}}}]}");
    crosshook_buf out = {NULL, 0};
    char *digest;
    CHECK(says(engine, STOP, NOTHING));
    CHECK(crosshook_wanted_grants(engine, &out, NULL) == OK);
    CHECK(buf_holds(&out, "exit 2"));
    digest = text_after(&out, "\"digest\":\"");
    crosshook_buf_free(&out);
    CHECK(strncmp(digest, "sha256:", 7) == 0);
    CHECK_FAILS(crosshook_grant(engine, str("sha256:00"), &error), "invalid_options");
    CHECK(crosshook_grant(engine, str(digest), NULL) == OK);
    CHECK(says(engine, STOP, BLOCKS));
    CHECK(crosshook_wanted_grants(engine, &out, NULL) == OK);
    CHECK(out.len == 2); /* nothing waits any more */
    crosshook_buf_free(&out);
    CHECK(crosshook_grants(engine, &out, NULL) == OK);
    CHECK(buf_holds(&out, digest));
    crosshook_buf_free(&out);
    CHECK(crosshook_revoke(engine, str(digest), NULL) == OK);
    CHECK(says(engine, STOP, NOTHING));
    CHECK_FAILS(crosshook_revoke(engine, str("\xff"), &error), "invalid_utf8");
    free(digest);
    crosshook_engine_free(engine);
}

static crosshook_engine *with_background(const char *command) {
    char options[500];
    snprintf(options, sizeof options,
             "{\"dialect\": \"codebuddy\", \"settings\": {\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", "
             "\"async\": true, \"command\": \"%s\"}]}]}}}",
             command);
    return engine_of(options);
}

void test_background(void) {
    crosshook_engine *engine = with_background("sleep 0.4; printf '{\\\"systemMessage\\\":\\\"built\\\"}'");
    crosshook_buf out = {NULL, 0};
    bool idle = true;
    size_t ended = 7;
    CHECK(says(engine, STOP, "\"status\":\"background\""));
    CHECK(crosshook_background(engine, &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"number\":1") && buf_holds(&out, "\"event\":\"Stop\""));
    crosshook_buf_free(&out);
    CHECK(crosshook_wait_background(engine, 0, &idle, NULL) == OK && !idle);
    CHECK(crosshook_wait_background(engine, -1, &idle, NULL) == OK && idle);
    CHECK(crosshook_take_late_results(engine, &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"system_message\":\"built\"") && buf_holds(&out, "\"session_id\":\"s\""));
    crosshook_buf_free(&out);
    CHECK(crosshook_take_late_results(engine, &out, NULL) == OK && out.len == 2);
    crosshook_buf_free(&out);
    crosshook_engine_free(engine);
    engine = with_background("sleep 60");
    CHECK(says(engine, STOP, "\"status\":\"background\""));
    CHECK(says(engine, STOP, "\"status\":\"background\""));
    crosshook_end_foreground(); /* background hooks go on */
    CHECK(crosshook_cancel_background(engine, 99, &ended, NULL) == OK && ended == 0);
    CHECK(crosshook_cancel_background(engine, 1, &ended, NULL) == OK && ended == 1);
    CHECK(crosshook_cancel_background(engine, 0, &ended, NULL) == OK && ended > 0);
    CHECK(crosshook_wait_background(engine, 20000, &idle, NULL) == OK && idle);
    CHECK(crosshook_cancel_background(engine, 0, NULL, NULL) == OK);
    CHECK_FAILS(crosshook_cancel_background(NULL, 0, NULL, &error), "null_argument");
    CHECK_FAILS(crosshook_background(NULL, &out, &error), "null_argument");
    crosshook_engine_free(engine);
}

/* ZCode lets a Stop hook prevent three stops in a row. */
void test_sessions(void) {
    crosshook_engine *engine =
        engine_of("{\"dialect\": \"zcode\", \"settings\": {\"hooks\": {\"enabled\": true, \"events\": {\"Stop\": "
                  "[{\"hooks\": [{\"type\": \"command\", \"command\": \"exit 2\"}]}]}}}}");
    bool known = false;
    for (int i = 0; i < 3; i++) {
        CHECK(says(engine, STOP, BLOCKS));
    }
    CHECK(says(engine, STOP, NOTHING));
    CHECK(says(engine, STOP, BLOCKS));
    CHECK(crosshook_end_session(engine, str("s"), &known, NULL) == OK && known);
    for (int i = 0; i < 3; i++) {
        CHECK(says(engine, STOP, BLOCKS));
    }
    CHECK(crosshook_end_session(engine, str("nobody"), &known, NULL) == OK && !known);
    CHECK(crosshook_end_session(engine, str("s"), NULL, NULL) == OK);
    CHECK_FAILS(crosshook_end_session(engine, str("\xff"), NULL, &error), "invalid_utf8");
    crosshook_engine_free(engine);
}

static void say_not_yet(void *user_data, crosshook_request *request) {
    CHECK(holds(crosshook_request_json(request), "all tests pass"));
    count(user_data);
    crosshook_request_reply(request, str("{\"ok\": false, \"reason\": \"two are red\"}"));
}

void test_goals(void) {
    atomic_int asked = 0;
    crosshook_engine *engine = NULL;
    crosshook_buf out = {NULL, 0}, saved = {NULL, 0};
    bool found = false;
    CHECK(crosshook_engine_new_with_host(str("{\"dialect\": \"codebuddy\", \"settings\": {}}"), say_not_yet, &asked, NULL,
                                         &engine, NULL) == OK);
    CHECK(crosshook_set_goal(engine, str("s"), str("all tests pass"), NULL) == OK);
    CHECK(crosshook_note_goal_usage(engine, str("s"), 2, 500, &found, NULL) == OK && found);
    CHECK(crosshook_note_goal_usage(engine, str("t"), 2, 500, &found, NULL) == OK && !found);
    CHECK(says(engine, STOP, "\"reason\":\"Stop hook feedback: [all tests pass] two are red\""));
    CHECK(says(engine, STOP_OF_T, NOTHING));
    CHECK(atomic_load(&asked) == 1);
    CHECK(crosshook_goal(engine, str("s"), &saved, NULL) == OK);
    CHECK(buf_holds(&saved, "\"status\":\"active\"") && buf_holds(&saved, "\"turns\":2,\"tokens\":500,\"checks\":1"));
    CHECK(crosshook_clear_goal(engine, str("s"), &found, NULL) == OK && found);
    CHECK(crosshook_clear_goal(engine, str("s"), &found, NULL) == OK && !found);
    CHECK(crosshook_goal(engine, str("s"), &out, NULL) == OK && buf_holds(&out, "null"));
    crosshook_buf_free(&out);
    crosshook_str copy = {saved.data, saved.len};
    CHECK(crosshook_restore_goal(engine, str("t"), copy, NULL) == OK);
    CHECK(says(engine, STOP_OF_T, BLOCKS));
    crosshook_buf_free(&saved);
    CHECK_FAILS(crosshook_restore_goal(engine, str("t"), str("null"), &error), "invalid_options");
    CHECK_FAILS(crosshook_set_goal(engine, str("s"), str(" "), &error), "invalid_options");
    CHECK_FAILS(crosshook_set_goal(engine, str("s"), str("\xff"), &error), "invalid_utf8");
    CHECK_FAILS(crosshook_goal(NULL, str("s"), &out, &error), "null_argument");
    crosshook_engine_free(engine);
}

void test_render_context(void) {
    const char *outcome = "{\"event\": \"UserPromptSubmit\", \"decision\": \"none\", \"reason\": null, "
                          "\"additional_context\": [\"a\", \"b\"]}";
    const char *empty = "{\"event\": \"Stop\", \"decision\": \"none\", \"additional_context\": []}";
    crosshook_engine *engine = engine_of("{\"dialect\": \"zcode\", \"settings\": {}}");
    crosshook_buf out = {NULL, 0};
    CHECK(crosshook_render_context(engine, str(outcome), &out, NULL) == OK && buf_holds(&out, "\"#1 a\\n#2 b\""));
    crosshook_buf_free(&out);
    CHECK(crosshook_render_context(engine, str(empty), &out, NULL) == OK && buf_holds(&out, "null"));
    crosshook_buf_free(&out);
    CHECK_FAILS(crosshook_render_context(engine, str("[]"), &out, &error), "invalid_event");
    crosshook_engine_free(engine);
}

/* The whole file; the caller frees it. */
static char *contents(const char *path) {
    char *text = calloc(1, 65536);
    FILE *file = fopen(path, "r");
    CHECK(text != NULL && file != NULL && fread(text, 1, 65535, file) > 0 && fclose(file) == 0);
    return text;
}

void test_replay(void) {
    char path[] = "/tmp/crosshook-c-XXXXXX", options[400];
    int descriptor = mkstemp(path);
    crosshook_buf out = {NULL, 0};
    char *line;
    CHECK(descriptor >= 0 && close(descriptor) == 0);
    snprintf(options, sizeof options, "{\"dialect\": \"codebuddy\", \"settings\": %s, \"record\": \"%s\"}", HOOK("exit 2"),
             path);
    crosshook_engine *engine = engine_of(options), *other = engine_of("{\"dialect\": \"codebuddy\", \"settings\": {}}");
    CHECK(says(engine, STOP, BLOCKS));
    line = contents(path);
    CHECK(crosshook_replay(engine, str(line), &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"same\":true,\"differences\":[]") && buf_holds(&out, BLOCKS));
    crosshook_buf_free(&out);
    CHECK(crosshook_replay(other, str(line), &out, NULL) == OK);
    CHECK(buf_holds(&out, "\"what\":\"decision\",\"hook\":null,\"recorded\":\"block\",\"now\":\"none\""));
    CHECK(buf_holds(&out, "\"what\":\"not_run\"") && buf_holds(&out, NOTHING));
    crosshook_buf_free(&out);
    CHECK_FAILS(crosshook_replay(engine, str("{}"), &out, &error), "invalid_event");
    CHECK_FAILS(crosshook_replay(NULL, str(line), &out, &error), "null_argument");
    free(line);
    CHECK(unlink(path) == 0);
    crosshook_engine_free(engine);
    crosshook_engine_free(other);
}

void test_message_display(void) {
    char path[] = "/tmp/crosshook-c-XXXXXX", options[400];
    int descriptor = mkstemp(path);
    crosshook_display *display = NULL, *aborted = NULL, *none = NULL;
    bool done = false;
    char *log;
    CHECK(descriptor >= 0 && close(descriptor) == 0);
    snprintf(options, sizeof options,
             "{\"dialect\": \"qwen\", \"settings\": {\"hooks\": {\"MessageDisplay\": [{\"hooks\": [{\"type\": "
             "\"command\", \"command\": \"cat >> %s\"}]}]}}}",
             path);
    crosshook_engine *engine = engine_of(options);
    CHECK(crosshook_message_display(engine, str("{\"session_id\": \"s\", \"cwd\": \"/\"}"), &display, NULL) == OK);
    CHECK(crosshook_message_display(engine, str("{}"), &aborted, NULL) == OK);
    crosshook_engine_free(engine); /* messages outlive it */
    CHECK(crosshook_display_push(display, str("Hel"), NULL) == OK);
    CHECK(crosshook_display_push(display, str("lo"), NULL) == OK);
    CHECK(crosshook_display_finish(display, 20000, &done, NULL) == OK && done);
    CHECK(crosshook_display_finish(display, -1, NULL, NULL) == OK); /* once is enough */
    crosshook_display_abort(aborted);
    CHECK(crosshook_display_push(aborted, str("never seen"), NULL) == OK);
    CHECK(crosshook_display_finish(aborted, 20000, &done, NULL) == OK && done);
    log = contents(path);
    CHECK(strstr(log, "\"displayed_text\":\"Hello\",\"is_final\":true") != NULL);
    CHECK(strstr(log, "\"session_id\":\"s\"") != NULL && strstr(log, "never seen") == NULL);
    free(log);
    CHECK_FAILS(crosshook_display_push(display, str("\xff"), &error), "invalid_utf8");
    CHECK_FAILS(crosshook_display_push(NULL, str("x"), &error), "null_argument");
    CHECK_FAILS(crosshook_display_finish(NULL, 0, NULL, &error), "null_argument");
    CHECK_FAILS(crosshook_message_display(NULL, str("{}"), &none, &error), "null_argument");
    crosshook_display_free(display);
    crosshook_display_free(aborted);
    crosshook_display_free(NULL);
    crosshook_display_abort(NULL);
    engine = engine_of("{\"dialect\": \"zcode\", \"settings\": {}}");
    CHECK_FAILS(crosshook_message_display(engine, str("{}"), &none, &error), "invalid_options");
    CHECK(none == NULL && unlink(path) == 0);
    crosshook_engine_free(engine);
}

/* A listener, and what it heard. */
typedef struct ears {
    const crosshook_engine *engine;
    uint64_t number;
    atomic_int heard, started, finished, contents, freed;
} ears;

static void listen(void *user_data, crosshook_str notice) {
    ears *e = user_data;
    crosshook_buf out = {NULL, 0};
    atomic_fetch_add(&e->heard, 1);
    atomic_fetch_add(&e->started, holds(notice, "\"type\":\"started\"") && holds(notice, "\"event\":\"Stop\""));
    atomic_fetch_add(&e->finished, holds(notice, "\"type\":\"finished\"") && holds(notice, "\"status\":\"blocked\""));
    atomic_fetch_add(&e->contents, holds(notice, "SECRET"));
    CHECK(crosshook_dispatch(e->engine, str(STOP), &out, NULL) == CROSSHOOK_STATUS_ENGINE_THREAD);
}

static void listen_once(void *user_data, crosshook_str notice) {
    ears *e = user_data;
    bool found = false;
    (void)notice;
    atomic_fetch_add(&e->heard, 1);
    CHECK(crosshook_unwatch(e->engine, e->number, &found, NULL) == OK && found);
    CHECK(atomic_load(&e->freed) == 0); /* it is still being called */
}

static void ears_freed(void *user_data) { count(&((ears *)user_data)->freed); }

#define TOLD "{\"hook_event_name\": \"Stop\", \"session_id\": \"s\", \"cwd\": \"/\", \"last_assistant_message\": \"SECRET\"}"

void test_listeners(void) {
    crosshook_engine *engine = engine_of("{\"dialect\": \"codebuddy\", \"settings\": " HOOK("exit 2") "}");
    ears one = {.engine = engine}, other = {.engine = engine}, refused = {.engine = engine};
    bool found = false;
    CHECK(crosshook_watch(engine, listen, &one, ears_freed, &one.number, NULL) == OK);
    CHECK(crosshook_watch(engine, listen, &other, ears_freed, &other.number, NULL) == OK);
    CHECK(one.number != other.number);
    CHECK(says(engine, TOLD, BLOCKS));
    CHECK(one.heard == 2 && one.started == 1 && one.finished == 1 && one.contents == 0);
    CHECK(crosshook_unwatch(engine, one.number, &found, NULL) == OK && found && one.freed == 1);
    CHECK(crosshook_unwatch(engine, one.number, &found, NULL) == OK && !found);
    CHECK(says(engine, TOLD, BLOCKS));
    CHECK(one.heard == 2 && other.heard == 4 && other.freed == 0);
    CHECK(crosshook_watch(engine, NULL, &refused, ears_freed, &refused.number, NULL) == CROSSHOOK_STATUS_NULL_ARGUMENT);
    CHECK(crosshook_watch(NULL, listen, &refused, ears_freed, &refused.number, NULL) == CROSSHOOK_STATUS_NULL_ARGUMENT);
    CHECK(crosshook_watch(engine, listen, &refused, ears_freed, NULL, NULL) == CROSSHOOK_STATUS_NULL_ARGUMENT);
    CHECK(refused.freed == 3 && refused.number == 0);
    CHECK(says(engine, TOLD, BLOCKS));
    CHECK(refused.heard == 0);
    crosshook_engine_free(engine);
    CHECK(other.freed == 1);
}

void test_unwatch_inside_a_listener(void) {
    crosshook_engine *engine = engine_of("{\"dialect\": \"codebuddy\", \"settings\": " HOOK("exit 2") "}");
    ears e = {.engine = engine};
    CHECK(crosshook_watch(engine, listen_once, &e, ears_freed, &e.number, NULL) == OK);
    CHECK(says(engine, STOP, BLOCKS));
    CHECK(e.heard == 1 && comes_to(&e.freed, 1));
    CHECK(says(engine, STOP, BLOCKS));
    CHECK(e.heard == 1 && e.freed == 1);
    crosshook_engine_free(engine);
    CHECK(e.freed == 1);
}
