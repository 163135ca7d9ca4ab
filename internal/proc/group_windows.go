package proc

import (
	"cmp"
	"os"
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

func (g *group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, endedCode)
	}
	killTree(g.leader)
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
