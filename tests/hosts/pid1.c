/* A host that is process 1 of its PID namespace: first one that never waits for strangers, then one that reaps all
   that ends, in a SIGCHLD handler, as an init does. Its session lies outside the namespace, so getsid() is 0. */
#define _GNU_SOURCE
#include "host.h"

#include <errno.h>
#include <sched.h>
#include <sys/wait.h>

static volatile sig_atomic_t reaped;

static void reap_all(int number) {
    int saved = errno;
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0) {
        reaped++;
    }
    errno = saved;
}

/* An orphan that a hook leaves behind becomes a child of ours, and its status is for us alone. */
static void adopts(void) {
    crosshook_engine *engine = engine_of("(setsid sh -c 'sleep 0.2; exit 9' &) & wait $!; exit 2");
    int status = 0;
    REQUIRE(denies(engine, EVENT));
    REQUIRE(waitpid(-1, &status, 0) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 9);
    REQUIRE(denies_there(engine, EVENT));
    REQUIRE(waitpid(-1, &status, 0) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 9);
    REQUIRE(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
    crosshook_engine_free(engine);
}

static int process_1(void) {
    crosshook_engine *engine = engine_of("exit 2");
    int times = rounds(200);
    REQUIRE(getpid() == 1 && getsid(0) == 0);
    for (int i = 0; i < times; i++) {
        REQUIRE(denies(engine, EVENT) && denies_there(engine, EVENT));
    }
    adopts();
    signal(SIGCHLD, reap_all);
    int kept = 0;
    for (int i = 0; i < times; i++) {
        kept += denies(engine, EVENT) + denies_there(engine, EVENT);
    }
    /* Of the first theft the kernel is asked, which old ones, and a hook that was too fast, leave without an answer. */
    if (kept < 2 * times - 1) {
        fprintf(stderr, "%d of %d statuses lost\n", 2 * times - kept, 2 * times);
        return 1;
    }
    REQUIRE(reaped > 0);
    crosshook_engine_free(engine);
    return crosshook_shutdown(NULL) == CROSSHOOK_STATUS_OK ? 0 : 1;
}

int main(void) {
    int status = 0;
    pid_t child;
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
        left_out("no new PID namespace is permitted here");
    }
    child = fork();
    if (child == 0) {
        alarm(0);
        _exit(process_1());
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
}
