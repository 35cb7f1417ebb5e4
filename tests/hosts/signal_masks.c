/* A host with odd signal masks and dispositions: a hook says what it has inherited, which is nothing of it; and the
   host keeps its own. */
#define _GNU_SOURCE
#include "host.h"

#include <pthread.h>

/* The host's own mask and dispositions, as text. */
static void own_signals(char *text, size_t size) {
    sigset_t mask;
    size_t used = 0;
    REQUIRE(sigprocmask(SIG_SETMASK, NULL, &mask) == 0);
    for (int number = 1; number <= 64; number++) {
        struct sigaction action;
        void (*handler)(int) = SIG_DFL;
        if (sigaction(number, NULL, &action) == 0) {
            handler = action.sa_handler;
        }
        used += (size_t)snprintf(text + used, size - used, "%d:%c%c ", number,
                                 sigismember(&mask, number) == 1 ? 'b' : '-',
                                 handler == SIG_DFL ? 'd' : handler == SIG_IGN ? 'i' : 'h');
    }
}

static pthread_t host_thread;
static volatile sig_atomic_t heard, heard_elsewhere;

static void handler(int number) {
    (void)number;
    heard++;
    heard_elsewhere += !pthread_equal(pthread_self(), host_thread);
}

/* Blocks and ignores what the bits say, and leaves a handler for SIGUSR2. */
static void be_odd(unsigned long long blocked, unsigned long long ignored) {
    sigset_t mask;
    sigemptyset(&mask);
    for (int number = 1; number < 32; number++) {
        if (number == SIGKILL || number == SIGSTOP) {
            continue;
        }
        if (blocked >> (number - 1) & 1) {
            sigaddset(&mask, number);
        }
        signal(number, ignored >> (number - 1) & 1 ? SIG_IGN : SIG_DFL);
    }
    signal(SIGUSR2, handler);
    REQUIRE(sigprocmask(SIG_SETMASK, &mask, NULL) == 0);
}

/* Whether both lines say: no signal is blocked, and none ignored but the two that glibc keeps for itself (32, 33). */
static int clean(const crosshook_engine *engine) {
    const char *wanted[] = {"SigBlk:\\t0000000000000000", "SigIgn:\\t0000000000000000", "SigIgn:\\t0000000180000000"};
    crosshook_buf out = outcome_of(engine, EVENT);
    crosshook_str text = {out.data, out.len};
    int good = holds(text, DENIED) && holds(text, wanted[0]) && (holds(text, wanted[1]) || holds(text, wanted[2]));
    if (!good) {
        fprintf(stderr, "%.*s\n", (int)out.len, out.data);
    }
    crosshook_buf_free(&out);
    return good;
}

int main(void) {
    static const unsigned long long odd[][2] = {
        {0, 0}, {~0ULL, 0}, {0, ~0ULL}, {~0ULL, ~0ULL}, {0x5555555555555555, 0xaaaaaaaaaaaaaaaa}, {1 << 14, 1 << 1},
    };
    crosshook_engine *engine = engine_of("grep -E '^Sig(Blk|Ign):' /proc/self/status >&2; exit 2");
    /* What comes of a run on the engine's thread is only "denied" here, so this hook looks for itself. */
    crosshook_engine *itself = engine_of("grep -q '^SigBlk:.0000000000000000' /proc/self/status && "
                                         "grep -q '^SigIgn:.0000000[01][08]0000000' /proc/self/status && exit 2");
    char before[1024], after[1024];
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        be_odd(odd[i][0], odd[i][1]);
        own_signals(before, sizeof before);
        for (int round = 0; round < 5; round++) {
            REQUIRE(clean(engine));
            REQUIRE(denies_there(itself, EVENT));
        }
        own_signals(after, sizeof after);
        REQUIRE(strcmp(before, after) == 0);
    }
    /* Signals to the process reach the host's thread, never one of the engine's. */
    be_odd(0, 0);
    host_thread = pthread_self();
    for (int i = 0; i < 100; i++) {
        REQUIRE(kill(getpid(), SIGUSR2) == 0);
        REQUIRE(i % 10 != 0 || (denies(engine, EVENT) && denies_there(engine, EVENT)));
    }
    REQUIRE(heard == 100 && heard_elsewhere == 0);
    crosshook_engine_free(engine);
    crosshook_engine_free(itself);
    return 0;
}
