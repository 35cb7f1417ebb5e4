/* A C host with SIGPIPE at its default: a hook that exits without reading its input breaks the pipe under the writer.
   The writer must not be the host. */
#define _DEFAULT_SOURCE
#include "host.h"

int main(void) {
    crosshook_engine *engine = engine_of("exit 2");
    crosshook_engine *closing = engine_of("exec 0<&-; sleep 0.02; exit 2");
    char *large = large_event(1024 * 1024);
    int times = rounds(1000);
    REQUIRE(signal(SIGPIPE, SIG_DFL) == SIG_DFL);
    for (int i = 0; i < times; i++) {
        REQUIRE(i % 2 == 0 ? denies(engine, EVENT) : denies_there(engine, EVENT));
        REQUIRE(i % 10 != 0 || (denies(engine, large) && denies_there(engine, large)));
    }
    for (int i = 0; i < rounds(20); i++) {
        REQUIRE(denies(closing, large) && denies_there(closing, large));
    }
    REQUIRE(signal(SIGPIPE, SIG_DFL) == SIG_DFL);
    free(large);
    crosshook_engine_free(closing);
    crosshook_engine_free(engine);
    return 0;
}
