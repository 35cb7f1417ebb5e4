/* CROSSHOOK_SOAK dispatches (default 2,000), and engines made and dropped: no memory, descriptor, thread or child is
   left behind. Half of the dispatches run a hook, half match none. */
#define _DEFAULT_SOURCE
#include "host.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <sys/wait.h>

static int entries(const char *path) {
    DIR *directory = opendir(path);
    int count = 0;
    REQUIRE(directory != NULL);
    while (readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count;
}

/* Resident memory in KiB. */
static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file != NULL && fscanf(file, "%*d %ld", &pages) == 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void dispatches(const crosshook_engine *engine, int times) {
    const char *other = "{\"hook_event_name\": \"PreToolUse\", \"session_id\": \"s\", \"cwd\": \"/\", \"tool_name\": "
                        "\"Read\", \"tool_input\": {\"file_path\": \"/etc/hosts\"}}";
    for (int i = 0; i < times; i += 4) {
        REQUIRE(denies(engine, EVENT));
        REQUIRE(says(engine, other, "\"decision\":\"none\""));
        REQUIRE(denies_there(engine, EVENT));
        REQUIRE(!denies_there(engine, other));
    }
}

static void engines(int times) {
    for (int i = 0; i < times; i++) {
        crosshook_engine *engine = engine_of("exit 2");
        REQUIRE(i % 10 != 0 || denies(engine, EVENT));
        crosshook_engine_free(engine);
    }
}

static int settled(int descriptors, int threads) {
    for (int i = 0; i < 1000; i++) {
        if (entries("/proc/self/fd") <= descriptors && entries("/proc/self/task") <= threads) {
            return 1;
        }
        pause_ms(10);
    }
    return 0;
}

int main(void) {
    const char *wanted = getenv("CROSSHOOK_SOAK");
    int times = wanted == NULL ? 2000 : atoi(wanted);
    crosshook_engine *engine = engine_of("exit 2");
    dispatches(engine, times < 2000 ? times : 2000);
    engines(100);
    malloc_trim(0);
    int descriptors = entries("/proc/self/fd"), threads = entries("/proc/self/task");
    long before = resident();
    double began = now_ms();
    dispatches(engine, times);
    double took = now_ms() - began;
    engines(times / 2 < 1000 ? times / 2 : 1000);
    malloc_trim(0);
    long grown = resident() - before;
    printf("%d dispatches in %.1f s, %ld KiB more resident than before\n", times, took / 1e3, grown);
    REQUIRE(grown < 512 || getenv("CROSSHOOK_NO_RSS") != NULL); /* valgrind keeps much of its own */
    REQUIRE(settled(descriptors, threads));
    REQUIRE(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    crosshook_engine_free(engine);
    return crosshook_shutdown(NULL) == CROSSHOOK_STATUS_OK ? 0 : 1;
}
