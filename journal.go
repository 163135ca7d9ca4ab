package pegboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/filelock"
)

// ErrJournal says that a [Journal] could not be read or written. The call that needed it has not run,
// and its outcome wraps [ErrSuspended], too.
var ErrJournal = errors.New("journal not available")

// A Journal keeps the steps of the calls of a session that suspends, so that a later process
// neither repeats nor forgets one. [FileJournal] is one. A database needs one table with a
// unique index over Session, Turn, Place, State and Attempt.
//
// Its methods may be called concurrently, by any number of processes.
type Journal interface {
	// Append adds an entry. When it returns nil, the entry outlives a loss of power. If there
	// is an entry with the same Session, Turn, Place, State and Attempt, it adds nothing and
	// returns an error that wraps [ErrDuplicate]: of two processes, one goes on.
	Append(ctx context.Context, e JournalEntry) error
	// Entries returns the entries of a turn of a session, in the order in which they were
	// added. It returns none for a turn that it does not know.
	Entries(ctx context.Context, session, turn string) ([]JournalEntry, error)
}

// A JournalEntry is one step of a call. The library makes and signs it; a Journal keeps it
// unchanged. An entry that was changed makes [Executor.Resume] fail with [ErrAltered].
type JournalEntry struct {
	Session string          `json:"session"` // see SessionConfig.ID
	Turn    string          `json:"turn"`    // see WithTurn
	Place   int             `json:"place"`   // of the call in its message, from 0 on
	CallID  string          `json:"call,omitempty"`
	Tool    string          `json:"tool"` // the name that the model wrote
	State   JournalState    `json:"state"`
	Attempt int             `json:"attempt,omitempty"` // more than before if a step is repeated after a crash
	Time    time.Time       `json:"time"`
	Data    json.RawMessage `json:"data"` // for the library; of a finished call it holds the result
	// Signature is of all other fields.
	Signature string `json:"signature"`
}

// A JournalState is how far a call has come.
type JournalState string

// The states of a call, in their order. A call that is not allowed has no JournalStarted. One
// that was suspended has JournalProposed only.
const (
	JournalProposed JournalState = "proposed" // the call was admitted
	JournalDecided  JournalState = "decided"  // it was allowed or denied
	JournalStarted  JournalState = "started"  // its tool is called next
	JournalFinished JournalState = "finished" // it has its outcome
)

// signed returns the content that the signature of an entry covers.
func (e *JournalEntry) signed() []any {
	return []any{e.Session, e.Turn, e.Place, e.CallID, e.Tool, string(e.State), e.Attempt, e.Time.UTC().Format(time.RFC3339Nano), digestOf(e.Data)}
}

// sameStep reports whether two entries are of the same step of a call.
func (e *JournalEntry) sameStep(o *JournalEntry) bool {
	return e.Session == o.Session && e.Turn == o.Turn && e.Place == o.Place && e.State == o.State && e.Attempt == o.Attempt
}

const (
	journalSuffix = ".journal.jsonl"
	// journalLockWait is how long an append waits for the lock of the file, which a holder
	// needs for a few system calls.
	journalLockWait = 10 * time.Second
)

// A FileJournal is a [Journal] in a directory: a file for each turn, in which each line is an
// entry. Any number of processes of one machine may share the directory; the lock of a file
// guards appending to it. Each entry is synced to the disk. What a process that was killed has
// written of its last entry is ignored, and removed by the next one.
//
// Where files cannot be locked, such as on some network file systems, one process at a time
// may use it.
type FileJournal struct{ dir string }

// NewFileJournal returns a journal in dir, and makes the directory if it does not exist. Its
// files have the mode 0600: they hold results of calls.
func NewFileJournal(dir string) (*FileJournal, error) {
	abs, err := filepath.Abs(dir) // the process may change its working directory later
	if err == nil {
		err = os.MkdirAll(abs, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return &FileJournal{dir: abs}, nil
}

// Append implements [Journal].
func (j *FileJournal) Append(ctx context.Context, e JournalEntry) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false) // it would change the bytes of Data
	if err := encoder.Encode(e); err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	err := j.append(ctx, e, line.Bytes())
	if err != nil && !errors.Is(err, ErrDuplicate) {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return err
}

func (j *FileJournal) append(ctx context.Context, e JournalEntry, line []byte) (err error) {
	f, err := os.OpenFile(j.path(e.Session, e.Turn), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }() // which releases the lock
	if err := filelock.Lock(ctx, f, journalLockWait); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	entries, whole, err := parseJournal(text)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(entries, func(o JournalEntry) bool { return o.sameStep(&e) }) {
		return fmt.Errorf("%w: the journal has the state %s of call %d", ErrDuplicate, e.State, e.Place)
	}
	if whole < len(text) {
		if err := f.Truncate(int64(whole)); err != nil {
			return err
		}
	}
	if _, err := f.WriteAt(line, int64(whole)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if len(entries) == 0 {
		return j.syncDir()
	}
	return nil
}

// Entries implements [Journal].
func (j *FileJournal) Entries(_ context.Context, session, turn string) ([]JournalEntry, error) {
	text, err := os.ReadFile(j.path(session, turn))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var entries []JournalEntry
	if err == nil {
		entries, _, err = parseJournal(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return entries, nil
}

// Sweep removes the turns without an entry since before. A turn must stay as long as a
// [Suspension] of it may be resumed, see [Suspending].Expiry: without its journal, a copy of an
// old value runs its calls again.
func (j *FileJournal) Sweep(before time.Time) error {
	files, err := os.ReadDir(j.dir)
	errs := []error{err}
	for _, file := range files {
		info, err := file.Info()
		if err != nil || !strings.HasSuffix(file.Name(), journalSuffix) || !info.ModTime().Before(before) {
			continue
		}
		if err := os.Remove(filepath.Join(j.dir, file.Name())); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return nil
}

// path returns the file of a turn. Names may hold any character, so the file is called after
// their digest.
func (j *FileJournal) path(session, turn string) string {
	text, _ := json.Marshal([]string{session, turn}) // strings have no error
	return filepath.Join(j.dir, digestOf(text)[:32]+journalSuffix)
}

// syncDir syncs the directory, so that a new file outlives a loss of power. Windows has no
// such call, and does not need it.
func (j *FileJournal) syncDir() error {
	dir, err := os.Open(j.dir)
	if err != nil {
		return err
	}
	if err := dir.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return errors.Join(err, dir.Close())
	}
	return dir.Close()
}

// parseJournal returns the entries in text, and how many bytes of it are whole lines. What
// stands behind the last line break was never acknowledged.
func parseJournal(text []byte) (entries []JournalEntry, whole int, err error) {
	whole = bytes.LastIndexByte(text, '\n') + 1
	for n, line := range bytes.Split(bytes.TrimSuffix(text[:whole], []byte("\n")), []byte("\n")) {
		if whole == 0 {
			break
		}
		var e JournalEntry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, 0, fmt.Errorf("line %d is no entry: %w", n+1, err)
		}
		entries = append(entries, e)
	}
	return entries, whole, nil
}
