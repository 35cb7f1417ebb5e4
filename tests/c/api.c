/* Versions, NULL, errors and the blocking calls. */
#include "check.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const crosshook_str NOTHING = {NULL, 0};

void test_versions(void) {
    char parts[64];
    CHECK(crosshook_abi_version() == CROSSHOOK_ABI_VERSION);
    CHECK(is(crosshook_version(), CROSSHOOK_VERSION));
    snprintf(parts, sizeof parts, "%d.%d.%d", CROSSHOOK_VERSION_MAJOR, CROSSHOOK_VERSION_MINOR, CROSSHOOK_VERSION_PATCH);
    CHECK(strncmp(CROSSHOOK_VERSION, parts, strlen(parts)) == 0);
    CHECK(CROSSHOOK_VERSION_NUMBER / 1000000 == CROSSHOOK_VERSION_MAJOR);
    CHECK(CROSSHOOK_VERSION_NUMBER / 1000 % 1000 == CROSSHOOK_VERSION_MINOR);
    CHECK(CROSSHOOK_VERSION_NUMBER % 1000 == CROSSHOOK_VERSION_PATCH);
}

void test_dialects(void) {
    crosshook_buf names = {NULL, 0}, schema = {NULL, 0};
    crosshook_error *error = NULL;
    CHECK(crosshook_dialect_names(&names, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(is((crosshook_str){names.data, names.len},
             "[\"codebuddy\",\"zcode\",\"qwen\",\"claude\",\"codex\",\"gemini\"]"));
    crosshook_buf_free(&names);
    CHECK(crosshook_settings_schema(str("qwen"), &schema, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(holds((crosshook_str){schema.data, schema.len}, "Hooks in the settings of Qwen Code"));
    crosshook_buf_free(&schema);
    CHECK(crosshook_settings_schema(str("pascal"), &schema, &error) == CROSSHOOK_STATUS_INVALID_OPTIONS);
    CHECK(holds(crosshook_error_message(error), "there is no dialect \"pascal\"; it is one of codebuddy,"));
    crosshook_error_free(error);
    CHECK(crosshook_settings_schema(str("\xff"), &schema, NULL) == CROSSHOOK_STATUS_INVALID_UTF8);
    CHECK(crosshook_settings_schema(str("qwen"), NULL, NULL) == CROSSHOOK_STATUS_NULL_ARGUMENT);
    CHECK(crosshook_dialect_names(NULL, NULL) == CROSSHOOK_STATUS_NULL_ARGUMENT);
    CHECK(schema.data == NULL);
}

static void ignore(void *user_data, crosshook_status status, crosshook_str outcome, const crosshook_error *error) {
    (void)user_data, (void)status, (void)outcome, (void)error;
}

static void null_pointers_are_refused(crosshook_engine *engine) {
    const crosshook_status refused = CROSSHOOK_STATUS_NULL_ARGUMENT;
    crosshook_str event = str("{\"hook_event_name\": \"Stop\"}");
    crosshook_str null_text = {NULL, 7};
    crosshook_engine *other = NULL;
    crosshook_buf out = {NULL, 0};
    bool finished = true;
    CHECK(crosshook_engine_new(str("{}"), NULL, NULL) == refused);
    CHECK(crosshook_engine_new(null_text, &other, NULL) == refused);
    CHECK(crosshook_dispatch(NULL, event, &out, NULL) == refused);
    CHECK(crosshook_dispatch(engine, null_text, &out, NULL) == refused);
    CHECK(crosshook_dispatch(engine, event, NULL, NULL) == refused);
    CHECK(crosshook_explain(NULL, event, &out, NULL) == refused);
    CHECK(crosshook_explain(engine, null_text, &out, NULL) == refused);
    CHECK(crosshook_explain(engine, event, NULL, NULL) == refused);
    CHECK(crosshook_list(NULL, &out, NULL) == refused);
    CHECK(crosshook_list(engine, NULL, NULL) == refused);
    CHECK(crosshook_diagnostics(NULL, &out, NULL) == refused);
    CHECK(crosshook_diagnostics(engine, NULL, NULL) == refused);
    CHECK(crosshook_lint(NULL, &out, NULL) == refused);
    CHECK(crosshook_lint(engine, NULL, NULL) == refused);
    CHECK(crosshook_start(NULL, event, ignore, NULL, NULL, NULL, NULL) == refused);
    CHECK(crosshook_start(engine, null_text, ignore, NULL, NULL, NULL, NULL) == refused);
    CHECK(crosshook_start(engine, event, NULL, NULL, NULL, NULL, NULL) == refused);
    CHECK(crosshook_run_wait(NULL, 0, &finished, NULL) == refused);
    CHECK(other == NULL && out.data == NULL && finished);
}

void test_nulls(void) {
    crosshook_engine *engine = engine_with("exit 0");
    crosshook_buf freed = {NULL, 0};
    null_pointers_are_refused(engine);
    /* Nothing to free, nothing to cancel, nothing to say. */
    crosshook_engine_free(NULL);
    crosshook_error_free(NULL);
    crosshook_run_free(NULL);
    crosshook_run_cancel(NULL);
    crosshook_buf_free(NULL);
    crosshook_buf_free(&freed);
    CHECK(crosshook_error_status(NULL) == CROSSHOOK_STATUS_OK);
    CHECK(is(crosshook_error_code(NULL), ""));
    CHECK(is(crosshook_error_message(NULL), ""));
    CHECK(is(crosshook_error_details(NULL), ""));
    /* A buffer that is freed twice is empty the second time. */
    CHECK(crosshook_list(engine, &freed, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(freed.data != NULL && freed.len >= 2);
    crosshook_buf_free(&freed);
    CHECK(freed.data == NULL && freed.len == 0);
    crosshook_buf_free(&freed);
    crosshook_engine_free(engine);
}

/* The error must be of `status`, with its code, a message that holds `part`, and the details that go with it. */
static void check_error(crosshook_status got, crosshook_error *error, crosshook_status status, const char *code,
                        const char *part) {
    char key[64];
    snprintf(key, sizeof key, "\"code\":\"%s\"", code);
    CHECK(got == status);
    CHECK(error != NULL);
    CHECK(crosshook_error_status(error) == status);
    CHECK(is(crosshook_error_code(error), code));
    CHECK(is(crosshook_status_code(status), code));
    CHECK(holds(crosshook_error_message(error), part));
    CHECK(holds(crosshook_error_details(error), key));
    CHECK(holds(crosshook_error_details(error), "\"pointer\":"));
    crosshook_error_free(error);
}

static void check_bad_event(crosshook_engine *engine, crosshook_str event, crosshook_status status, const char *code,
                            const char *part) {
    crosshook_buf out = {NULL, 0};
    crosshook_error *error = NULL;
    crosshook_status got = crosshook_dispatch(engine, event, &out, &error);
    check_error(got, error, status, code, part);
    error = NULL;
    got = crosshook_explain(engine, event, &out, &error);
    check_error(got, error, status, code, part);
    CHECK(out.data == NULL && out.len == 0);
}

static void check_bad_options(crosshook_str options, crosshook_status status, const char *code, const char *part) {
    crosshook_engine *engine = NULL;
    crosshook_error *error = NULL;
    crosshook_status got = crosshook_engine_new(options, &engine, &error);
    check_error(got, error, status, code, part);
    CHECK(engine == NULL);
}

void test_errors(void) {
    crosshook_engine *engine = engine_with("exit 0");
    const crosshook_str huge = {"{}", SIZE_MAX};
    const crosshook_status event = CROSSHOOK_STATUS_INVALID_EVENT, options = CROSSHOOK_STATUS_INVALID_OPTIONS;
    const crosshook_status utf8 = CROSSHOOK_STATUS_INVALID_UTF8, argument = CROSSHOOK_STATUS_INVALID_ARGUMENT;
    check_bad_event(engine, NOTHING, event, "invalid_event", "event");
    check_bad_event(engine, str("{"), event, "invalid_event", "event");
    check_bad_event(engine, str("[]"), event, "invalid_event", "object");
    check_bad_event(engine, str("{\"a\": 1}"), event, "invalid_event", "hook_event_name");
    check_bad_event(engine, str("{\"hook_event_name\": \"\xff\"}"), utf8, "invalid_utf8", "offset 21");
    check_bad_event(engine, huge, argument, "invalid_argument", "event");
    check_bad_options(str("\xc0\x80"), utf8, "invalid_utf8", "options");
    check_bad_options(huge, argument, "invalid_argument", "options");
    check_bad_options(NOTHING, options, "invalid_options", "");
    check_bad_options(str("{"), options, "invalid_options", "");
    check_bad_options(str("[]"), options, "invalid_options", "");
    check_bad_options(str("{\"dialect\": \"esperanto\"}"), options, "invalid_options", "esperanto");
    CHECK(is(crosshook_status_code(CROSSHOOK_STATUS_OK), "ok"));
    CHECK(is(crosshook_status_code(1), "") && is(crosshook_status_code(INT_MIN), ""));
    crosshook_engine_free(engine);
}

void test_outputs_on_failure(void) {
    crosshook_engine *engine = engine_with("exit 0");
    crosshook_engine *const kept_engine = engine;
    crosshook_engine *other = kept_engine;
    char text[] = "mine";
    crosshook_buf out = {text, 4};
    bool finished = true;
    crosshook_run *run = NULL;
    crosshook_error *const kept_error = (crosshook_error *)text;
    crosshook_error *error = kept_error;
    /* A failure leaves the outputs alone ... */
    CHECK(crosshook_engine_new(str("\xff"), &other, NULL) != CROSSHOOK_STATUS_OK);
    CHECK(other == kept_engine);
    CHECK(crosshook_dispatch(engine, str("{"), &out, NULL) != CROSSHOOK_STATUS_OK);
    CHECK(out.data == text && out.len == 4);
    CHECK(crosshook_run_wait(run, 0, &finished, NULL) != CROSSHOOK_STATUS_OK);
    CHECK(finished);
    /* ... and a success the error. */
    CHECK(crosshook_list(engine, &out, &error) == CROSSHOOK_STATUS_OK);
    CHECK(error == kept_error);
    CHECK(out.data != text);
    crosshook_buf_free(&out);
    crosshook_engine_free(engine);
}

void test_blocking(void) {
    crosshook_engine *engine = engine_with("echo no force push >&2; exit 2");
    char *event = event_with("git push -f");
    crosshook_buf out = {NULL, 0};
    CHECK(crosshook_dispatch(engine, str(event), &out, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(buf_holds(&out, "\"decision\":\"deny\""));
    CHECK(buf_holds(&out, "no force push"));
    CHECK(buf_holds(&out, "\"exit_code\":2"));
    crosshook_buf_free(&out);
    CHECK(crosshook_explain(engine, str(event), &out, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(buf_holds(&out, "\"runs\":true"));
    crosshook_buf_free(&out);
    CHECK(crosshook_list(engine, &out, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(buf_holds(&out, "no force push"));
    crosshook_buf_free(&out);
    CHECK(crosshook_diagnostics(engine, &out, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(buf_holds(&out, "[]"));
    crosshook_buf_free(&out);
    CHECK(crosshook_lint(engine, &out, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(buf_holds(&out, "[]"));
    crosshook_buf_free(&out);
    free(event);
    crosshook_engine_free(engine);
}

/* A host of one dialect with tool names of its own, and a hook of another. */
void test_several_dialects(void) {
    const char *options =
        "{\"dialect\": \"qwen\", \"tools\": {\"execute\": {\"name\": \"run_shell_command\", \"arguments\": {\"cmd\": "
        "\"command\"}}}, \"settings\": [{\"dialect\": \"claude\", \"settings\": {\"hooks\": {\"PreToolUse\": [{\"matcher\": "
        "\"^Bash$\", \"hooks\": [{\"type\": \"command\", \"command\": \"grep -q rm && exit 2; echo '{\\\"hookSpecificOutput\\\": "
        "{\\\"hookEventName\\\": \\\"PreToolUse\\\", \\\"updatedInput\\\": {\\\"command\\\": \\\"pwd\\\"}}}'\"}]}]}}}]}";
    const char *event = "{\"hook_event_name\": \"PreToolUse\", \"session_id\": \"s\", \"cwd\": \"/\", \"tool_name\": \"execute\", "
                        "\"tool_input\": {\"cmd\": \"ls\"}}";
    crosshook_engine *engine = NULL;
    crosshook_buf out = {NULL, 0};
    CHECK(crosshook_engine_new(str(options), &engine, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(crosshook_dispatch(engine, str(event), &out, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(buf_holds(&out, "\"updated_input\":{\"cmd\":\"pwd\"}"));
    CHECK(buf_holds(&out, "\"dialect\":\"claude\""));
    crosshook_buf_free(&out);
    CHECK(crosshook_explain(engine, str(event), &out, NULL) == CROSSHOOK_STATUS_OK);
    CHECK(buf_holds(&out, "`^Bash$` matches `Bash` (run_shell_command in Qwen Code)"));
    crosshook_buf_free(&out);
    crosshook_engine_free(engine);
}

void mistake_use_after_free(void) {
    crosshook_engine *engine = engine_with("exit 0");
    crosshook_buf out = {NULL, 0};
    const char volatile *text;
    if (crosshook_list(engine, &out, NULL) != CROSSHOOK_STATUS_OK) {
        abort();
    }
    text = out.data;
    crosshook_buf_free(&out);
    printf("%d\n", text[0]);
}

void mistake_overflow(void) {
    int volatile most = INT_MAX;
    most = most + 1;
    printf("%d\n", most);
}

void mistake_leak(void) {
    crosshook_error *error = NULL;
    if (crosshook_dispatch(NULL, NOTHING, NULL, &error) == CROSSHOOK_STATUS_OK) {
        abort();
    }
}
