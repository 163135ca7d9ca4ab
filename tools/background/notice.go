package background

import (
	"fmt"
	"strings"
	"unicode"
)

// A notice is something that a conversation has yet to be told.
type notice struct {
	entry *entry
	end   bool   // the task has ended; otherwise it left a message
	text  string // the message
}

// noticeSnapshot is a notice with what was known when it was taken.
type noticeSnapshot struct {
	notice
	task    Task
	dropped int
	pruned  bool
}

// message returns the notice as text for the model.
func (n noticeSnapshot) message() string {
	var b strings.Builder
	if n.dropped > 0 {
		fmt.Fprintf(&b, "(%d earlier messages of background task %s were dropped because nobody fetched them.)\n", n.dropped, n.task.ID)
	}
	if !n.end {
		fmt.Fprintf(&b, "Background task %s: %s", n.task.ID, n.text)
		return b.String()
	}
	b.WriteString("Background task " + n.task.ID)
	if what := taskLabel(n.task); what != "" {
		b.WriteString(" (" + what + ")")
	}
	b.WriteString(" " + n.task.outcome() + ".")
	b.WriteString(n.outputHint())
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

// outputHint says where to find the output.
func (n noticeSnapshot) outputHint() string {
	where := n.task.OutputFile
	switch {
	case where != "" && n.pruned:
		return fmt.Sprintf(" Its output is in %s; read it with Read.", where)
	case where != "":
		return fmt.Sprintf(" Its output is in %s; read it with TaskOutput or Read.", where)
	case n.entry.work.Output != nil && !n.pruned:
		return " Read its output with TaskOutput."
	}
	return ""
}

// taskLabel says which task it is, in one short line.
func taskLabel(k Task) string {
	what := k.Description
	if what == "" {
		what = k.Command
	}
	return oneLine(what, maxNoticeLine)
}

// lastLines returns the last lines of an output that are not blank, indented so
// that they cannot be taken for the notice's own words.
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
