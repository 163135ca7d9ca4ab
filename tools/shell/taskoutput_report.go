package shell

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// text words the result for the model: how the task stands, what is shown of its
// output, and the output.
func (out TaskOutputResult) text() string {
	lines := []string{out.Task.headline()}
	if note := strings.TrimSpace(out.Task.note); note != "" {
		lines = append(lines, note)
	}
	if out.Task.Output != "" {
		lines = append(lines, out.Task.Output)
	}
	return strings.Join(lines, "\n")
}

// reportTask collects what there is to show of a task. An output that cannot be
// had is no reason to keep the rest back.
func reportTask(tasks *background.Tasks, task background.Task) TaskReport {
	r := TaskReport{Task: task, ran: task.Ended.Sub(task.Started)}
	if task.State == background.Running {
		r.ran = time.Since(task.Started)
	}
	end, err := fileEnd{}, fs.ErrNotExist
	if task.Command != "" && keptIn(tasks, task.OutputFile) {
		end, err = readEnd(task.OutputFile, background.MaxOutput)
	}
	if err != nil { // it may show more than its file
		end, err = shownBy(tasks, task)
	}
	r.Output = strings.TrimRight(end.text, "\n")
	switch {
	case err != nil:
		r.note = fmt.Sprintf("Its output cannot be shown: %v.", err)
	case r.Output == "" && task.State == background.Running:
		r.note = "It has printed nothing so far."
	case r.Output == "":
		r.note = "It has printed nothing."
	case end.from > 0:
		r.note = fmt.Sprintf("Only the end of its output follows, bytes %d to %d", end.from+1, end.size)
		if end.file != "" {
			r.note += fmt.Sprintf(" of %s; use Read or Grep for the rest", end.file)
		}
		r.note += "."
	}
	return r
}

// keptIn reports whether a file lies where this conversation keeps its output. A
// record of an earlier run may name any other, which is not read.
func keptIn(tasks *background.Tasks, file string) bool {
	if file == "" {
		return false
	}
	dir, err := tasks.Dir()
	return err == nil && filepath.Dir(file) == dir
}

// shownBy is what the task itself shows.
func shownBy(tasks *background.Tasks, task background.Task) (fileEnd, error) {
	text, err := tasks.Output(task.ID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fileEnd{}, fmt.Errorf("the file %s is gone", task.OutputFile)
	case err != nil:
		return fileEnd{}, err
	case text == "" && task.State == background.Lost:
		return fileEnd{}, errors.New("nothing of it was kept")
	}
	return endOf([]byte(text), 0, background.MaxOutput), nil
}

// A fileEnd is the last part of an output.
type fileEnd struct {
	text string // valid UTF-8
	from int64  // where it begins, in bytes
	size int64  // of the whole
	file string // where the whole is; empty if that is nowhere
}

// readEnd returns the last bytes of a file, at most most of them, and reads about
// as many. The command may have put a link in the place of its file, to something
// that may not be shown; it is not followed.
func readEnd(path string, most int) (end fileEnd, err error) {
	f, err := realpath.Open(filepath.Join(realpath.Resolve(filepath.Dir(path)), filepath.Base(path)))
	if err != nil {
		return fileEnd{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	fi, err := f.Stat()
	if err != nil {
		return fileEnd{}, err
	}
	window := int64(most) + 1 // with the byte before, which may end a line
	from := max(0, fi.Size()-window)
	b, err := io.ReadAll(io.NewSectionReader(f, from, window))
	if err != nil {
		return fileEnd{}, err
	}
	end = endOf(b, from, most)
	end.file = path
	return end, nil
}

// endOf returns the end of b, which stands at from in the whole.
func endOf(b []byte, from int64, most int) fileEnd {
	text, start := excerpt.Last(b, most, from == 0)
	return fileEnd{text: text, from: from + int64(start), size: from + int64(len(b))}
}

// headline says how a task stands.
func (r TaskReport) headline() string {
	var b strings.Builder
	b.WriteString("Task " + r.ID)
	if about := taskLabel(r.Task); about != "" {
		b.WriteString(" (" + about + ")")
	}
	switch r.State {
	case background.Running:
		fmt.Fprintf(&b, " has been running for %v.", r.ran.Round(time.Millisecond))
		return b.String()
	case background.Lost:
		why := "the program that ran it ended before it did, and how it ended is not known"
		if r.Err != "" {
			why = strings.TrimSuffix(r.Err, ".")
		}
		b.WriteString(" was lost: " + why + ". Check what it has done, and start it again if it is still needed.")
		return b.String()
	case background.Completed:
		b.WriteString(" completed")
	case background.Failed:
		b.WriteString(" failed")
	default:
		b.WriteString(" was stopped")
	}
	fmt.Fprintf(&b, " after %v", r.ran.Round(time.Millisecond))
	if r.ExitCode != nil {
		fmt.Fprintf(&b, " with exit code %d", *r.ExitCode)
	}
	if r.Err != "" {
		b.WriteString(": " + strings.TrimSuffix(r.Err, "."))
	}
	return b.String() + "."
}

const maxTaskLabel = 200 // bytes

// taskLabel says in a few words which task it is.
func taskLabel(k background.Task) string {
	about := k.Description
	if about == "" {
		about = k.Command
	}
	if about = strings.Join(strings.Fields(about), " "); len(about) > maxTaskLabel {
		about = strings.ToValidUTF8(about[:maxTaskLabel], "") + "…"
	}
	return about
}
