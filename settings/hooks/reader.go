package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/policy"
)

const (
	// maxBytes is the maximum size of the hooks of one file.
	maxBytes = 4 << 20
	// maxProblems is the maximum number of problems of one file, but for a last one that
	// stands for the others.
	maxProblems = 1000
)

// Parse reads the hooks of one file: the value of its key "hooks". The source and the path of
// the file are those of the handlers and problems. No data, and null, is no hooks.
//
// The problems are in the order of the text; after 1,000, one problem stands for all others.
// The error is a [Problem]: the data is not an
// object, so that there are no hooks at all.
//
// An event that is there twice has the handlers of both. A group or handler that repeats a
// key is left out, since readers differ on the meaning.
func Parse(data json.RawMessage, from policy.Source, path string) (Set, []Problem, error) {
	r := reader{source: from, file: path, compiled: map[string]compiled{}}
	whole := func(format string, args ...any) (Set, []Problem, error) {
		return Set{}, nil, Problem{Source: from, File: path, Path: "hooks", Text: fmt.Sprintf(format, args...), Skipped: true, Guards: true}
	}
	if len(data) > maxBytes {
		return whole("the text is longer than %d bytes", maxBytes)
	}
	doc, err := jsonedit.Parse(data)
	switch {
	case errors.Is(err, jsonedit.ErrEmpty):
		return Set{}, nil, nil
	case err != nil:
		return whole("%v", err)
	}
	r.doc = doc
	if !r.isNull(doc.Root()) && !doc.Opens(doc.Root(), '{') {
		return whole(`there is %s; write an object of events, such as {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}]}`, r.describe(doc.Root()))
	}
	r.read()
	if r.more > 0 {
		r.problems[maxProblems].Text = fmt.Sprintf("there are %d more problems; mend the first ones", r.more)
	}
	return newSet(r.handlers), r.problems, nil
}

// A reader reads the hooks of one file.
type reader struct {
	doc      *jsonedit.Document
	source   policy.Source
	file     string
	handlers []Handler
	problems []Problem
	more     int                 // problems that the last one stands for
	compiled map[string]compiled // matchers by their text
}

// compiled is the result of newMatcher.
type compiled struct {
	matcher *matcher
	err     error
}

// at is a place in the hooks of a file.
type at struct {
	event event
	known bool // the event is documented
	path  string
	value jsonedit.Span
}

// key returns the place of a member of the object at a place.
func (a at) key(m jsonedit.Member) at {
	a.path, a.value = strictjson.AppendKey(a.path, m.Key), m.Value
	return a
}

// index returns the place of an element of the list at a place.
func (a at) index(i int, v jsonedit.Span) at {
	a.path, a.value = strictjson.AppendIndex(a.path, i), v
	return a
}

func (r *reader) problem(a at, format string, args ...any) Problem {
	return Problem{Source: r.source, File: r.file, Path: a.path, Offset: a.value.Start, Event: a.event.name, Text: fmt.Sprintf(format, args...)}
}

// note adds a problem that leaves no hook out.
func (r *reader) note(a at, format string, args ...any) {
	if r.isFull(false, false) {
		return
	}
	r.problems = append(r.problems, r.problem(a, format, args...))
}

// skip adds a problem that leaves hooks out.
func (r *reader) skip(a at, format string, args ...any) {
	if r.isFull(true, a.event.guards) {
		return
	}
	p := r.problem(a, format, args...)
	p.Skipped, p.Guards = true, a.event.guards
	r.problems = append(r.problems, p)
}

// isFull reports whether there are as many problems as there may be. Then the last one stands
// for a further problem, too.
func (r *reader) isFull(skipped, guards bool) bool {
	if len(r.problems) < maxProblems {
		return false
	}
	if r.more++; r.more == 1 {
		r.problems = append(r.problems, Problem{Source: r.source, File: r.file, Path: "hooks"})
	}
	last := &r.problems[maxProblems]
	last.Skipped, last.Guards = last.Skipped || skipped, last.Guards || skipped && guards
	return true
}

func (r *reader) isNull(v jsonedit.Span) bool { return v.Missing() || string(r.doc.Bytes(v)) == "null" }

// describe returns the kind of a value, and no text of a string.
func (r *reader) describe(v jsonedit.Span) string {
	switch text := r.doc.Bytes(v); text[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f', 'n':
		return string(text)
	default:
		return "the number " + strictjson.Cut(string(text))
	}
}

func (r *reader) read() {
	seen := map[string]bool{}
	for _, m := range r.doc.Top() {
		e, known := eventOf(m.Key)
		a := at{event: e, known: known, path: "hooks"}.key(m)
		if seen[m.Key] {
			r.note(a, "the event is there twice; its hooks are joined, but other readers keep only the last ones; write one list")
		}
		seen[m.Key] = true
		if !known {
			r.readUnknown(&a)
		}
		switch {
		case r.isNull(m.Value):
		case !r.doc.Opens(m.Value, '['):
			r.skip(a, `there is %s; write a list of groups, such as [{"hooks": [{"type": "command", "command": "./run.sh"}]}]`, r.describe(m.Value))
		default:
			for i, element := range r.doc.Elements(m.Value) {
				r.readGroup(a.index(i, element))
			}
		}
	}
}

// readUnknown notes an event that is not documented. Its hooks are kept: a host may fire it.
func (r *reader) readUnknown(a *at) {
	if near := nearest.Names(strings.TrimSpace(a.event.name), eventNames(), 1); len(near) > 0 {
		meant, _ := eventOf(near[0])
		a.event.guards = meant.guards
		r.skip(*a, "there is no such event, so nothing calls its hooks; is it %s?", near[0])
		return
	}
	r.note(*a, "the event is not known, so nothing but the program itself can call its hooks")
}

// commentKeys are keys without an effect that need no problem.
func commentKeys() []string { return []string{"name", "description", "comment", "$comment", "//"} }

// readGroup reads a matcher and its handlers.
func (r *reader) readGroup(a at) {
	if !r.doc.Opens(a.value, '{') {
		r.skip(a, `there is %s; write an object, such as {"matcher": "Bash", "hooks": […]}`, r.describe(a.value))
		return
	}
	members := r.doc.Members(a.value)
	if key, twice := jsonedit.Repeated(members, "matcher", "hooks"); twice {
		r.skip(a, "the key %q is there twice; write it once", key)
		return
	}
	for _, m := range members {
		switch {
		case m.Key == "matcher", m.Key == "hooks", slices.Contains(commentKeys(), m.Key):
		case m.Key == "if":
			r.note(a.key(m), `it has no effect beside "hooks"; write it into each handler`)
		default:
			r.note(a.key(m), "the key is not known here and has no effect")
		}
	}
	list := jsonedit.Find(members, "hooks")
	if r.isNull(list) || !r.doc.Opens(list, '[') {
		r.skip(a, `there is no list "hooks"; write {"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}`)
		return
	}
	matcher, text, ok := r.readMatcher(a, jsonedit.Find(members, "matcher"))
	if !ok {
		return
	}
	inside := a.key(members[jsonedit.IndexOf(members, "hooks")])
	for i, element := range r.doc.Elements(list) {
		e := entry{reader: r, at: inside.index(i, element)}
		e.handler = Handler{Event: a.event.name, Matcher: text, matcher: matcher}
		if e.read() {
			r.handlers = append(r.handlers, e.handler)
		}
	}
}

// readMatcher compiles the matcher of a group. It reports whether the group is understood.
func (r *reader) readMatcher(group at, value jsonedit.Span) (m *matcher, text string, ok bool) {
	if r.isNull(value) {
		return nil, "", true
	}
	a := group
	a.path, a.value = strictjson.AppendKey(group.path, "matcher"), value
	if !r.doc.Opens(value, '"') {
		r.skip(a, "there is %s; write a string, such as \"Edit|Write\"", r.describe(value))
		return nil, "", false
	}
	text = r.doc.Text(value)
	if a.known && a.event.field == "" {
		if text != "" && text != "*" && text != ".*" {
			r.note(a, "%s has no matchers, so %s is ignored", a.event.name, strictjson.Quote(strictjson.Cut(text)))
		}
		return nil, text, true
	}
	key := text
	if a.event.narrow {
		key = "\x00" + text
	}
	c, found := r.compiled[key]
	if !found {
		c.matcher, c.err = newMatcher(text, a.event)
		r.compiled[key] = c
	}
	if c.err != nil {
		r.skip(a, "%v", c.err)
		return nil, "", false
	}
	if c.matcher != nil {
		r.checkNames(a, c.matcher)
	}
	return c.matcher, text, true
}

// checkNames notes names in a matcher that nothing has.
func (r *reader) checkNames(a at, m *matcher) {
	if m.simple == nil && m.expression == nil && len(m.names) == 0 {
		r.skip(a, "the matcher names nothing, so its hooks never run; leave it out to match everything")
		return
	}
	if a.event.field != toolField {
		return
	}
	for _, name := range m.names {
		server, isServer := strings.CutPrefix(name, "mcp__")
		switch {
		case isServer && server == "":
			r.skip(a, `no tool is named "mcp__"; for the tools of all servers write "mcp__.*"`)
		case isServer && !strings.Contains(strings.TrimRight(server, "_"), "__"):
			name = strings.TrimRight(name, "_")
			r.skip(a, "no tool is named %s; for all tools of that server write %s", strictjson.Quote(name), strictjson.Quote(name+"__.*"))
		case strings.Contains(name, " "):
			r.skip(a, `no tool is named %s; separate names by "|"`, strictjson.Quote(name))
		}
	}
}
