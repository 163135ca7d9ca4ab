package background

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Limits of a task table.
const (
	// DefaultMaxTasks is the number of tasks of a conversation that may run at once,
	// if Options.MaxTasks is 0. OpenAI's Codex allows as many shell sessions.
	DefaultMaxTasks = 64
	// MaxOutput is the number of bytes of an output file that [Tasks.Output] returns.
	MaxOutput = 32_000

	keptEnded      = 8   // ended tasks that always stay in the table
	maxMessages    = 256 // pending messages of one task
	maxNoticeLines = 3
	maxNoticeLine  = 200     // bytes
	maxRecord      = 1 << 20 // bytes
	maxNearNames   = 3
	maxRemoveTries = 100 // attempts to remove a directory in which files are still being created
)

// Options are the host's settings for the tasks of one conversation. The zero value
// works.
type Options struct {
	// Dir is the directory for the output files and records of this conversation, an
	// absolute path. It is created for this user alone if it is missing, and is not
	// removed when the conversation ends: a later run that configures the same
	// directory finds the tasks of the earlier one. Empty means a temporary
	// directory, which is removed after the main session was closed, and no records.
	Dir string
	// MaxTasks is the number of tasks that may run at once; 0 means DefaultMaxTasks.
	// About as many tasks are listed: ended tasks are removed to make room for
	// running ones, except the 8 that ended last.
	MaxTasks int
}

// Configure sets the options of the conversation of s, before its first task. It
// adopts the tasks that an earlier run of the program recorded in Options.Dir: tasks
// that were running are Lost, and the main session gets their notices and those of
// the tasks whose end was not reported. Tasks of a program that is still running are
// not touched.
//
// Configure fails with ErrAlreadyConfigured if the conversation already has other
// options. An error that wraps ErrCorrupt does not keep it from configuring the
// table.
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
	t.announce(t.main)
	t.queueUpdate()
	t.mu.Unlock()
	t.watchers.deliver()
	return err
}

// maxTasks returns MaxTasks or its default.
func (o Options) maxTasks() int {
	if o.MaxTasks > 0 {
		return o.MaxTasks
	}
	return DefaultMaxTasks
}
