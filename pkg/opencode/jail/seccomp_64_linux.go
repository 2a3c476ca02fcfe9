//go:build linux && (amd64 || arm64)

package jail

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets into the seccomp_data that a filter program reads (linux/seccomp.h); both supported processors are
// little endian, so the low half of an argument comes first.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	offArg1   = 24
	offArg2   = 32
	offArg3   = 40
)

// x32Bit marks system calls of the x32 interface, which would slip past a filter of the normal numbers.
const x32Bit = 0x40000000

// filterSockets installs a seccomp filter for the socket families and protocols that Landlock does not
// restrict. It holds for the calling thread and everything it becomes or starts.
func filterSockets(udp bool) error {
	program := socketProgram(auditArch(), udp)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("jail: set no_new_privs: %w", err)
	}
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)), 0, 0)
	runtime.KeepAlive(program)
	if err != nil {
		return fmt.Errorf("jail: install the socket filter: %w", err)
	}
	return nil
}

func auditArch() uint32 {
	if runtime.GOARCH == "arm64" {
		return unix.AUDIT_ARCH_AARCH64
	}
	return unix.AUDIT_ARCH_X86_64
}

// The few filter instructions in use.
const (
	opLoad  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	opEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	opTest  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	opAnd   = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	opRet   = unix.BPF_RET | unix.BPF_K

	retAllow  = unix.SECCOMP_RET_ALLOW
	retRefuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	retAbsent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

func stmt(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

// jump skips yes or no instructions.
func jump(code uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k}
}

// on runs the body, which must return on every path, for one system call.
func on(number uint32, body ...unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{stmt(opLoad, offNumber), jump(opEqual, number, 0, uint8(len(body)))}, body...)
}

// refuseFlag refuses a call whose argument has a flag.
func refuseFlag(argument, flag uint32) []unix.SockFilter {
	return []unix.SockFilter{
		stmt(opLoad, argument), jump(opTest, flag, 0, 1), stmt(opRet, retRefuse), stmt(opRet, retAllow),
	}
}

// socketProgram is, in words:
//
//	a foreign processor mode or the x32 interface: refuse
//	io_uring_setup: "not there", so that programs fall back
//	sending with MSG_FASTOPEN, which connects without a connect call: refuse
//	socket(): local and kernel families pass; IPv4 and IPv6 pass as plain TCP, and as UDP if allowed; all
//	          else is refused
//	anything else: allow
func socketProgram(arch uint32, udp bool) []unix.SockFilter {
	udpAnswer := uint32(retRefuse)
	if udp {
		udpAnswer = retAllow
	}
	const typeMask = 0xf // the rest of socket()'s type are flags
	socket := []unix.SockFilter{
		stmt(opLoad, offArg0),
		jump(opEqual, unix.AF_UNIX, 0, 1),
		stmt(opRet, retAllow),
		jump(opEqual, unix.AF_NETLINK, 0, 1), // reading the list of network interfaces
		stmt(opRet, retAllow),
		jump(opEqual, unix.AF_INET, 2, 0),
		jump(opEqual, unix.AF_INET6, 1, 0),
		stmt(opRet, retRefuse),
		// IPv4 or IPv6: by type
		stmt(opLoad, offArg1),
		stmt(opAnd, typeMask),
		jump(opEqual, unix.SOCK_STREAM, 0, 5), // no: to the datagrams
		stmt(opLoad, offArg2),
		jump(opEqual, 0, 1, 0),
		jump(opEqual, unix.IPPROTO_TCP, 0, 1),
		stmt(opRet, retAllow),
		stmt(opRet, retRefuse),
		jump(opEqual, unix.SOCK_DGRAM, 1, 0),
		stmt(opRet, retRefuse),
		stmt(opLoad, offArg2),
		jump(opEqual, 0, 1, 0),
		jump(opEqual, unix.IPPROTO_UDP, 0, 1),
		stmt(opRet, udpAnswer),
		stmt(opRet, retRefuse),
	}
	program := []unix.SockFilter{
		stmt(opLoad, offArch),
		jump(opEqual, arch, 1, 0),
		stmt(opRet, retRefuse),
		stmt(opLoad, offNumber),
		jump(opTest, x32Bit, 0, 1),
		stmt(opRet, retRefuse),
	}
	program = append(program, on(unix.SYS_IO_URING_SETUP, stmt(opRet, retAbsent))...)
	program = append(program, on(unix.SYS_SENDTO, refuseFlag(offArg3, unix.MSG_FASTOPEN)...)...)
	program = append(program, on(unix.SYS_SENDMSG, refuseFlag(offArg2, unix.MSG_FASTOPEN)...)...)
	program = append(program, on(unix.SYS_SENDMMSG, refuseFlag(offArg3, unix.MSG_FASTOPEN)...)...)
	program = append(program, on(unix.SYS_SOCKET, socket...)...)
	return append(program, stmt(opRet, retAllow))
}
