/* The engine through its C interface. Reads lines of fields between tabs, answers each with durations in nanoseconds, or with
 * "! what failed":
 *   dispatch <n> <options file> <event file>      one hook at least has to run, and to end with status "ok"
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crosshook.h"

enum { ENGINES = 8, FIELDS = 4 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The text of a file, which the caller frees; with no data when it cannot be read. */
static crosshook_str load(const char *path) {
    crosshook_str text = {0};
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) return text;
    long bytes = ftell(file);
    char *data = malloc((size_t)bytes + 1);
    rewind(file);
    if (fread(data, 1, (size_t)bytes, file) == (size_t)bytes) text = (crosshook_str){data, (size_t)bytes};
    else free(data);
    fclose(file);
    return text;
}

/* The engine of an options file, made once. */
static crosshook_engine *engine(const char *path) {
    static struct {
        char *path;
        crosshook_engine *engine;
    } made[ENGINES];
    int i = 0;
    for (; i < ENGINES && made[i].path; i++) {
        if (strcmp(made[i].path, path) == 0) return made[i].engine;
    }
    crosshook_str options = load(path);
    if (i == ENGINES || !options.data) return NULL;
    if (crosshook_engine_new(options, &made[i].engine, NULL) == CROSSHOOK_STATUS_OK) made[i].path = strdup(path);
    free((void *)options.data);
    return made[i].engine;
}

static int ran(crosshook_buf outcome) {
    return memmem(outcome.data, outcome.len, "\"status\":\"ok\"", strlen("\"status\":\"ok\"")) != NULL;
}

static void dispatch(int n, crosshook_engine *engine, crosshook_str event) {
    for (int i = 0; i < n; i++) {
        crosshook_buf outcome = {0};
        double begun = now();
        crosshook_status status = crosshook_dispatch(engine, event, &outcome, NULL);
        double spent = now() - begun;
        if (status != CROSSHOOK_STATUS_OK || !ran(outcome)) {
            printf("! status %d: %.*s", (int)status, (int)outcome.len, (const char *)outcome.data);
            i = n;
        } else {
            printf("%.0f ", spent);
        }
        crosshook_buf_free(&outcome);
    }
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *fields[FIELDS] = {0};
        line[strcspn(line, "\n")] = 0;
        int count = 0;
        for (char *rest = line; count < FIELDS && rest; count++) fields[count] = strsep(&rest, "\t");
        crosshook_str event = count == FIELDS ? load(fields[3]) : (crosshook_str){0};
        if (!event.data || strcmp(fields[0], "dispatch") != 0) printf("! no such case: %s", fields[0]);
        else if (!engine(fields[2])) printf("! no engine of %s", fields[2]);
        else dispatch(atoi(fields[1]), engine(fields[2]), event);
        free((void *)event.data);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
