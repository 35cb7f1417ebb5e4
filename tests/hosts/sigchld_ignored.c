/* A host that ignores SIGCHLD: the system throws the exit statuses of its children away. */
#define _DEFAULT_SOURCE
#include "host.h"

static void ignore(void (*handler)(int), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    REQUIRE(sigaction(SIGCHLD, &action, NULL) == 0);
}

static void all_count(int times) {
    crosshook_engine *objecting = engine_of("exit 2");
    crosshook_engine *content = engine_of("exit 0");
    crosshook_engine *failing = engine_of("exit 3");
    for (int i = 0; i < times; i++) {
        REQUIRE(denies(objecting, EVENT));
        REQUIRE(denies_there(objecting, EVENT));
        REQUIRE(i % 10 != 0 || says(content, EVENT, "\"status\":\"ok\",\"exit_code\":0"));
        REQUIRE(i % 10 != 0 || says(failing, EVENT, "\"status\":\"error\",\"exit_code\":3"));
    }
    crosshook_engine_free(objecting);
    crosshook_engine_free(content);
    crosshook_engine_free(failing);
}

int main(void) {
    struct sigaction after;
    ignore(SIG_IGN, 0);
    all_count(rounds(200));
    REQUIRE(sigaction(SIGCHLD, NULL, &after) == 0 && after.sa_handler == SIG_IGN);
    ignore(SIG_DFL, SA_NOCLDWAIT);
    all_count(rounds(50));
    REQUIRE(sigaction(SIGCHLD, NULL, &after) == 0 && (after.sa_flags & SA_NOCLDWAIT) != 0);
    /* Hooks do not inherit it: their own children's statuses reach them. */
    crosshook_engine *engine = engine_of("(exit 7); test $? = 7 && exit 2");
    REQUIRE(denies(engine, EVENT) && denies_there(engine, EVENT));
    crosshook_engine_free(engine);
    return 0;
}
