// libcurl, made callable from Swift.
//
// libcurl's setters and getters are variadic, which Swift cannot call; each function here fixes the type of the last
// argument. What differs between libcurl 7.7x and 8.x is settled here too.
#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

// Results whose names older headers lack.
static const CURLcode submit_curl_ssl_clientcert = (CURLcode)98;  // CURLE_SSL_CLIENTCERT, 7.77
static const CURLcode submit_curl_too_large = (CURLcode)100;      // CURLE_TOO_LARGE, 8.6

// The functions a transfer is driven by. Each is called on the thread that runs the multi handle, with `context`.
typedef struct {
    // Fills `buffer` with the next bytes of the body; 0 at its end, CURL_READFUNC_ABORT to give up.
    size_t (*read)(char *buffer, size_t size, size_t count, void *context);
    // Moves the body back; CURL_SEEKFUNC_OK or CURL_SEEKFUNC_FAIL.
    int (*seek)(void *context, curl_off_t offset, int origin);
    // Takes bytes of the answer's body; anything but size * count ends the transfer.
    size_t (*write)(char *bytes, size_t size, size_t count, void *context);
    // Takes one line of an answer's head; anything but size * count ends the transfer.
    size_t (*header)(char *line, size_t size, size_t count, void *context);
    // Asked when a connection is there, each time before the request goes out on it (CURLOPT_PREREQFUNCTION);
    // anything but 0 ends the transfer.
    int (*start)(void *context, char *remote, char *local, int remote_port, int local_port);
} submit_curl_callbacks;

// curl_easy_setopt for the options that take a long.
CURLcode submit_curl_set_long(CURL *easy, CURLoption option, long value);
// curl_easy_setopt for the options that take a curl_off_t.
CURLcode submit_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
// curl_easy_setopt for the options that take a string, which libcurl copies.
CURLcode submit_curl_set_string(CURL *easy, CURLoption option, const char *value);
// curl_easy_setopt for the options that take a list. The list must live as long as the transfer.
CURLcode submit_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
// CURLOPT_ERRORBUFFER: CURL_ERROR_SIZE bytes that must live as long as the transfer.
CURLcode submit_curl_set_error_buffer(CURL *easy, char *buffer);
// CURLOPT_PRIVATE, and the context of all callbacks. It must live as long as the transfer.
CURLcode submit_curl_set_context(CURL *easy, void *context);
// Installs all callbacks.
//
// `repeatable` tells whether the same request may go out twice. libcurl sends a request again by itself when a reused
// connection dies before any byte of an answer came. From 7.80 on `start` hears of it; before that a request which
// must not be repeated gets a connection of its own, for which libcurl never does so.
CURLcode submit_curl_set_callbacks(CURL *easy, submit_curl_callbacks callbacks, bool repeatable);
// curl_multi_remove_handle for a transfer that nobody wants any more. A connection that is closed with it is reset:
// what the system has taken of a body and not yet sent would arrive otherwise, after all that is done then.
CURLMcode submit_curl_break_off(CURLM *multi, CURL *easy);
// What TLS agreed on with servers, kept for the next connection of any handle that has it; NULL without memory left. All
// of them are of one thread, and gone before it is freed by curl_share_cleanup.
CURLSH *submit_curl_make_sessions(void);
// A new handle that shares them; NULL without memory left. curl_easy_reset leaves it at that.
CURL *submit_curl_make_easy(CURLSH *sessions);
// Nothing but http and https, whatever libcurl was built with.
CURLcode submit_curl_limit_protocols(CURL *easy);
// A transfer that ends while its host's name is still being looked up does not wait for the resolver's thread, which
// would hold up every other transfer of the loop. Before libcurl 7.87 it does.
CURLcode submit_curl_leave_names_behind(CURL *easy);
// CURLOPT_CA_CACHE_TIMEOUT, where libcurl knows it: for how many seconds it keeps what it read of trusted certificates.
void submit_curl_keep_authorities(CURL *easy, long seconds);

// CURLINFO_PRIVATE: what submit_curl_set_context was given.
void *submit_curl_context(CURL *easy);
// curl_easy_getinfo for what is a long; 0 where libcurl does not know.
long submit_curl_get_long(CURL *easy, CURLINFO info);
// curl_easy_getinfo for what is a curl_off_t; 0 where libcurl does not know.
curl_off_t submit_curl_get_offset(CURL *easy, CURLINFO info);
// The address of the server that was spoken to; NULL where there was none. Valid until the next transfer.
const char *submit_curl_address(CURL *easy);
// Whether the transfer went through a proxy. False before libcurl 8.7, which cannot tell.
bool submit_curl_used_proxy(CURL *easy);

// curl_multi_setopt for the options that take a long.
CURLMcode submit_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
// The functions by which a multi handle tells what it waits for. Each is called with `context`.
typedef struct {
    // What happens at this socket is to be told from now on: CURL_POLL_IN, _OUT, _INOUT, or _REMOVE for nothing. -1 ends
    // all transfers.
    int (*socket)(CURL *easy, curl_socket_t socket, int what, void *context, void *of_socket);
    // It wants to be called in so many milliseconds, and not as told before; -1 for not at all.
    int (*timer)(CURLM *multi, long milliseconds, void *context);
} submit_curl_multi_callbacks;
// Installs both.
void submit_curl_multi_set_callbacks(CURLM *multi, submit_curl_multi_callbacks callbacks, void *context);
// The next finished transfer, or NULL; `result` is how it ended.
CURL *submit_curl_multi_next_finished(CURLM *multi, CURLcode *result);

// Keeps SIGPIPE from the calling thread. libcurl told not to touch signals (CURLOPT_NOSIGNAL) leaves the process to
// die of a TLS connection that the other side closed.
void submit_curl_block_sigpipe(void);
