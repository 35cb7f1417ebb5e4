/* A host with gigabytes of resident memory, in small pages: whoever copies its page tables to start a process (fork)
   needs a hundred times as long as in a small host. Asserted as a ratio within one run. */
#define _DEFAULT_SOURCE
#include "host.h"

#include <sys/mman.h>
#include <sys/wait.h>

#define GIB (1024L * 1024 * 1024)

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a dispatch with one hook takes when nobody else is in the way: the tenth part of many that is fastest, in
   milliseconds. A median would measure how busy the machine is. */
static double dispatch_time(const crosshook_engine *engine, int there) {
    enum { TIMES = 101 };
    double times[TIMES];
    for (int i = 0; i < TIMES; i++) {
        double began = now_ms();
        REQUIRE(there ? denies_there(engine, EVENT) : denies(engine, EVENT));
        times[i] = now_ms() - began;
    }
    qsort(times, TIMES, sizeof times[0], by_size);
    return times[TIMES / 10];
}

/* What a fork alone costs here, in milliseconds. */
static double fork_time(void) {
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double began = now_ms();
        pid_t child = fork();
        if (child == 0) {
            _exit(0);
        }
        double took = now_ms() - began;
        REQUIRE(child > 0 && waitpid(child, NULL, 0) == child);
        best = took < best ? took : best;
    }
    return best;
}

/* As many bytes as CROSSHOOK_BALLAST says in GiB (default 4; touching them takes a virtual machine seconds), or half of
   what is free where that is less. */
static long ballast(void) {
    const char *text = getenv("CROSSHOOK_BALLAST");
    long wanted = (text == NULL ? 4 : atol(text)) * GIB;
    long available = 0;
    char line[200];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "MemAvailable: %ld kB", &available) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    long spare = available * 1024 / 2;
    return spare < wanted ? spare / GIB * GIB : wanted;
}

int main(void) {
    crosshook_engine *engine = engine_of("exit 2");
    long size = ballast();
    if (size < GIB) {
        left_out("less than 2 GiB of memory are free");
    }
    dispatch_time(engine, 0);
    double small[2] = {dispatch_time(engine, 0), dispatch_time(engine, 1)};
    char *memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    madvise(memory, (size_t)size, MADV_NOHUGEPAGE);
    long page = sysconf(_SC_PAGESIZE);
    for (long at = 0; at < size; at += page) {
        memory[at] = 1;
    }
    double large[2] = {dispatch_time(engine, 0), dispatch_time(engine, 1)};
    double forked = fork_time();
    printf("%ld GiB: a fork alone %.1f ms; a dispatch %.2f ms, before %.2f; on the engine's thread %.2f ms, before %.2f\n",
           size / GIB, forked, large[0], small[0], large[1], small[1]);
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        REQUIRE(large[i] < 3 * small[i] + 1);
    }
    crosshook_engine_free(engine);
    return 0;
}
