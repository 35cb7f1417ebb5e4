/* A compiled hook: reads its event to the end and answers. */
#include <unistd.h>

static char event[1 << 20];

int main(void) {
    static const char answer[] = "{\"systemMessage\":\"ok\"}\n";
    while (read(0, event, sizeof event) > 0) {
    }
    return write(1, answer, sizeof answer - 1) < 0;
}
