package proc

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const endedCode = 1 // exit code of processes that this package ends

// groupAttributes keeps a Ctrl-C meant for this process from the child, and hides the
// child's console window.
func groupAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func lockThread() (release func()) { return func() {} }

// waitForExit waits for the end of the child and keeps its handle open, so that its
// number is not reused.
func waitForExit(child *os.Process) error {
	var waitErr error
	err := child.WithHandle(func(handle uintptr) {
		_, waitErr = syscall.WaitForSingleObject(syscall.Handle(handle), syscall.INFINITE)
	})
	if err != nil {
		return err
	}
	return os.NewSyscallError("WaitForSingleObject", waitErr)
}

func signalName(*os.ProcessState) string { return "" }

// A group is a child and its descendants in a job object, which no descendant can leave.
// The system kills the processes in it when the last handle of the job is closed, at the
// latest when this process ends.
//
// The child is assigned to the job right after its start, since os/exec does not expose
// the handle of its thread, which would be needed to resume a child that is created
// suspended. Processes that the child starts before are not in the job. They are found
// through their parents, and so are all descendants if there is no job.
type group struct {
	leader *os.Process
	job    windows.Handle // 0 if there is no job
}

func newGroup(leader *os.Process) *group {
	return &group{leader: leader, job: newJob(leader)}
}

// end kills the group, since no signal is understood by every program.
func (g *group) end() { g.kill() }

func (g *group) interrupt(bool) error { return errors.ErrUnsupported }

func (g *group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, endedCode)
	}
	killTree(g.leader)
}

// maxListed is the number of processes of a job that are listed.
const maxListed = 64

// leftovers returns the processes of the job, without the leader and the console of the job.
func (g *group) leftovers() (left []Leftover) {
	if g.job == 0 {
		return nil
	}
	var list struct { // JOBOBJECT_BASIC_PROCESS_ID_LIST
		assigned, listed uint32
		ids              [maxListed]uintptr
	}
	const basicProcessIDList = 3
	// The call fails if there are more processes, and lists the first all the same.
	_ = windows.QueryInformationJobObject(g.job, basicProcessIDList, uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	for _, id := range list.ids[:min(list.listed, maxListed)] {
		name := imageName(uint32(id))
		if int(id) != g.leader.Pid && name != "" && name != "conhost.exe" {
			left = append(left, Leftover{Pid: int(id), Command: name})
		}
	}
	return left
}

// imageName returns the file name of the program of a process, or "" if it has ended.
func imageName(pid uint32) string {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return ""
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	name := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(name))
	if err := windows.QueryFullProcessImageName(handle, 0, &name[0], &size); err != nil {
		return ""
	}
	return filepath.Base(windows.UTF16ToString(name[:size]))
}

// release is called once, after the last kill.
func (g *group) release() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
	}
}

// newJob returns a job that contains leader, or 0.
func newJob(leader *os.Process) windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		handleErr := leader.WithHandle(func(handle uintptr) {
			err = windows.AssignProcessToJobObject(job, windows.Handle(handle))
		})
		err = cmp.Or(err, handleErr)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0
	}
	return job
}
