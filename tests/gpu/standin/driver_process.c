/* The device process: started by cuInit, ends with the socket. */
#include "tests/gpu/standin/driver.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;
static int channel = -1;
char *standin_memory;

static bool spawn(int theirs, int memory)
{
    char file[4096];
    Dl_info here;
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (!dladdr((void *)&standin_memory, &here))
        return false;
    const char *slash = strrchr(here.dli_fname, '/');
    snprintf(file, sizeof file, "%.*s/standin-device", slash ? (int)(slash - here.dli_fname) : 1,
             slash ? here.dli_fname : ".");
    int high_socket = fcntl(theirs, F_DUPFD, 64), high_memory = fcntl(memory, F_DUPFD, 64);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, high_socket, STANDIN_SOCKET);
    posix_spawn_file_actions_adddup2(&actions, high_memory, STANDIN_MEMORY);
    posix_spawn_file_actions_addclosefrom_np(&actions, STANDIN_MEMORY + 1);
    int failed = posix_spawn(&child, file, &actions, NULL, (char *const[]){ file, NULL }, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(high_socket);
    close(high_memory);
    return !failed;
}

CUresult standin_start(void)
{
    int ends[2], memory = memfd_create("standin", MFD_CLOEXEC);
    void *nothing = mmap((void *)(uintptr_t)STANDIN_BASE, STANDIN_SPACE, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory < 0 || nothing == MAP_FAILED || ftruncate(memory, (off_t)STANDIN_SPACE) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return CUDA_ERROR_UNKNOWN;
    standin_memory = mmap(NULL, STANDIN_SPACE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
    bool good = standin_memory != MAP_FAILED && spawn(ends[1], memory);
    close(ends[1]);
    close(memory);
    channel = ends[0];
    return good ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static bool receive(void *out, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t n = read(channel, (char *)out + got, size - got);
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

static bool give(const void *data, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        ssize_t n = send(channel, (const char *)data + sent, size - sent, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        sent += (size_t)n;
    }
    return true;
}

CUresult standin_request(struct standin_request *q, const void *payload, struct standin_reply *r)
{
    if (!give(q, sizeof *q) || !give(payload, (size_t)q->payload) || !receive(r, sizeof *r))
        return CUDA_ERROR_LAUNCH_FAILED;
    return r->result;
}
