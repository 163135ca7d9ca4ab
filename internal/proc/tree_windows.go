package proc

import (
	"os"
	"syscall"
	"unsafe"
)

const queryLimitedInformation = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION

// killTree kills the child and its descendants, as far as a chain of parents
// that have not ended by themselves leads to them.
func killTree(child *os.Process) {
	root := opened{pid: uint32(child.Pid)}
	err := child.WithHandle(func(handle uintptr) { root.created = creation(syscall.Handle(handle)) })
	_ = child.Kill()
	if err != nil {
		return
	}
	// A level is dead before its children are listed, so it can make no more,
	// and its handles stay open, so that its numbers stay its own.
	var held []syscall.Handle
	for level := []opened{root}; len(level) > 0; {
		level = killChildren(level)
		for _, o := range level {
			held = append(held, o.handle)
		}
	}
	for _, handle := range held {
		_ = syscall.CloseHandle(handle)
	}
}

// opened is a process whose number cannot change its owner.
type opened struct {
	pid     uint32
	handle  syscall.Handle
	created int64
}

// killChildren kills the children of parents and returns them.
func killChildren(parents []opened) []opened {
	created := map[uint32]int64{}
	for _, parent := range parents {
		created[parent.pid] = parent.created
	}
	snapshot, err := syscall.CreateToolhelp32Snapshot(syscall.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = syscall.CloseHandle(snapshot) }()
	var children []opened
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

// killSince kills a process unless it is older than since: then it is the child
// of an earlier owner of its parent's number.
func killSince(pid uint32, since int64) (opened, bool) {
	handle, err := syscall.OpenProcess(syscall.PROCESS_TERMINATE|queryLimitedInformation, false, pid)
	if err != nil {
		return opened{}, false
	}
	o := opened{pid: pid, handle: handle, created: creation(handle)}
	if o.created < since {
		_ = syscall.CloseHandle(handle)
		return opened{}, false
	}
	_ = syscall.TerminateProcess(handle, endedCode)
	return o, true
}

// creation returns when a process was made, or 0 if that is not to be known.
func creation(handle syscall.Handle) int64 {
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(handle, &created, &exited, &kernel, &user); err != nil {
		return 0
	}
	return created.Nanoseconds()
}
