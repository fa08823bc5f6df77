/* A port on this machine that a page is served on. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "view/door.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int door_open(uint64_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
        !bind(fd, (struct sockaddr *)&at, sizeof at) && !listen(fd, 16))
        return fd;
    int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return -1;
}

int door_port(int fd)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    return getsockname(fd, (struct sockaddr *)&at, &size) ? 0 : ntohs(at.sin_port);
}
