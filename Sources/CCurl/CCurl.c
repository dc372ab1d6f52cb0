#include "CCurl.h"

#include <pthread.h>
#include <signal.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

CURLcode submit_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode submit_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode submit_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode submit_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode submit_curl_set_error_buffer(CURL *easy, char *buffer) {
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

CURLcode submit_curl_set_context(CURL *easy, void *context) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_READDATA, context);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
#if LIBCURL_VERSION_NUM >= 0x075000
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
#endif
    return result;
}

// No more waits in a socket than a line takes in a moment: what counts as sent is on its way, which is what progress and
// the time left are told by. What the network itself holds is not bounded by it (tcp(7), TCP_NOTSENT_LOWAT).
static int set_up_socket(void *context, curl_socket_t socket, curlsocktype purpose) {
    (void)context;
    (void)purpose;
    int most = 256 << 10;
    setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most, sizeof most);
    return CURL_SOCKOPT_OK;
}

// True while a transfer is broken off on this thread.
static _Thread_local bool breaks_off;

static int close_socket(void *context, curl_socket_t socket) {
    (void)context;
    if (breaks_off) {
        struct linger at_once = {.l_onoff = 1, .l_linger = 0};
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    return close(socket);
}

CURLMcode submit_curl_break_off(CURLM *multi, CURL *easy) {
    breaks_off = true;
    CURLMcode result = curl_multi_remove_handle(multi, easy);
    breaks_off = false;
    return result;
}

CURLcode submit_curl_set_callbacks(CURL *easy, submit_curl_callbacks callbacks, bool repeatable) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_READFUNCTION, callbacks.read);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callbacks.seek);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callbacks.write);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callbacks.header);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, set_up_socket);
#if LIBCURL_VERSION_NUM >= 0x075000
    (void)repeatable;
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callbacks.start);
#else
    if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, repeatable ? 0L : 1L);
#endif
    return result;
}

CURLSH *submit_curl_make_sessions(void) {
    CURLSH *sessions = curl_share_init();
    // Without TLS there are none.
    if (sessions) (void)curl_share_setopt(sessions, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    return sessions;
}

CURL *submit_curl_make_easy(CURLSH *sessions) {
    CURL *easy = curl_easy_init();
    if (easy) (void)curl_easy_setopt(easy, CURLOPT_SHARE, sessions);
    return easy;
}

CURLcode submit_curl_limit_protocols(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

void submit_curl_keep_authorities(CURL *easy, long seconds) {
#if LIBCURL_VERSION_NUM >= 0x075700
    // Backends that keep nothing refuse it.
    (void)curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, seconds);
#else
    (void)easy;
    (void)seconds;
#endif
}

CURLcode submit_curl_leave_names_behind(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)easy;
    return CURLE_OK;
#endif
}

void *submit_curl_context(CURL *easy) {
    char *context = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context);
    return context;
}

long submit_curl_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

curl_off_t submit_curl_get_offset(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

const char *submit_curl_address(CURL *easy) {
    char *address = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &address);
    return address;
}

bool submit_curl_used_proxy(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x080700
    return submit_curl_get_long(easy, CURLINFO_USED_PROXY) != 0;
#else
    (void)easy;
    return false;
#endif
}

CURLMcode submit_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

void submit_curl_multi_set_callbacks(CURLM *multi, submit_curl_multi_callbacks callbacks, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callbacks.socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callbacks.timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

CURL *submit_curl_multi_next_finished(CURLM *multi, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

void submit_curl_block_sigpipe(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}
