package files

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// WriteOptions change [Write], [Edit] and [NotebookEdit]. The zero value works.
type WriteOptions struct {
	// MaxBytes is the largest file that is changed; 0 means DefaultMaxWritten.
	MaxBytes int64
	// ConfigDirs are directories of the harness itself. No rule, mode or person
	// lets these tools write there; a harness that means it to leaves them out.
	// Relative ones stand on the session's directory, ~ is its home; letter case
	// does not count. A second name (hard link) of a file in one is not known as
	// such. Files that other programs run or believe, such as .git and .claude, are asked about
	// wherever they are.
	ConfigDirs []string
	// AllowUnread lets a file be changed that the session has not read. A rule that
	// denies reading a file denies changing it all the same.
	AllowUnread bool
	// Line puts a line and its number together for the model; nil means as Read
	// does.
	Line func(n int, text string) string
	// Diagnose is called after each change with the path that was written. What
	// it returns is shown to the model after the change: what a linter or a
	// compiler says of the file, for example.
	Diagnose func(ctx context.Context, path string) string
}

// DefaultMaxWritten is how large a file may be that is edited or overwritten, in
// bytes: our choice. Its old content is held in memory.
const DefaultMaxWritten = 64 << 20

// traits says that a call writes the file at path.
func (o WriteOptions) traits(path string) pegboard.Traits {
	return pegboard.Traits{
		Targets:     []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessWrite, Value: path}},
		Concurrency: pegboard.PerTarget,
	}
}

// permit refuses the harness's own directories.
func (o WriteOptions) permit(c *pegboard.Call) pegboard.Decision {
	s := c.Session()
	if s == nil {
		return pegboard.Decision{}
	}
	for _, t := range c.Targets() {
		for _, dir := range o.ConfigDirs {
			abs := realpath.Abs(s.Dir(), s.Home(), dir)
			if contains(abs, t.Value) || contains(realpath.Resolve(abs), t.Real()) {
				return pegboard.Decision{Behavior: pegboard.Deny, Reason: t.Value + " belongs to the configuration of the program that runs this agent, which no tool may write"}
			}
		}
	}
	return pegboard.Decision{}
}

// contains reports whether path is dir or lies below it, whatever the letter case and
// under whatever name of dir.
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
