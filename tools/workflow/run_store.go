package workflow

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

const (
	runPrefix     = "wf-"
	journalSuffix = ".jsonl"
	scriptSuffix  = ".js"
	// maxJournal is the number of bytes of a journal that is read. A thousand results of
	// the largest size of an agent's report are an eighth of it.
	maxJournal = 256 << 20
	// keptRuns is the number of runs that are kept in memory.
	keptRuns = 32
	// maxListed is the number of runs or workflows that an error names.
	maxListed = 20
)

var runID = regexp.MustCompile(`^` + runPrefix + `[a-z2-7]{8}$`)

// A runStore has the journals of the runs of a conversation, in a directory or, without
// one, in memory. Its methods may be called concurrently.
type runStore struct {
	dir   string // absolute, or empty
	files atomicfile.Store

	mu      sync.Mutex
	active  map[string]bool // runs of this process that have not ended
	memory  map[string]*journal
	ordered []string // ids of the runs in memory, oldest first
}

func newRunStore(dir string) *runStore {
	return &runStore{dir: dir, active: map[string]bool{}, memory: map[string]*journal{}}
}

func newRunID() string { return runPrefix + strings.ToLower(rand.Text()[:8]) }

// create makes the journal of a new run. The script is written beside it, for people and
// for the model: its path is returned, or "".
func (s *runStore) create(h journalHeader) (j *journal, scriptPath string, err error) {
	j = &journal{}
	if s.dir == "" {
		j.memory = &bytes.Buffer{}
	} else {
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return nil, "", fmt.Errorf("the directory of the workflows: %w", err)
		}
		if j.file, err = os.OpenFile(s.path(h.Run), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return nil, "", fmt.Errorf("the journal of the run: %w", err)
		}
		if h.Script != "" {
			scriptPath = filepath.Join(s.dir, h.Run+scriptSuffix)
			if _, err := s.files.Create(context.Background(), scriptPath, []byte(h.Script), 0o600); err != nil && !errors.Is(err, atomicfile.ErrNotSynced) {
				_ = j.end("not begun")
				return nil, "", fmt.Errorf("the script of the run: %w", err)
			}
		}
	}
	if err := j.begin(h); err != nil {
		_ = j.end("not begun")
		return nil, "", err
	}
	s.keep(h.Run, j)
	return j, scriptPath, nil
}

func (s *runStore) path(run string) string { return filepath.Join(s.dir, run+journalSuffix) }

func (s *runStore) keep(run string, j *journal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active[run] = true
	if s.dir != "" {
		return
	}
	s.memory[run] = j
	s.ordered = append(s.ordered, run)
	for i := 0; len(s.ordered) > keptRuns && i < len(s.ordered); {
		if old := s.ordered[i]; s.active[old] {
			i++
		} else {
			delete(s.memory, old)
			s.ordered = slices.Delete(s.ordered, i, i+1)
		}
	}
}

// ended says that a run has ended, so that another can go on from it.
func (s *runStore) ended(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.active, run)
}

// load reads the journal of a run that has ended, in this process or in an earlier one. A
// journal that cannot be read is set aside.
func (s *runStore) load(run string) (journalHeader, *replay, error) {
	s.mu.Lock()
	active, inMemory := s.active[run], s.memory[run]
	s.mu.Unlock()
	if active {
		return journalHeader{}, nil, fmt.Errorf("run %s is still running; wait for its end, or end it with TaskStop first", run)
	}
	if inMemory != nil {
		return readJournal(inMemory.content(), run)
	}
	if s.dir == "" || !runID.MatchString(run) {
		return journalHeader{}, nil, s.unknown(run)
	}
	snapshot, err := s.files.Load(context.Background(), s.path(run), maxJournal)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return journalHeader{}, nil, s.unknown(run)
	case isUnreadable(err):
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	case err != nil:
		return journalHeader{}, nil, fmt.Errorf("the journal of run %s: %w", run, err)
	}
	if err == nil {
		var h journalHeader
		var r *replay
		if h, r, err = readJournal(snapshot.Data, run); !errors.Is(err, ErrCorrupt) {
			return h, r, err
		}
	}
	return journalHeader{}, nil, s.setAside(run, err)
}

// isUnreadable reports whether a journal is no file that could be read at another time.
func isUnreadable(err error) bool {
	var size *atomicfile.SizeError
	return errors.As(err, &size) || errors.Is(err, realpath.ErrNotRegular) || errors.Is(err, realpath.ErrMoved)
}

// setAside renames a journal that cannot be read, and returns the error that tells it.
func (s *runStore) setAside(run string, reason error) error {
	moved := s.path(run) + "." + strings.ToLower(rand.Text()[:8]) + ".corrupt"
	if err := os.Rename(s.path(run), moved); err != nil {
		return fmt.Errorf("%w; it could not be set aside: %w", reason, err)
	}
	return fmt.Errorf("%w; it was set aside as %s. Start the workflow again without resumeFromRunId", reason, moved)
}

// unknown returns an error that lists the runs there are.
func (s *runStore) unknown(run string) error {
	all := s.runs()
	if len(all) == 0 {
		return fmt.Errorf("%w %.40q; there is no run yet", ErrUnknownRun, run)
	}
	if len(all) > maxListed {
		all = all[len(all)-maxListed:]
	}
	return fmt.Errorf("%w %.40q; there are %s", ErrUnknownRun, run, strings.Join(all, ", "))
}

// runs returns the ids of the runs that there are.
func (s *runStore) runs() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return slices.Clone(s.ordered)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), journalSuffix); ok && runID.MatchString(id) {
			all = append(all, id)
		}
	}
	return all
}
