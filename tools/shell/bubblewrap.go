package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/internal/output"
)

// Bubblewrap is a [Sandbox] for Linux by the program bwrap of the project Bubblewrap, which
// Debian has in the package bubblewrap. The zero value works.
//
// A command sees the whole file system except for hidden places, and can write only where
// [SandboxCommand] allows it. /tmp is that of the session. /run, /var/tmp and $TMPDIR are empty,
// since programs that could act for the command listen there. The command sees no processes but
// its own, which end with it, and has none of the rights of root. It has a network only if its
// call has a host among its targets; then it may reach any host, and this machine.
type Bubblewrap struct {
	// Program is the program; empty means bwrap.
	Program string
	// Write are further files and directories that commands may write unless they only
	// read, such as caches of build tools. What a command leaves there is read by programs
	// without a sandbox. ~/ stands for the home directory of the session. Those that do not
	// exist are ignored.
	Write []string
	// Hide are files and directories that a command sees only if its line names them and
	// that was allowed. They are spelled as in Write. Nil means [DefaultHidden]; an empty
	// list hides nothing but what rules deny.
	Hide []string
	// Network gives all commands a network.
	Network bool
}

// DefaultHidden returns the places in the home directory where programs keep credentials.
func DefaultHidden() []string {
	return []string{
		"~/.ssh", "~/.gnupg", "~/.password-store", "~/.local/share/keyrings", "~/.netrc", "~/.git-credentials", "~/.pgpass", "~/.pypirc",
		"~/.aws", "~/.azure", "~/.config/gcloud", "~/.config/gh", "~/.config/hub", "~/.kube", "~/.docker", "~/.terraform.d", "~/.vault-token",
		"~/.mozilla", "~/.config/google-chrome", "~/.config/chromium",
	}
}

// Wrap implements [Sandbox].
func (b Bubblewrap) Wrap(c SandboxCommand) ([]string, error) {
	if runtime.GOOS != "linux" {
		return nil, errors.New("bwrap runs on Linux only")
	}
	args := []string{b.program(), "--die-with-parent", "--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"}
	if !b.hasNetwork(c) {
		args = append(args, "--unshare-net")
	}
	args = append(args, b.mounts(c).args()...)
	return slices.Concat(args, []string{"--setenv", "TMPDIR", tempDir, "--chdir", c.Dir, "--"}, c.Args), nil
}

// mounts returns how the command sees the file system. The order matters where two are
// about the same place.
func (b Bubblewrap) mounts(c SandboxCommand) *mounts {
	m := &mounts{temp: c.Temp}
	m.add(emptied, tempDir)
	m.add(emptied, onlyDirs(append(slices.Clone(socketDirs), realpath.Resolve(os.TempDir()))...)...)
	m.add(seen, onlyDirs(systemDir)...)
	m.add(seen, c.WorkDirs...)
	m.add(seen, c.Kept...)
	if len(c.Writable) > 0 {
		m.add(written, b.existing(c, b.Write)...)
	}
	m.add(written, c.Writable...)
	hide := b.Hide
	if hide == nil {
		hide = DefaultHidden()
	}
	m.add(hidden, slices.DeleteFunc(b.existing(c, hide), func(path string) bool { return slices.Contains(c.Writable, path) })...)
	m.add(shown, c.Readable...)
	if b.hasNetwork(c) {
		m.add(shown, realpath.Resolve(resolverFile))
	}
	m.add(hidden, c.Hidden...)
	return m
}

func (b Bubblewrap) hasNetwork(c SandboxCommand) bool { return b.Network || c.Network }

func (b Bubblewrap) program() string {
	if b.Program == "" {
		return "bwrap"
	}
	return b.Program
}

// existing returns the real names of those paths that exist.
func (b Bubblewrap) existing(c SandboxCommand, paths []string) (all []string) {
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "~/"); ok && c.Home != "" {
			path = filepath.Join(c.Home, rest)
		}
		if path = realpath.Resolve(path); filepath.IsAbs(path) && exists(path) {
			all = append(all, path)
		}
	}
	return all
}

// Check reports whether bwrap works here, by running a program that does nothing in it. A
// host that wants a sandbox should call it before it offers a shell: where bwrap does not
// work, every command fails. Many containers and some systems permit no namespaces.
func (b Bubblewrap) Check(ctx context.Context) error {
	const dir = "/" // the only one that is sure to be seen
	args, err := b.Wrap(SandboxCommand{Args: []string{"true"}, Dir: dir})
	if err != nil {
		return err
	}
	var table proc.Table
	process, err := table.Start(ctx, proc.Command{Args: args, Dir: dir})
	if err != nil {
		return fmt.Errorf("bwrap cannot be started: %w", err)
	}
	exit := process.Exit()
	if exit.Err == nil && exit.Code != 0 {
		return fmt.Errorf("bwrap does not work here: %s", shortLine(exit.Output.Text()))
	}
	return exit.Err
}

// refusals are parts of messages about refusals of the sandbox, in lower case. Some of them may
// also come from a file system or network without a sandbox; a person sees the message and
// decides. Kept files cannot be replaced, so they are busy.
var refusals = []string{"read-only file system", "erofs", "device or resource busy", "ebusy", "no new privileges"}

// networkRefusals are the same for commands without a network.
var networkRefusals = []string{
	"network is unreachable", "enetunreach", "could not resolve host", "temporary failure in name resolution", "eai_again",
	"name or service not known", "no such host", "failed to lookup address",
}

// badSystemCall is the exit code of a shell whose command made a system call that is not
// permitted.
const badSystemCall = 128 + 31

// Refusal implements [Sandbox].
func (b Bubblewrap) Refusal(c SandboxCommand, exit SandboxExit) string {
	first, _, _ := strings.Cut(exit.Output, "\n")
	if reason, ok := strings.CutPrefix(first, "bwrap: "); ok {
		return "it could not be set up: " + shortLine(reason)
	}
	signs := slices.Clone(refusals)
	if !b.hasNetwork(c) {
		signs = append(signs, networkRefusals...)
	}
	if os.Getuid() == 0 { // without the sandbox it would have the rights of root
		signs = append(signs, "operation not permitted", "permission denied")
	}
	for line := range strings.SplitSeq(exit.Output, "\n") {
		low := strings.ToLower(line)
		if slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(low, sign) }) {
			return shortLine(line)
		}
	}
	if exit.Code == badSystemCall {
		return "a system call that it does not permit"
	}
	return ""
}

const maxRefusal = 200 // bytes

// shortLine returns a line of an output, shortened.
func shortLine(line string) string {
	if line = output.Line(line); len(line) > maxRefusal {
		line = strings.ToValidUTF8(line[:maxRefusal], "") + "…"
	}
	return line
}
