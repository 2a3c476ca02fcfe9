// Package jail starts a program that the Linux kernel confines: it can write only where its policy says,
// read only system folders and what its policy says, and open TCP connections only to given ports.
//
// # How
//
// Confine rewrites a command so that the present executable is started again (/proc/self/exe) under a name
// by which this package knows itself. In that new process, before main runs, the package restricts
// itself by Landlock and seccomp and then becomes the real program. So any program that imports the package can be
// the launcher, and there is no moment at which the real program runs unconfined.
//
// # Fail closed
//
// Everything the policy asks for is enforced, or nothing runs: a kernel without Landlock's network rules
// (before Linux 6.7), a path that cannot be opened, a seccomp filter that is refused are all errors that
// Started returns.
//
// # What is enforced
//
//   - files: Landlock, at the newest version that the kernel has
//   - TCP: connections to the policy's ports only; Landlock knows ports, not addresses, so a jailed program
//     can reach that port on any machine. It cannot listen.
//   - other sockets: seccomp refuses Multipath TCP and raw sockets (which Landlock does not see), io_uring (which
//     makes sockets past seccomp), and UDP unless the policy allows it for name lookups
//   - processes outside: not traceable, their environment not readable (root loses its capabilities); from
//     Linux 6.12 on not signallable either
//
// Not enforced: processor and memory use, and whatever UDP carries once it is allowed.
package jail
