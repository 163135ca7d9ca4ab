package proc

import (
	"cmp"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

const endedCode = 1 // exit code of processes ended here

// ownGroup keeps a Ctrl-C meant for this process from the child, and its
// console window from the screen.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func holdThread() (release func()) { return func() {} }

// awaitExit waits for the end of the child and keeps its handle open, so that
// its number is not given to another process.
func awaitExit(child *os.Process) error {
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

// A group is a child and its descendants: a job that this process holds, and
// that no descendant can leave. The system kills what is in it when the last
// handle of it is closed, which is at the latest when this process ends.
//
// The child is put into the job right after its start, since os/exec keeps the
// handle of its thread to itself, without which a child that is made suspended
// could not be resumed. What the child made before is not in the job. It is
// found by its parents, as everything is where there can be no job.
type group struct {
	leader *os.Process
	job    windows.Handle // 0 if there is none
}

func newGroup(leader *os.Process) *group {
	return &group{leader: leader, job: newJob(leader)}
}

// end kills: there is no signal that every program understands.
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

// newJob returns a job that leader is in, or 0.
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
