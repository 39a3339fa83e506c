// Runs a part of a test in a child process, since a fault makes the CUDA context of a process unusable. The
// parent must not have called CUDA before. The output of the child is captured.
#ifndef KERNELS_CHILD_H
#define KERNELS_CHILD_H

#include "../check.h"

#include <sys/wait.h>
#include <unistd.h>

struct Child {
    int status;         // as from waitpid
    std::string output; // standard output and error together
};

template <typename Work>
static inline Child run_child(Work work) {
    int ends[2];
    fflush(stdout);
    fflush(stderr);
    if (pipe(ends) != 0) {
        fail("pipe", 0, 0, -1);
    }
    pid_t pid = fork();
    if (pid < 0) {
        fail("fork", 0, 1, -1);
    }
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        alarm(60);
        work();
        fflush(stdout);
        fflush(stderr);
        _exit(0);
    }
    close(ends[1]);
    Child child;
    char text[4096];
    ssize_t got;
    while ((got = read(ends[0], text, sizeof text)) > 0) {
        child.output.append(text, (size_t)got);
    }
    close(ends[0]);
    waitpid(pid, &child.status, 0);
    return child;
}

// The child must have exited with status 0.
static inline void expect_success(const char *what, const Child &child) {
    if (!WIFEXITED(child.status) || WEXITSTATUS(child.status) != 0) {
        fprintf(stderr, "%s", child.output.c_str());
        fail(what, child.status, std::string("the child ends with 0"), child.output);
    }
}

#endif
