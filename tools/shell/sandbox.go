package shell

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Sandbox limits commands, while they run, to the access that was decided. Its methods may be
// called concurrently.
type Sandbox interface {
	// Wrap returns the program and the arguments that run c.Args inside the sandbox. After
	// an error nothing runs, and the model is told the error.
	Wrap(c SandboxCommand) (args []string, err error)
	// Refusal describes the refusal by the sandbox of a command that has failed, in a few words
	// for a person and the model. It returns "" if the command has failed for another reason.
	Refusal(c SandboxCommand, exit SandboxExit) string
}

// A SandboxExit is the end of a command that has failed.
type SandboxExit struct {
	Code   int    // -1 if a signal ended it
	Output string // the beginning and the end of its output
}

// A SandboxCommand is a command and its limits. All paths are absolute, without links, and exist.
// If two of WorkDirs, Kept, Writable and Hidden say different things about a file, the path that
// lies deeper counts, and of those at the same place the one in the last of these fields.
type SandboxCommand struct {
	Line string
	Args []string // the program that runs the line, and its arguments
	Dir  string   // where it starts
	Home string   // of the session; may be empty
	// Temp is a directory of the session that takes the place of the system's directory
	// for temporary files, so that commands find there what earlier ones left. It is
	// removed when the session is closed.
	Temp string

	Targets  []policy.Target // of the call, resolved
	Decision policy.Decision // that allowed the call; zero if it was decided elsewhere, see [pegboard.Pool.Rebuild]

	// WorkDirs are the working directories of the session.
	WorkDirs []string
	// Kept are files and directories that stay as they are, although they lie in Writable places:
	// those that other programs run or trust, such as the hooks of a repository, and those that
	// deny and ask rules for Edit name.
	Kept []string
	// Writable are the files and directories that the command may write. A command that
	// was decided as read-only has none but its own. Any other has the working directories,
	// the repositories to which they belong as linked work trees, and the files elsewhere
	// that its line names.
	Writable []string
	// Readable are files and directories that the line names and that the command must be
	// able to read, wherever they are.
	Readable []string
	// Hidden are files and directories that the command must not see, from the deny and ask
	// rules for Read.
	Hidden []string

	// Network says that the call has a host among its targets.
	Network bool
}

// openWorkDirs makes the working directories writable, but for what other programs run or
// trust.
func (sc *SandboxCommand) openWorkDirs() {
	kept, repositories := keptIn(trustedIn(sc.WorkDirs))
	sc.Kept = append(sc.Kept, kept...)
	for _, dir := range sc.WorkDirs {
		if shared := sharedRepository(dir); shared != "" && isRealDir(shared) {
			repositories = append(repositories, shared)
			sc.Kept = append(sc.Kept, keptInRepository(shared)...)
		}
	}
	sc.Writable = slices.Concat(sc.Writable, sc.WorkDirs, repositories)
}

// open lets the command access a target as it was decided.
func (sc *SandboxCommand) open(t *policy.Target, readOnly bool) {
	path := t.Real()
	switch {
	case t.Kind == policy.Host && t.Access == policy.Read: // it is only mentioned
	case t.Kind == policy.Host:
		sc.Network = true
	case t.Kind != policy.Path || !filepath.IsAbs(path):
	case t.Shell.Guess: // it was not decided, but a script in the replaced directory should be found
		if temp := realpath.Resolve(os.TempDir()); isBelow(path, temp) && isRegular(path) {
			sc.Readable = append(sc.Readable, path)
		}
	case t.Access == policy.Read:
		if isRegular(path) || isRealDir(path) {
			sc.Readable = append(sc.Readable, path)
		}
	case readOnly:
	default:
		if t.Shell.FromCommand == "" && !exists(path) && !sc.isInside(path) {
			create(path) // as the redirection would
		}
		if exists(path) && !slices.Contains(sc.Writable, path) {
			sc.Writable = append(sc.Writable, path)
		}
	}
}

// close keeps the command from the files that a rule names, unless a target that was decided
// is among them.
func (sc *SandboxCommand) close(rule policy.Rule) {
	places, _ := rule.Places()
	for _, place := range places {
		sc.closePlace(rule, realpath.Resolve(place))
	}
}

func (sc *SandboxCommand) closePlace(rule policy.Rule, place string) {
	switch {
	case !filepath.IsAbs(place), !exists(place), rule.Behavior == policy.Ask && sc.reaches(place):
	case rule.Tool == "Read":
		if !slices.Contains(sc.Hidden, place) {
			sc.Hidden = append(sc.Hidden, place)
		}
	default:
		if !slices.Contains(sc.Kept, place) {
			sc.Kept = append(sc.Kept, place)
		}
		sc.Writable = slices.DeleteFunc(sc.Writable, func(path string) bool { return path == place })
	}
}

// reaches reports whether a target lies at or below a place.
func (sc *SandboxCommand) reaches(place string) bool {
	return slices.ContainsFunc(sc.Targets, func(t policy.Target) bool {
		return t.Kind == policy.Path && !t.Shell.Guess && isBelow(t.Real(), place)
	})
}

func (sc *SandboxCommand) isInside(path string) bool {
	return slices.ContainsFunc(sc.WorkDirs, func(dir string) bool { return isBelow(path, dir) })
}

// create makes an empty file. If that fails, the command fails as well.
func create(path string) {
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666); err == nil { //nolint:gosec // as the shell makes it
		_ = f.Close() // it is empty
	}
}

func isRegular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// A sandboxTemp is the directory for temporary files of the commands that a session runs in
// a sandbox.
type sandboxTemp struct {
	make sync.Once
	dir  string
	err  error
}

// sandboxTemps holds the sandboxTemp of each session. The commands of a fork do not see the
// files of its parent's.
var sandboxTemps = pegboard.NewClonedKey("temporary files in the sandbox", func(*sandboxTemp) *sandboxTemp { return &sandboxTemp{} })

// sandboxTempOf returns the directory of a session, which it makes first.
func sandboxTempOf(s *pegboard.Session) (string, error) {
	t := sandboxTemps.GetOrInit(s, func() *sandboxTemp { return &sandboxTemp{} })
	t.make.Do(func() {
		dir, err := os.MkdirTemp("", "pegboard-sandbox-") // 0700
		if err != nil {
			t.err = fmt.Errorf("a directory for temporary files: %w", err)
			return
		}
		t.dir = realpath.Resolve(dir)
		s.OnClose("temporary files in the sandbox", t.remove)
	})
	return t.dir, t.err
}

// maxRemoveTries is how often the directory is removed while commands that are being ended
// write to it. A command cannot write to it once it is removed.
const maxRemoveTries = 10

func (t *sandboxTemp) remove(context.Context) error {
	err := os.RemoveAll(t.dir)
	for tries := 1; err != nil && tries < maxRemoveTries; tries++ {
		makeRemovable(t.dir)
		err = os.RemoveAll(t.dir)
	}
	return err
}

// makeRemovable lets the user remove the content of directories that a command has closed.
func makeRemovable(dir string) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && err == nil {
			_ = os.Chmod(path, 0o700) //nolint:gosec // it is a directory, about to be removed
		}
		return nil
	})
}
