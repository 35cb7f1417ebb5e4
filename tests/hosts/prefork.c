/* A host that uses the engine and then forks, as servers do that load everything first: every worker has a working
   engine, on both threads, and so has the parent. Also while runs are under way, and twice over. */
#define _DEFAULT_SOURCE
#include "host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#define WORKERS 8

static crosshook_engine *engine;
static atomic_int stop;

static int works(void) {
    for (int i = 0; i < 5; i++) {
        if (!denies(engine, EVENT) || !denies_there(engine, EVENT)) {
            return 1;
        }
    }
    return crosshook_shutdown(NULL) == CROSSHOOK_STATUS_OK && denies(engine, EVENT) ? 0 : 2;
}

/* A worker that forks one of its own. */
static int works_twice(void) {
    int status = -1;
    if (works() != 0) {
        return 3;
    }
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(works());
    }
    return waitpid(child, &status, 0) == child && status == 0 ? works() : 4;
}

static void fork_workers(int (*worker)(void)) {
    pid_t children[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            alarm(60); /* a hang in a worker is a failure */
            _exit(worker());
        }
        REQUIRE(children[i] > 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        int status = -1;
        REQUIRE(waitpid(children[i], &status, 0) == children[i]);
        REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

static void *keep_busy(void *there) {
    while (!atomic_load(&stop)) {
        REQUIRE(there != NULL ? denies_there(engine, EVENT) : denies(engine, EVENT));
    }
    return NULL;
}

int main(void) {
    pthread_t busy[2];
    engine = engine_of("cat >/dev/null; exit 2");
    fork_workers(works); /* before the first use */
    REQUIRE(denies(engine, EVENT) && denies_there(engine, EVENT));
    fork_workers(works_twice);
    for (int i = 0; i < 2; i++) {
        REQUIRE(pthread_create(&busy[i], NULL, keep_busy, i == 0 ? NULL : &stop) == 0);
    }
    pause_ms(50);
    fork_workers(works);
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; i++) {
        pthread_join(busy[i], NULL);
    }
    REQUIRE(denies(engine, EVENT) && denies_there(engine, EVENT));
    crosshook_engine_free(engine);
    return 0;
}
