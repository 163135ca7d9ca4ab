package background

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// The limits.
const (
	// DefaultMaxTasks is how many tasks of a conversation run at once, as
	// documented for the shell sessions of a known harness.
	DefaultMaxTasks = 64
	// MaxOutput is how many bytes of an output file [Tasks.Output] returns.
	MaxOutput = 32_000

	keptEnded      = 8   // of the tasks that ended, the latest are always kept
	maxMessages    = 256 // of one task that nobody has fetched
	maxNoticeLines = 3
	maxNoticeLine  = 200 // bytes
	maxRecord      = 1 << 20
	maxNearNames   = 3
	maxRemoveTries = 100 // attempts to remove a directory in which files are still being made
)

// Options are a host's choices for one conversation. The zero value works.
type Options struct {
	// Dir is the conversation's own directory for output files and records, an
	// absolute path. It is made if it is missing, for this user alone, and stays
	// when the conversation ends: who opens it again for the same conversation
	// finds what became of its tasks. Empty means a temporary directory, which is
	// removed when the main session is closed, and no records.
	Dir string
	// MaxTasks is how many tasks may run at once; 0 means DefaultMaxTasks. About
	// as many are listed: those that ended make room for those that run, but for
	// the 8 that ended last.
	MaxTasks int
}

// Configure sets the options of the conversation that s is part of, before its
// first task. It takes over what an earlier run of the program left in
// Options.Dir: tasks that ran then are Lost now, or ended untold, and the main
// session gets their notices. Tasks of a program that still runs are left alone.
//
// It fails with ErrAlreadyConfigured if other options hold already. With ErrCorrupt it
// has done its work all the same.
func Configure(s *pegboard.Session, o Options) error {
	if o.MaxTasks < 0 {
		return fmt.Errorf("at most %d background tasks cannot be meant; 0 means %d", o.MaxTasks, DefaultMaxTasks)
	}
	t := Of(s)
	if o.Dir != "" {
		if !filepath.IsAbs(o.Dir) {
			return fmt.Errorf("the directory %s of the background tasks is not absolute", o.Dir)
		}
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return fmt.Errorf("the directory of the background tasks: %w", err)
		}
		o.Dir = realpath.Resolve(o.Dir)
		s.AllowReads(o.Dir)
	}
	t.mu.Lock()
	if t.optionsFixed || t.closed {
		same := t.opts == o
		t.mu.Unlock()
		if same {
			return nil
		}
		return ErrAlreadyConfigured
	}
	t.optionsFixed, t.opts = true, o
	if o.Dir == "" {
		t.mu.Unlock()
		return nil
	}
	err := t.adoptRecords()
	t.queueUpdate()
	t.mu.Unlock()
	t.watchers.deliver()
	return err
}

// maxTasks is the limit in force.
func (o Options) maxTasks() int {
	if o.MaxTasks > 0 {
		return o.MaxTasks
	}
	return DefaultMaxTasks
}
