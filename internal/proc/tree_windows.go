package proc

import (
	"os"
	"syscall"
	"unsafe"
)

const queryLimitedInformation = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION

// killTree kills the child and its descendants. It finds a descendant through its chain of
// parents, unless one of them has ended by itself.
func killTree(child *os.Process) {
	root := openProcess{pid: uint32(child.Pid)}
	err := child.WithHandle(func(handle uintptr) { root.created = creation(syscall.Handle(handle)) })
	_ = child.Kill()
	if err != nil {
		return
	}
	// A level is dead before its children are listed, so it can start no more. Its handles
	// stay open, so that its numbers are not reused.
	var held []syscall.Handle
	for level := []openProcess{root}; len(level) > 0; {
		level = killChildren(level)
		for _, o := range level {
			held = append(held, o.handle)
		}
	}
	for _, handle := range held {
		_ = syscall.CloseHandle(handle)
	}
}

// openProcess is a process with an open handle, so that its number is not reused.
type openProcess struct {
	pid     uint32
	handle  syscall.Handle
	created int64
}

// killChildren kills the children of parents and returns them.
func killChildren(parents []openProcess) []openProcess {
	created := map[uint32]int64{}
	for _, parent := range parents {
		created[parent.pid] = parent.created
	}
	snapshot, err := syscall.CreateToolhelp32Snapshot(syscall.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = syscall.CloseHandle(snapshot) }()
	var children []openProcess
	entry := syscall.ProcessEntry32{Size: uint32(unsafe.Sizeof(syscall.ProcessEntry32{}))}
	for err = syscall.Process32First(snapshot, &entry); err == nil; err = syscall.Process32Next(snapshot, &entry) {
		since, ok := created[entry.ParentProcessID]
		if !ok || entry.ProcessID == entry.ParentProcessID {
			continue
		}
		if child, ok := killSince(entry.ProcessID, since); ok {
			children = append(children, child)
		}
	}
	return children
}

// killSince kills a process that is not older than since. An older one is the child of a
// previous process with its parent's number.
func killSince(pid uint32, since int64) (openProcess, bool) {
	handle, err := syscall.OpenProcess(syscall.PROCESS_TERMINATE|queryLimitedInformation, false, pid)
	if err != nil {
		return openProcess{}, false
	}
	o := openProcess{pid: pid, handle: handle, created: creation(handle)}
	if o.created < since {
		_ = syscall.CloseHandle(handle)
		return openProcess{}, false
	}
	_ = syscall.TerminateProcess(handle, endedCode)
	return o, true
}

// creation returns the creation time of a process, or 0 if it is unknown.
func creation(handle syscall.Handle) int64 {
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(handle, &created, &exited, &kernel, &user); err != nil {
		return 0
	}
	return created.Nanoseconds()
}
