/* A system without pidfd_open, as Linux before 5.3, some sandboxes and valgrind are: a filter of system calls makes it
   say "not implemented". Hooks run as before, also where the host discards or takes exit statuses. */
#define _DEFAULT_SOURCE
#include "host.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static atomic_int stop;

static void take_pidfd_open_away(void) {
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof lines / sizeof lines[0], lines};
    if (syscall(SYS_pidfd_open, getpid(), 0) < 0 && errno == ENOSYS) {
        return; /* it is missing already */
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        left_out("no filter of system calls is permitted here");
    }
    REQUIRE(syscall(SYS_pidfd_open, getpid(), 0) < 0 && errno == ENOSYS);
}

static void *steal(void *nothing) {
    while (!atomic_load(&stop)) {
        waitpid(-1, NULL, 0);
    }
    return nothing;
}

static void all_count(int times) {
    crosshook_engine *objecting = engine_of("cat >/dev/null; exit 2");
    crosshook_engine *failing = engine_of("exit 3");
    for (int i = 0; i < times; i++) {
        REQUIRE(denies(objecting, EVENT) && denies_there(objecting, EVENT));
        REQUIRE(i % 10 != 0 || says(failing, EVENT, "\"status\":\"error\",\"exit_code\":3"));
    }
    crosshook_engine_free(objecting);
    crosshook_engine_free(failing);
}

/* A time limit ends the whole group here too. */
static void limits_count(void) {
    crosshook_engine *engine = NULL;
    const char *options = "{\"dialect\": \"codebuddy\", \"fail_mode\": \"closed\", \"settings\": {\"hooks\": {\"PreToolUse\": "
                          "[{\"hooks\": [{\"type\": \"command\", \"timeout\": 0.2, \"command\": \"sleep 60 & sleep 60\"}]}]}}}";
    double began = now_ms();
    REQUIRE(crosshook_engine_new(text_of(options), &engine, NULL) == CROSSHOOK_STATUS_OK);
    REQUIRE(says(engine, EVENT, "\"status\":\"timeout\"") && denies_there(engine, EVENT));
    REQUIRE(now_ms() - began < 20000);
    crosshook_engine_free(engine);
}

int main(void) {
    pthread_t thief;
    take_pidfd_open_away();
    all_count(rounds(200));
    limits_count();
    REQUIRE(signal(SIGCHLD, SIG_IGN) == SIG_DFL);
    all_count(rounds(50));
    REQUIRE(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
    /* One status may be lost before the theft is known; it denies where failures deny, and from then on all arrive. */
    crosshook_engine *closed = engine_failing("closed", "sleep 0.05; exit 2");
    REQUIRE(pthread_create(&thief, NULL, steal, NULL) == 0);
    for (int i = 0; i < 5; i++) {
        REQUIRE(denies(closed, EVENT) && denies_there(closed, EVENT));
    }
    all_count(rounds(50));
    atomic_store(&stop, 1);
    pthread_join(thief, NULL);
    crosshook_engine_free(closed);
    REQUIRE(crosshook_shutdown(NULL) == CROSSHOOK_STATUS_OK);
    return 0;
}
