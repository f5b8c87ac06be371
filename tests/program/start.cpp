// start DESCRIPTOR PROGRAM ARGUMENT...: starts the program as a child of its own parent, and writes
// its number to the descriptor. The system counts what a process held before it became another
// program as memory of that one. A test program may hold more than what it measures; this holds
// nothing.
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

int main(int, char** arguments) {
    const int descriptor = std::atoi(arguments[1]);
    const long number = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (number == 0) {
        close(descriptor);
        execv(arguments[2], arguments + 2);
        _exit(96);
    }
    const auto child = static_cast<pid_t>(number);
    return write(descriptor, &child, sizeof child) == sizeof child ? 0 : 1;
}
