package background

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
)

// A notice is something that a conversation has yet to be told.
type notice struct {
	entry *entry
	end   bool   // the task has ended; otherwise it left a message
	text  string // the message
}

// tell is Handle.Tell.
func (t *Tasks) tell(e *entry, text string) {
	t.mu.Lock()
	if e.task.State != Running || e.silent {
		t.mu.Unlock()
		return
	}
	if e.waits == maxMessages {
		oldest := slices.IndexFunc(t.owed, func(n notice) bool { return n.entry == e })
		t.owed = slices.Delete(t.owed, oldest, oldest+1)
		e.waits--
		e.missed++
	}
	t.owed = append(t.owed, notice{entry: e, text: strings.ToValidUTF8(text, "\uFFFD")})
	e.waits++
	t.changed()
	t.mu.Unlock()
	t.watch.deliver()
}

// Notices returns what s has to be told since it last asked: the tasks that have
// ended, each once, and the messages of those that run, in the order in which
// all this happened. A task's news belong to the session that added it, or to
// the main session once that one has ended. The parts are plain text, for
// Result.Messages or a message of the host's. Once the conversation has ended
// there are none.
func (t *Tasks) Notices(s *pegboard.Session) []pegboard.Part {
	if known, ok := tables.Get(s); !ok || known != t {
		return nil
	}
	mine := t.take(t.meet(s))
	parts := make([]pegboard.Part, len(mine))
	for i, n := range mine {
		parts[i].Text = n.words()
	}
	for _, n := range mine {
		if n.end {
			t.forget(n.entry)
		}
	}
	return parts
}

// take removes and returns what is owed to the session at st.
func (t *Tasks) take(st *seat) (mine []told) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	kept := t.owed[:0:0]
	for _, n := range t.owed {
		if n.entry.belongsTo(st) {
			mine = append(mine, told{notice: n, task: n.entry.task, missed: n.entry.missed, gone: n.entry.gone})
			n.entry.waits, n.entry.missed = 0, 0
		} else {
			kept = append(kept, n)
		}
	}
	t.owed = kept
	return mine
}

// told is a notice with what was known when it was taken.
type told struct {
	notice
	task   Task
	missed int
	gone   bool
}

// Told says that s has learnt of a task's end in another way, such as a tool's
// result, so that no notice follows. It reports whether one would have: if the
// task belongs to another agent, that one is told all the same.
func (t *Tasks) Told(s *pegboard.Session, id string) bool {
	if tableOf(s) != t {
		return false
	}
	st := t.meet(s)
	t.mu.Lock()
	kept := t.owed[:0:0]
	var e *entry
	for _, n := range t.owed {
		if n.end && n.entry.task.ID == id && n.entry.belongsTo(st) {
			e = n.entry
		} else {
			kept = append(kept, n)
		}
	}
	t.owed = kept
	t.mu.Unlock()
	if e == nil {
		return false
	}
	t.forget(e)
	return true
}

// words returns the notice as text for the model.
func (n told) words() string {
	var b strings.Builder
	if n.missed > 0 {
		fmt.Fprintf(&b, "(%d earlier messages of background task %s were dropped because nobody fetched them.)\n", n.missed, n.task.ID)
	}
	if !n.end {
		fmt.Fprintf(&b, "Background task %s: %s", n.task.ID, n.text)
		return b.String()
	}
	b.WriteString("Background task " + n.task.ID)
	if what := about(n.task); what != "" {
		b.WriteString(" (" + what + ")")
	}
	b.WriteString(" " + n.task.fate() + ".")
	b.WriteString(n.whereabouts())
	if n.task.State == Lost {
		b.WriteString(" Check what it has done, and start it again if it is still needed.")
		return b.String()
	}
	text, _ := n.entry.output() // without it, the notice is as true
	if last := lastLines(text); last != "" {
		b.WriteString(" It ends with:\n" + last)
	}
	return b.String()
}

// whereabouts says where to find the output.
func (n told) whereabouts() string {
	where := n.task.OutputFile
	switch {
	case where != "" && n.gone:
		return fmt.Sprintf(" Its output is in %s; read it with Read.", where)
	case where != "":
		return fmt.Sprintf(" Its output is in %s; read it with TaskOutput or Read.", where)
	case n.entry.work.Output != nil && !n.gone:
		return " Read its output with TaskOutput."
	}
	return ""
}

// about says which task it is, in one short line.
func about(k Task) string {
	what := k.Description
	if what == "" {
		what = k.Command
	}
	return oneLine(what, noticeLine)
}

// fate says how a task ended, and after how long.
func (k Task) fate() string {
	how := ""
	switch k.State {
	case Running:
		return "is running"
	case Lost:
		if k.Err != "" {
			return "was lost: " + oneLine(k.Err, 2*noticeLine)
		}
		return "was running when the program that ran it ended, and how it ended is not known"
	case Completed:
		how = "completed"
	case Failed:
		how = "failed"
	case Killed:
		how = "was stopped"
	}
	how += " after " + roundly(k.Ended.Sub(k.Started))
	if k.ExitCode != nil {
		how += fmt.Sprintf(" with exit code %d", *k.ExitCode)
	}
	if k.Err != "" {
		how += ": " + strings.TrimSuffix(oneLine(k.Err, 2*noticeLine), ".")
	}
	return how
}

// roundly returns a duration with no more digits than anybody reads.
func roundly(d time.Duration) string {
	switch {
	case d < 0:
		d = 0
	case d < time.Second:
		d = d.Round(time.Millisecond)
	case d < time.Minute:
		d = d.Round(100 * time.Millisecond)
	default:
		d = d.Round(time.Second)
	}
	return d.String()
}

// lastLines returns the last lines of an output that are not blank, indented so
// that they cannot be taken for the notice's own words.
func lastLines(text string) string {
	var lines []string
	for len(lines) < noticeLines && text != "" {
		at := strings.LastIndexByte(text, '\n')
		if line := oneLine(text[at+1:], noticeLine); line != "" {
			lines = append([]string{"    " + line}, lines...)
		}
		text = text[:max(at, 0)]
	}
	return strings.Join(lines, "\n")
}

// oneLine returns text as one line of at most most bytes of valid UTF-8 without
// control characters.
func oneLine(text string, most int) string {
	if len(text) > 4*most {
		text = text[:4*most]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text
	}
	const mark = "…"
	return strings.ToValidUTF8(text[:most-len(mark)], "") + mark
}
