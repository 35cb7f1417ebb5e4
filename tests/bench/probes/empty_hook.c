/* The cheapest hook there can be: reads its event to the end and answers, without a C library. What is measured with it
 * is what the runner itself costs. */
#if defined(__x86_64__)
#define READ 0
#define WRITE 1
#define EXIT 60
static long call(long number, long a, const void *b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
#define READ 63
#define WRITE 64
#define EXIT 93
static long call(long number, long a, const void *b, long c) {
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x2 __asm__("x2") = c;
    register const void *x1 __asm__("x1") = b;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
#else
#error "the empty hook has no system calls for this processor"
#endif

static char event[4096];

void _start(void) {
    static const char answer[] = "{\"systemMessage\":\"ok\"}\n";
    while (call(READ, 0, event, sizeof event) > 0) {
    }
    call(WRITE, 1, answer, sizeof answer - 1);
    call(EXIT, 0, 0, 0);
    __builtin_unreachable();
}
