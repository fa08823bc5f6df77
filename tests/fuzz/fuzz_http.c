/* Any bytes as the reply of a server to 'data fetch': an error with one sentence, or a file that has been checked.
 * SPDX-License-Identifier: MIT
 *
 * A thread answers each connection with the input: as it is, or (odd first byte) behind a head that fits. */
#include "fuzz.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

#include "data/data_fetch.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const uint8_t *reply;
static size_t nreply;
static int server = -1;

static void answer(int client)
{
    char asked[4096], head[128];
    if (recv(client, asked, sizeof asked, 0) <= 0) return;
    pthread_mutex_lock(&turn);
    const uint8_t *bytes = reply;
    size_t size = nreply;
    if (size && bytes[0] % 2) {
        int length = snprintf(head, sizeof head, "HTTP/1.1 %d OK\r\nContent-Length: %zu\r\n\r\n",
                              bytes[0] & 2 ? 206 : 200, size - 1 + (bytes[0] & 4 ? 3 : 0));
        send(client, head, (size_t)length, MSG_NOSIGNAL);
    }
    if (size > 1) send(client, bytes + 1, size - 1, MSG_NOSIGNAL);
    pthread_mutex_unlock(&turn);
}

static void *serve(void *nothing)
{
    for (;;) {
        int client = accept(server, NULL, NULL);
        if (client < 0) continue;
        answer(client);
        shutdown(client, SHUT_RDWR);
        close(client);
    }
    return nothing;
}

static void begin(char *mirror, size_t size)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    pthread_t thread;
    static char folder[] = "/dev/shm/fuzz-http-XXXXXX";
    must(mkdtemp(folder) != NULL && !setenv("XDG_DATA_HOME", folder, 1));
    server = socket(AF_INET, SOCK_STREAM, 0);
    must(server >= 0 && !bind(server, (struct sockaddr *)&at, sizeof at) && !listen(server, 16));
    must(!getsockname(server, (struct sockaddr *)&at, &length));
    snprintf(mirror, size, "http://127.0.0.1:%d", ntohs(at.sin_port));
    must(!pthread_create(&thread, NULL, serve, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char mirror[64];
    if (!*mirror) begin(mirror, sizeof mirror);
    if (size < 1) return 0;
    pthread_mutex_lock(&turn);
    reply = bytes;
    nreply = size;
    pthread_mutex_unlock(&turn);
    char path[512];
    zo_error err;
    fetching how = {.mirror = mirror, .timeout = 2};
    const data_set *set = data_set_find(bytes[0] & 8 ? "a9a" : "heart_scale");
    zo_status status = data_fetch(set, &how, path, sizeof path, &err);
    if (status) must_be_said(status, &err);
    pthread_mutex_lock(&turn); /* the server is done with these bytes */
    nreply = 0;
    pthread_mutex_unlock(&turn);
    return 0;
}
