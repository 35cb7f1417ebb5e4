/* A host that sends its whole process group signals without end, and handles them, while hooks are started. Between its
   birth and its program a hook's process shares the host's memory: the host's handler must not run there. */
#define _GNU_SOURCE
#include "host.h"

#include <pthread.h>
#include <sys/syscall.h>

static pid_t host;
static volatile sig_atomic_t heard, heard_elsewhere, over;

static void handler(int number) {
    (void)number;
    if ((pid_t)syscall(SYS_getpid) == host) {
        heard = 1;
    } else {
        heard_elsewhere = 1;
    }
}

static void *storm(void *nothing) {
    while (!over) {
        REQUIRE(kill(0, SIGUSR2) == 0);
    }
    return nothing;
}

int main(void) {
    pthread_t thread;
    host = getpid();
    /* The signals are for this program only. */
    REQUIRE(setpgid(0, 0) == 0);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    REQUIRE(sigaction(SIGUSR2, &action, NULL) == 0);
    /* One that is hit before it has left the host's group dies of it, and with this fail mode denies all the same. */
    crosshook_engine *engine = engine_failing("closed", "exit 2");
    REQUIRE(pthread_create(&thread, NULL, storm, NULL) == 0);
    for (int i = rounds(200); i > 0; i--) {
        REQUIRE(denies(engine, EVENT));
        REQUIRE(denies_there(engine, EVENT));
    }
    over = 1;
    REQUIRE(pthread_join(thread, NULL) == 0);
    REQUIRE(heard && !heard_elsewhere);
    crosshook_engine_free(engine);
    return 0;
}
