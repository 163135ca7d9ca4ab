package background

import (
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/terminal"
	"github.com/seed49eaa51d/pegboard/tools/internal/output"
)

// A notice is an event that no session has fetched yet.
type notice struct {
	entry *entry
	end   bool   // the task has ended; otherwise the notice is a message
	text  string // the message
}

// A noticeSnapshot is a notice with the state of its task at the time when the notice
// was fetched.
type noticeSnapshot struct {
	notice
	task    Task
	dropped int
	pruned  bool
}

// message words the notice for the model.
func (n noticeSnapshot) message() string {
	var b strings.Builder
	if n.dropped > 0 {
		fmt.Fprintf(&b, "(%d earlier messages of background task %s were dropped because nobody fetched them.)\n", n.dropped, n.task.ID)
	}
	if !n.end {
		fmt.Fprintf(&b, "Background task %s: %s", n.task.ID, n.text)
		return b.String()
	}
	report := n.entry.report()
	b.WriteString(n.task.sentence())
	if report != "" && len(report) <= MaxOutput {
		b.WriteString(" It reports:\n" + report)
		return b.String()
	}
	b.WriteString(n.outputHint())
	if report != "" {
		cut := strings.ToValidUTF8(report[:MaxOutput], "")
		fmt.Fprintf(&b, " It reports, up to byte %d of %d:\n%s", len(cut), len(report), cut)
		return b.String()
	}
	if n.task.State == Lost {
		b.WriteString(" Check what it has done, and start it again if it is still needed.")
		return b.String()
	}
	text, _ := n.entry.output() // if the output cannot be read, the notice is sent without it
	if last := lastLines(terminal.Clean(text)); last != "" {
		b.WriteString(" It ends with:\n" + last)
	}
	return b.String()
}

// outputHint says where the model finds the output of the task.
func (n noticeSnapshot) outputHint() string {
	where := n.task.OutputFile
	switch {
	case where != "" && n.pruned:
		return fmt.Sprintf(" Its output is in %s; read it with Read.", where)
	case where != "":
		return fmt.Sprintf(" Its output is in %s; read it with TaskOutput or Read.", where)
	case (n.entry.work.Output != nil || n.entry.report() != "") && !n.pruned:
		return " Read its output with TaskOutput."
	}
	return ""
}

// taskLabel returns the description or the command of a task as one short line.
func taskLabel(k Task) string {
	label := k.Description
	if label == "" {
		label = k.Command
	}
	return oneLine(label, maxNoticeLine)
}

// lastLines returns the last lines of text that are not blank. Each is indented, so
// that the model can tell them from the notice itself.
func lastLines(text string) string {
	var lines []string
	for len(lines) < maxNoticeLines && text != "" {
		at := strings.LastIndexByte(text, '\n')
		if line := oneLine(text[at+1:], maxNoticeLine); line != "" {
			lines = append([]string{"    " + line}, lines...)
		}
		text = text[:max(at, 0)]
	}
	return strings.Join(lines, "\n")
}

// oneLine returns text as one line of at most limit bytes of valid UTF-8 without
// control characters.
func oneLine(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit]
	}
	if text = output.Line(text); len(text) <= limit {
		return text
	}
	const mark = "…"
	return strings.ToValidUTF8(text[:limit-len(mark)], "") + mark
}
