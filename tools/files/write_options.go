package files

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// WriteOptions configure [Write], [Edit], [NotebookEdit], [MultiEdit] and [ApplyPatch]. The zero value is valid.
type WriteOptions struct {
	// MaxBytes is the maximum size of a file that is changed, in bytes. 0 means
	// DefaultMaxWritten.
	MaxBytes int64
	// ConfigDirs are directories of the host program, in which these tools never write:
	// no rule, mode or user can allow it. Relative paths are relative to the session's
	// directory, and ~ is its home. Letter case is ignored. A hard link elsewhere to a
	// file in such a directory is not recognized. Files that other programs execute or
	// trust, such as those in .git and .claude, need not be listed: the user is asked
	// about them wherever they are.
	ConfigDirs []string
	// AllowUnread allows changing a file that the session has not read. A rule that
	// denies reading a file still denies changing it.
	AllowUnread bool
	// Line formats a line with its number for the model. Nil means the form of Read.
	Line func(n int, text string) string
	// Diagnose returns the problems of a file that a linter, compiler or language server
	// finds, one text for each. It is called after each change, and before the first one of
	// a session to a file that exists, so that the model is told which problems are new:
	// those whose text was not there before, numbers aside. The result of the change ends
	// with up to MaxDiagnosis bytes of them. An error is told, too, and the change stays.
	// Diagnose must end with ctx, since the file is locked meanwhile. It may be called
	// concurrently for different files.
	Diagnose func(ctx context.Context, path string) ([]string, error)
	// DiagnoseTimeout is how long one call of Diagnose may take. 0 means
	// DefaultDiagnoseTimeout.
	DiagnoseTimeout time.Duration
}

// DefaultMaxWritten is the default of [WriteOptions].MaxBytes: 64 MiB, our choice. The
// old content of the file is held in memory.
const DefaultMaxWritten = 64 << 20

// traits returns the traits of a call that writes the files at these paths.
func (o WriteOptions) traits(paths ...string) pegboard.Traits {
	traits := pegboard.Traits{Concurrency: pegboard.PerTarget, Kind: pegboard.KindEdit}
	for _, path := range paths {
		traits.Targets = append(traits.Targets, pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessWrite, Value: path})
	}
	return traits
}

// permit denies writing in ConfigDirs.
func (o WriteOptions) permit(c *pegboard.Call) pegboard.Decision {
	s := c.Session()
	if s == nil {
		return pegboard.Decision{}
	}
	for _, t := range c.Targets() {
		for _, dir := range o.ConfigDirs {
			abs := realpath.Abs(c.Dir(), s.Home(), dir)
			if contains(abs, t.Value) || contains(realpath.Resolve(abs), t.Real()) {
				return pegboard.Decision{Behavior: pegboard.Deny, Reason: t.Value + " belongs to the configuration of the program that runs this agent, which no tool may write"}
			}
		}
	}
	return pegboard.Decision{}
}

// contains reports whether path is dir or is below it. It ignores letter case and
// recognizes other names of dir.
func contains(dir, path string) bool {
	if realpath.Contains(strings.ToLower(dir), strings.ToLower(path)) {
		return true
	}
	is, err := os.Stat(dir)
	for ; err == nil; path = filepath.Dir(path) {
		if fi, no := os.Stat(path); no == nil && os.SameFile(is, fi) {
			return true
		}
		if path == filepath.Dir(path) {
			break
		}
	}
	return false
}
