/* A host with a thread that waits for every child there is, ours too: it takes their exit statuses. */
#define _DEFAULT_SOURCE
#include "host.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

static atomic_int stop, stolen;

static void *steal(void *nothing) {
    while (!atomic_load(&stop)) {
        if (waitpid(-1, NULL, 0) > 0) {
            atomic_fetch_add(&stolen, 1);
        }
    }
    return nothing;
}

int main(void) {
    pthread_t thief;
    int times = rounds(200), kept = 0;
    REQUIRE(pthread_create(&thief, NULL, steal, NULL) == 0);
    crosshook_engine *closed = engine_failing("closed", "exit 2");
    crosshook_engine *open = engine_failing("open", "exit 2");
    for (int i = 0; i < times; i++) {
        crosshook_buf out = outcome_of(open, EVENT);
        crosshook_str text = {out.data, out.len};
        int denied = holds(text, DENIED);
        /* The one that is lost before the theft is known (Linux before 6.15, or gone too fast) is said, and no consent. */
        REQUIRE(denied || (holds(text, "exit_status_lost") && holds(text, "\"decision\":\"none\"")));
        kept += denied + denies_there(open, EVENT);
        crosshook_buf_free(&out);
        REQUIRE(denies(closed, EVENT) && denies_there(closed, EVENT));
    }
    if (kept < 2 * times - 1) {
        fprintf(stderr, "%d of %d statuses lost\n", 2 * times - kept, 2 * times);
        return 1;
    }
    /* A hook that lasts lets the thief wait for it. */
    crosshook_engine *slow = engine_of("sleep 0.1; exit 2");
    for (int i = 0; i < 5; i++) {
        REQUIRE(denies(slow, EVENT) && denies_there(slow, EVENT));
    }
    REQUIRE(atomic_load(&stolen) > 0);
    atomic_store(&stop, 1);
    pthread_join(thief, NULL);
    crosshook_engine_free(slow);
    crosshook_engine_free(open);
    crosshook_engine_free(closed);
    return 0;
}
