package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// DefaultMaxWritten is how large a file may be that is edited or overwritten, in
// bytes: our choice. Its old content is held in memory.
const DefaultMaxWritten = 64 << 20

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

// A Hunk is a stretch of lines that differ, with up to three lines around it. The
// numbers of lines are counted from 1; each line begins with a blank, "-" or "+"
// and has no line end.
type Hunk struct {
	OldStart int      `json:"oldStart"`
	OldLines int      `json:"oldLines"`
	NewStart int      `json:"newStart"`
	NewLines int      `json:"newLines"`
	Lines    []string `json:"lines"`
}

// patch returns the hunks that lead from one text to the other.
func patch(from, to string) []Hunk {
	const contextLines = 3
	hunks := []Hunk{}
	for _, h := range edit.Patch(from, to, contextLines) {
		hunks = append(hunks, Hunk(h))
	}
	return hunks
}

// Unified writes hunks as a unified diff without the two lines that name the
// files.
func Unified(hunks []Hunk) string {
	list := make([]edit.Hunk, len(hunks))
	for i, h := range hunks {
		list[i] = edit.Hunk(h)
	}
	return edit.Unified(list)
}

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
			if holds(abs, t.Value) || holds(realpath.Resolve(abs), t.Real()) {
				return pegboard.Decision{Behavior: pegboard.Deny, Reason: t.Value + " belongs to the configuration of the program that runs this agent, which no tool may write"}
			}
		}
	}
	return pegboard.Decision{}
}

// holds reports whether path is dir or lies below it, whatever the letter case and
// under whatever name of dir.
func holds(dir, path string) bool {
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

// A place is a file that a call may change.
type place struct {
	o      WriteOptions
	c      *pegboard.Call
	target pegboard.Target
	store  *atomicfile.Store
}

// stores lets the agents of a conversation take turns.
var stores = pegboard.NewKey[*atomicfile.Store]("file writes")

// maxTries is how often a call begins anew when somebody else, of another
// conversation or process, changed the file between its reading and its writing.
const maxTries = 10

// placeOf returns the file that c was or will be decided on.
func placeOf(o WriteOptions, c *pegboard.Call) (place, error) {
	t, err := decided(c)
	if err != nil {
		return place{}, err
	}
	return place{o: o, c: c, target: t, store: stores.GetOrInitRoot(c.Session(), func() *atomicfile.Store { return &atomicfile.Store{} })}, nil
}

// A planner works out what a call makes of its file, of which was is nil if there
// is none. It changes nothing, neither files nor what the session knows of them: a
// call is planned before it is allowed, too.
type planner[In, Out any] func(p place, in In, was *atomicfile.Snapshot) (plan[Out], error)

// A plan is what a call makes of its file.
type plan[Out any] struct {
	data []byte // the new content
	part bool   // the call names only a part of it
	// done returns what the tool says once data is written. The caveat is about
	// the writing; it and the diagnosis are ready to append.
	done func(caveat, diagnosis string) Out
}

// plan loads the file and plans what in makes of it.
func (w planner[In, Out]) plan(ctx context.Context, p place, in In) (was *atomicfile.Snapshot, made plan[Out], err error) {
	was, err = p.load(ctx)
	if err == nil {
		made, err = w(p, in, was)
	}
	return was, made, err
}

// change does what is planned with the file that c may write, while no other call
// of the conversation works on it.
func (w planner[In, Out]) change(ctx context.Context, o WriteOptions, in In, c *pegboard.Call) (out Out, err error) {
	p, err := placeOf(o, c)
	if err != nil {
		return out, err
	}
	leave, err := p.store.Lock(ctx, p.target.Real())
	if err != nil {
		return out, err
	}
	defer leave()
	for range maxTries {
		out, err = w.try(ctx, p, in)
		if !errors.Is(err, atomicfile.ErrChanged) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	var shown *shownError
	if errors.As(err, &shown) { // the next try goes by what is shown now
		p.noteAll(shown.was, shown.part)
	}
	return out, err
}

func (w planner[In, Out]) try(ctx context.Context, p place, in In) (out Out, err error) {
	was, made, err := w.plan(ctx, p, in)
	if err != nil {
		return out, err
	}
	caveat, err := p.put(ctx, was, made.data, made.part)
	if err != nil {
		return out, err
	}
	return made.done(caveat, p.diagnosis(ctx)), nil
}

// load returns the file as it is, or nil if there is none.
func (p place) load(ctx context.Context) (*atomicfile.Snapshot, error) {
	was, err := p.store.Load(ctx, p.target.Real(), orDefault(p.o.MaxBytes, DefaultMaxWritten))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no file is an answer
	}
	if err != nil {
		return nil, p.explain(ctx, err)
	}
	return was, nil
}

// put writes data in the place of what was, or makes the file, and remembers that
// the model knows it. If only a part was changed, it knows the rest as well as
// before. The caveat is for the model.
func (p place) put(ctx context.Context, was *atomicfile.Snapshot, data []byte, part bool) (caveat string, err error) {
	if was == nil {
		_, err = p.store.Create(ctx, p.target.Real(), data, 0)
	} else {
		part = part && len(was.Data) > 0 && !p.state().Whole(p.target.Real(), was.Data)
		_, err = was.Replace(ctx, data)
	}
	if errors.Is(err, atomicfile.ErrNotSynced) {
		caveat, err = " The system could not say that it is safe on the disk yet.", nil
	}
	if err != nil {
		return "", p.explain(ctx, err)
	}
	p.state().Wrote(p.target.Real(), data, part)
	return caveat, nil
}

// A shownError is a refusal that shows the model the file as it is now.
type shownError struct {
	adviceError
	was  *atomicfile.Snapshot
	part bool // not all of it is shown
}

// noteAll remembers that the session saw the file as it was loaded, all of it or
// a part.
func (p place) noteAll(was *atomicfile.Snapshot, part bool) {
	size := int64(len(was.Data))
	p.state().Note(p.target.Real(), reads.View{
		Info: was.Info, Size: size, Changed: was.Info.ModTime(), To: size, Sum: sha256.Sum256(was.Data), Part: part,
	})
}

func (p place) state() *reads.State { return reads.Of(p.c.Session()) }

// seen returns what the session knows of the file's content now.
func (p place) seen(data []byte) reads.Standing {
	return p.state().Standing(p.target.Real(), data)
}

// diagnosis is what the host says of the file after a change, ready to append.
func (p place) diagnosis(ctx context.Context) string {
	if p.o.Diagnose == nil {
		return ""
	}
	if text := strings.TrimSpace(p.o.Diagnose(ctx, p.target.Value)); text != "" {
		return "\n" + text
	}
	return ""
}

// line numbers a line as the model sees it.
func (p place) line(n int, text string) string {
	ro := ReadOptions{Line: p.o.Line}
	return string(ro.appendLine(nil, n, []byte(text)))
}

// brief is line for the lines around a change, of which a long one is cut.
func (p place) brief(n int, text string) string {
	ro := ReadOptions{MaxLineLength: DefaultMaxLineLength}
	shown, _, _ := ro.wording([]byte(text), int64(len(text)), false)
	return p.line(n, string(shown))
}

// explain words why the file could not be changed.
func (p place) explain(ctx context.Context, err error) error {
	path := p.target.Value
	var text string
	var tooBig *atomicfile.SizeError
	var broken *atomicfile.BackupError
	if ctx.Err() != nil && !errors.As(err, &broken) {
		return context.Cause(ctx)
	}
	switch {
	case errors.As(err, &broken):
		text = fmt.Sprintf("%s could not be written in place, and its old content could not be put back: it is in %s. Tell the user before anything else is done with these files.", path, broken.Backup)
	case errors.As(err, &tooBig):
		text = fmt.Sprintf("%s has %d bytes, more than the %d that can be edited. Change it with a program made for that.", path, tooBig.Size, tooBig.Limit)
	case errors.Is(err, atomicfile.ErrChanged), errors.Is(err, fs.ErrExist):
		text = path + " was changed by somebody else while it was being written, so nothing was written. Read it again, then repeat the change if it is still right."
	case errors.Is(err, realpath.ErrMoved), errors.Is(err, realpath.ErrDirectory), errors.Is(err, realpath.ErrNotDir):
		return explain(p.c, p.target, err)
	case errors.Is(err, realpath.ErrNotRegular):
		text = fmt.Sprintf("%s is %v. Only regular files can be written.", path, reason(err))
	case errors.Is(err, syscall.ENOTDIR):
		text = path + " cannot be: something on the way to it is a file and not a directory. List the directories above it with Glob, and choose another path."
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		text = "the operating system does not let this program write " + path + ". It is as it was. Tell the user if it is needed."
	case errors.Is(err, syscall.ENOSPC):
		text = "there is no room left on the disk of " + path + ". It is as it was. Tell the user; nothing can be written before there is room."
	default:
		text = fmt.Sprintf("%s could not be written: %v. It is as it was.", path, err)
	}
	return &adviceError{text: text, err: err}
}

// isNotebook reports whether path names a Jupyter notebook.
func isNotebook(path string) bool { return strings.EqualFold(filepath.Ext(path), ".ipynb") }
