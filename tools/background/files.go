package background

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// files is where a table keeps its files.
type files struct {
	temp  string // the temporary directory, once it was made
	store atomicfile.Store
	host  host // this process
}

// maxTasks is the limit in force.
func (o Options) maxTasks() int {
	if o.MaxTasks > 0 {
		return o.MaxTasks
	}
	return DefaultMaxTasks
}

// Configure sets the options of the conversation that s is part of, before its
// first task. It takes over what an earlier run of the program left in
// Options.Dir: tasks that ran then are Lost now, or ended untold, and the main
// session gets their notices. Tasks of a program that still runs are left alone.
//
// It fails with ErrConfigured if other options hold already. With ErrCorrupt it
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
	if t.used || t.closed {
		same := t.opts == o
		t.mu.Unlock()
		if same {
			return nil
		}
		return ErrConfigured
	}
	t.used, t.opts = true, o
	if o.Dir == "" {
		t.mu.Unlock()
		return nil
	}
	err := t.adopt()
	t.changed()
	t.mu.Unlock()
	t.watch.deliver()
	return err
}

// Dir returns the directory for the output files of this conversation, which
// nobody but this user can read if it was made here, and all agents of the
// conversation unasked. It is removed, unless the
// host named it, once the main session is closed and all tasks have ended.
func (t *Tasks) Dir() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over():
		return "", fmt.Errorf("%w: nothing more can be started in the background", pegboard.ErrClosed)
	case t.opts.Dir != "":
		return t.opts.Dir, nil
	case t.files.temp == "":
		dir, err := os.MkdirTemp("", "pegboard-tasks-") // 0700
		if err != nil {
			return "", fmt.Errorf("a directory for background tasks: %w", err)
		}
		t.used, t.files.temp = true, realpath.Resolve(dir)
		if t.lend != nil {
			t.lend(t.files.temp)
		}
	}
	return t.files.temp, nil
}

// NewFile returns the path of a file in Dir that does not exist, for the output
// of work of the given kind. It does not make it.
func (t *Tasks) NewFile(kind string) (string, error) {
	dir, err := t.Dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, slug(kind)+"-"+strings.ToLower(rand.Text()[:13])+".log"), nil
}

// over reports whether nobody is left to end what might be started: the
// conversation has ended, or all of it that was seen here.
func (t *Tasks) over() bool { return t.closed || !t.mainMet && t.forks == 0 }

// sweep removes the temporary directory when nobody is left to use it.
func (t *Tasks) sweep() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over() || t.running > 0 || t.files.temp == "" {
		return
	}
	err := os.RemoveAll(t.files.temp)
	for tries := 1; err != nil && tries < maxSweeps; tries++ { // a call that is being ended may make a file meanwhile
		err = os.RemoveAll(t.files.temp)
	}
	if err != nil {
		t.faults = append(t.faults, fmt.Errorf("remove the files of the background tasks: %w", err))
	}
	t.files.temp = ""
}

// Output returns what a task has printed so far, as its Work says, or the last
// MaxOutput bytes of its output file. It is valid UTF-8 and may be empty.
func (t *Tasks) Output(id string) (string, error) {
	e, err := t.lookup(id)
	if err != nil {
		return "", err
	}
	text, err := e.output()
	if err != nil {
		return "", fmt.Errorf("the output of task %s: %w", id, err)
	}
	return text, nil
}

// output is what the work says, whose mistakes are not those of who asks.
func (e *entry) output() (text string, err error) {
	if e.work.Output != nil {
		err = goroutine.Try(func() error { text = e.work.Output(); return nil })
		return strings.ToValidUTF8(text, "\uFFFD"), err
	}
	if e.work.OutputFile == "" {
		return "", nil
	}
	return tail(e.work.OutputFile)
}

// tail returns the end of a file, which begins with a whole line if it was cut
// and has more than one. The work may have put a link in the place of its file,
// to something that may not be shown; it is not followed.
func tail(path string) (_ string, err error) {
	f, err := realpath.Open(filepath.Join(realpath.Resolve(filepath.Dir(path)), filepath.Base(path)))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	fi, err := f.Stat()
	if err != nil {
		return "", err
	}
	from := max(0, fi.Size()-MaxOutput)
	b, err := io.ReadAll(io.NewSectionReader(f, from, MaxOutput))
	if err != nil {
		return "", err
	}
	text := string(b)
	if from > 0 {
		if _, rest, ok := strings.Cut(text, "\n"); ok && rest != "" {
			text = rest
		}
		for text != "" && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}

// newID returns an id that was not given out before, here or on file.
func (t *Tasks) newID(kind string) string {
	for {
		id := slug(kind) + "_" + strings.ToLower(rand.Text()[:6])
		if _, taken := t.ids[id]; taken {
			continue
		}
		t.ids[id] = true
		return id
	}
}

// slug returns the beginning of a kind in small letters and digits.
func slug(kind string) string {
	s := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(kind))
	if s == "" {
		return "task"
	}
	return s[:min(len(s), 12)]
}
