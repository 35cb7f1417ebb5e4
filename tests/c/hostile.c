/* Hosts that are not kind: SIGPIPE at its default, signals of their own, fork. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1024 * 1024)

/* Whether the engine denies the event, as its hook says. */
static int denies(const crosshook_engine *engine, const char *event) {
    crosshook_buf out = {NULL, 0};
    int denied = crosshook_dispatch(engine, str(event), &out, NULL) == CROSSHOOK_STATUS_OK &&
                 buf_holds(&out, "\"decision\":\"deny\"");
    crosshook_buf_free(&out);
    return denied;
}

/* A hook that exits without reading its stdin closes the pipe under the writer. That must not kill the host, and the
   hook's answer counts. */
void test_sigpipe(void) {
    crosshook_engine *engine = engine_with("exit 2");
    char *large = malloc(MIB + 1);
    char *event;
    int denied = 0;
    if (large == NULL) {
        abort();
    }
    memset(large, 'x', MIB);
    large[MIB] = 0;
    event = event_with(large);
    CHECK(signal(SIGPIPE, SIG_DFL) == SIG_DFL); /* nobody has changed it so far */
    for (int i = 0; i < 100; i++) {
        denied += denies(engine, event);
    }
    CHECK(denied == 100);
    free(event);
    free(large);
    crosshook_engine_free(engine);
}

static int handled;

static void handler(int number) { handled = number; }

typedef void (*action)(int);

static action action_of(int number) {
    struct sigaction found;
    return sigaction(number, NULL, &found) == 0 ? found.sa_handler : NULL;
}

void test_signals_untouched(void) {
    static const int numbers[] = {SIGCHLD, SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGSEGV, SIGBUS};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    action before[COUNT];
    sigset_t mask_before, mask_after;
    struct sigaction own, old;
    crosshook_engine *engine = engine_with("exit 2");
    char *event = event_with("x");
    memset(&own, 0, sizeof own);
    own.sa_handler = handler;
    sigemptyset(&own.sa_mask);
    CHECK(sigaction(SIGCHLD, &own, &old) == 0);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
    for (int i = 0; i < COUNT; i++) {
        before[i] = action_of(numbers[i]);
    }
    CHECK(denies(engine, event));
    for (int i = 0; i < COUNT; i++) {
        CHECK(action_of(numbers[i]) == before[i]);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    for (int number = 1; number < 32; number++) {
        CHECK(sigismember(&mask_before, number) == sigismember(&mask_after, number));
    }
    CHECK(sigaction(SIGCHLD, &old, NULL) == 0);
    free(event);
    crosshook_engine_free(engine);
}

/* The children of a host that ignores SIGCHLD are reaped by the kernel: exit 2 must block all the same. */
void test_sigchld_ignored(void) {
    crosshook_engine *engine = engine_with("exit 2");
    char *event = event_with("x");
    int denied = 0;
    CHECK(signal(SIGCHLD, SIG_IGN) == SIG_DFL);
    for (int i = 0; i < 20; i++) {
        denied += denies(engine, event);
    }
    CHECK(denied == 20);
    CHECK(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
    free(event);
    crosshook_engine_free(engine);
}

/* The child of a fork has none of the engine's threads; it gets new ones without being asked. */
void test_fork(void) {
    crosshook_engine *engine = engine_with("exit 2");
    char *event = event_with("x");
    int status = -1;
    pid_t child;
    CHECK(denies(engine, event));
    fflush(NULL);
    child = fork();
    if (child == 0) {
        watchdog(20);
        _exit(denies(engine, event) ? 7 : 8);
    }
    CHECK(child > 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(denies(engine, event));
    free(event);
    crosshook_engine_free(engine);
}

void test_shutdown(void) {
    crosshook_engine *engine = engine_with("exit 2");
    char *event = event_with("x");
    CHECK(denies(engine, event));
    CHECK(crosshook_shutdown(NULL) == CROSSHOOK_STATUS_OK);
    CHECK(crosshook_shutdown(NULL) == CROSSHOOK_STATUS_OK);
    CHECK(denies(engine, event)); /* it starts anew */
    CHECK(crosshook_shutdown(NULL) == CROSSHOOK_STATUS_OK);
    free(event);
    crosshook_engine_free(engine);
}
