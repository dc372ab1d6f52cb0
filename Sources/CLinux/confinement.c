#define _GNU_SOURCE
#include "confinement.h"
#include "call_filter.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

static void *watch(void *socket) {
    struct pollfd peer = {.fd = (int)(intptr_t)socket, .events = 0};
    while (poll(&peer, 1, -1) < 0 && errno == EINTR) {}
    _exit(0);
}

int submit_exit_with_peer(int socket) {
    pthread_t thread;
    int error = pthread_create(&thread, NULL, watch, (void *)(intptr_t)socket);
    return error ? error : pthread_detach(thread);
}

static void limit(int resource, rlim_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now)) return;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
    now.rlim_cur = now.rlim_max = most;
    setrlimit(resource, &now);
}

bool submit_confine(void) {
    // Room for 200 megapixels decoded, twice: addresses, most of which are never touched.
    limit(RLIMIT_AS, (rlim_t)4 << 30);
    limit(RLIMIT_FSIZE, (rlim_t)1 << 30);
    limit(RLIMIT_CORE, 0);
    return submit_filter_calls();
}

void submit_allow_processor_time(unsigned seconds) {
    struct rusage used;
    struct rlimit time;
    if (getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &time)) return;
    time.rlim_cur = used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 + seconds;
    setrlimit(RLIMIT_CPU, &time);
}
