/* The floor: what a hook costs in C with nothing around it. posix_spawn, three pipes, poll until all are closed, waitpid.
 *
 * Reads lines of fields between tabs, answers each with durations in nanoseconds, or with "! what failed":
 *   ballast <MB>                                    touches that much memory and keeps it
 *   spawn   <n> <count> <pipe|vmsplice> <event file> <program> [argument]...
 *           n times: count processes at once, each with the event on stdin
 *   tcp     <n> <port> <body file>                  n HTTP POSTs over one connection, answers not parsed
 *   worker  <n> <event file> <program> [argument]...
 *           n round trips to one process that stays: the event and a newline to it, a line from it
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST = 64, FIELDS = 32, PIPE_BYTES = 1 << 20 };

typedef struct {
    pid_t pid;
    int in, out, err;
    size_t written;
} hook;

static char *event;
static size_t event_bytes;
static char event_path[4096];

static void fail(const char *what) {
    printf("! %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void load(const char *path) {
    if (strcmp(path, event_path) == 0) return;
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail(path);
    long bytes = ftell(file);
    rewind(file);
    free(event);
    event = aligned_alloc(4096, ((size_t)bytes / 4096 + 1) * 4096);
    if (!event || fread(event, 1, (size_t)bytes, file) != (size_t)bytes) fail(path);
    event_bytes = (size_t)bytes;
    snprintf(event_path, sizeof event_path, "%s", path);
    fclose(file);
}

static void start(hook *hook, char **argv, int splice) {
    int in[2], out[2], err[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) fail("pipe2");
    if (splice) fcntl(in[1], F_SETPIPE_SZ, PIPE_BYTES);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    errno = posix_spawn(&hook->pid, argv[0], &actions, NULL, argv, environ);
    if (errno) fail(argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    close(err[1]);
    fcntl(in[1], F_SETFL, O_NONBLOCK);
    hook->in = in[1];
    hook->out = out[0];
    hook->err = err[0];
    hook->written = 0;
}

static void feed(hook *hook, int splice) {
    while (hook->in >= 0 && hook->written < event_bytes) {
        struct iovec rest = {event + hook->written, event_bytes - hook->written};
        ssize_t sent = splice ? vmsplice(hook->in, &rest, 1, SPLICE_F_NONBLOCK)
                              : write(hook->in, rest.iov_base, rest.iov_len);
        if (sent > 0) hook->written += (size_t)sent;
        else if (errno == EAGAIN) return;
        else if (errno != EINTR) break;
    }
    if (hook->in >= 0) close(hook->in);
    hook->in = -1;
}

static void drain(int *fd) {
    char bytes[4096];
    ssize_t got = read(*fd, bytes, sizeof bytes);
    if (got > 0 || (got < 0 && errno == EINTR)) return;
    close(*fd);
    *fd = -1;
}

static void run(int count, char **argv, int splice) {
    static hook hooks[MOST];
    static struct pollfd fds[MOST * 3];
    for (int i = 0; i < count; i++) {
        start(&hooks[i], argv, splice);
        feed(&hooks[i], splice);
    }
    for (int open = 1; open;) {
        open = 0;
        for (int i = 0; i < count; i++) {
            fds[i * 3] = (struct pollfd){hooks[i].out, POLLIN, 0};
            fds[i * 3 + 1] = (struct pollfd){hooks[i].err, POLLIN, 0};
            fds[i * 3 + 2] = (struct pollfd){hooks[i].in, POLLOUT, 0};
            open |= hooks[i].out >= 0 || hooks[i].err >= 0;
        }
        if (!open) break;
        if (poll(fds, (nfds_t)count * 3, -1) < 0) continue;
        for (int i = 0; i < count; i++) {
            if (fds[i * 3].revents) drain(&hooks[i].out);
            if (fds[i * 3 + 1].revents) drain(&hooks[i].err);
            if (fds[i * 3 + 2].revents) feed(&hooks[i], splice);
        }
    }
    for (int i = 0; i < count; i++) {
        int status;
        if (hooks[i].in >= 0) close(hooks[i].in);
        while (waitpid(hooks[i].pid, &status, 0) < 0) {
            if (errno != EINTR) fail("waitpid");
        }
        if (status) {
            errno = ECHILD;
            fail("the program failed");
        }
    }
}

static int connected(const char *port) {
    static int fd = -1;
    if (fd >= 0) return fd;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (struct sockaddr *)&to, sizeof to)) fail("connect");
    return fd;
}

static void post(int fd, const char *request, size_t bytes) {
    char answer[4096];
    size_t got = 0;
    for (size_t sent = 0; sent < bytes;) {
        ssize_t part = write(fd, request + sent, bytes - sent);
        if (part < 0) fail("write");
        sent += (size_t)part;
    }
    /* The server's answer is one line of JSON, the only line feed without a carriage return. */
    do {
        ssize_t part = read(fd, answer + got, sizeof answer - got);
        if (part <= 0) fail("read");
        got += (size_t)part;
    } while (answer[got - 1] != '\n' || answer[got - 2] == '\r');
}

static void tcp(int n, const char *port) {
    char *request = malloc(event_bytes + 256);
    int head = sprintf(request,
                       "POST /hook HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: %zu\r\n\r\n",
                       event_bytes);
    memcpy(request + head, event, event_bytes);
    for (int i = 0; i < n; i++) {
        int fd = connected(port);
        double begun = now();
        post(fd, request, (size_t)head + event_bytes);
        printf("%.0f ", now() - begun);
    }
    free(request);
}

/* The worker of this probe; started with the first round trip. */
static void worker(int n, char **argv) {
    static hook kept;
    if (kept.pid == 0) start(&kept, argv, 0);
    struct iovec line[2] = {{event, event_bytes}, {"\n", 1}};
    char answer[4096];
    for (int i = 0; i < n; i++) {
        double begun = now();
        size_t got = 0;
        /* The pipe is empty, so what fits into it is written at once. */
        if (writev(kept.in, line, 2) != (ssize_t)event_bytes + 1) fail("writev");
        do {
            ssize_t part = read(kept.out, answer + got, sizeof answer - got);
            if (part <= 0) fail("the worker");
            got += (size_t)part;
        } while (answer[got - 1] != '\n');
        printf("%.0f ", now() - begun);
    }
}

static void ballast(size_t bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("mmap");
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
    printf("0");
}

static void answer(char **fields, int count) {
    int n = count > 1 ? atoi(fields[1]) : 0;
    if (strcmp(fields[0], "ballast") == 0 && count == 2) {
        ballast((size_t)n << 20);
    } else if (strcmp(fields[0], "tcp") == 0 && count == 4) {
        load(fields[3]);
        tcp(n, fields[2]);
    } else if (strcmp(fields[0], "worker") == 0 && count > 3) {
        load(fields[2]);
        worker(n, fields + 3);
    } else if (strcmp(fields[0], "spawn") == 0 && count > 5 && atoi(fields[2]) <= MOST) {
        load(fields[4]);
        int splice = strcmp(fields[3], "vmsplice") == 0;
        for (int i = 0; i < n; i++) {
            double begun = now();
            run(atoi(fields[2]), fields + 5, splice);
            printf("%.0f ", now() - begun);
        }
    } else {
        printf("! no such case: %s", fields[0]);
    }
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    signal(SIGPIPE, SIG_IGN);
    while (getline(&line, &room, stdin) > 0) {
        char *fields[FIELDS + 1] = {0};
        int count = 0;
        line[strcspn(line, "\n")] = 0;
        for (char *rest = line, *field; count < FIELDS && (field = strsep(&rest, "\t"));) fields[count++] = field;
        fields[count] = NULL;
        answer(fields, count);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
