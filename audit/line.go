package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
)

// line is what the log says of one decision. The order of the fields is the order
// in the file.
type line struct {
	Time     string          `json:"time"`
	Trace    string          `json:"trace,omitempty"`
	Session  string          `json:"session,omitempty"`
	Agent    string          `json:"agent,omitempty"`
	Call     string          `json:"call,omitempty"`
	Parent   string          `json:"parent,omitempty"`
	Tool     string          `json:"tool"`
	Behavior string          `json:"behavior"`
	By       string          `json:"by"`
	Mode     string          `json:"mode,omitempty"`
	Rule     *rule           `json:"rule,omitempty"`
	Remember []string        `json:"remember,omitempty"`
	Targets  []string        `json:"targets,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Values   []value         `json:"values,omitempty"`
}

type rule struct {
	Behavior string `json:"behavior"`
	Text     string `json:"text"`
	Source   string `json:"source,omitempty"`
}

type value struct {
	Target string `json:"target"`
	Value  string `json:"value"`
	Real   string `json:"real,omitempty"`
}

// nanoseconds is RFC 3339 with all nine digits, so that lines sort by time.
const nanoseconds = "2006-01-02T15:04:05.000000000Z07:00"

// lineOf returns the line of a decision. Without inputs nothing that a model wrote
// is in it, as the package says.
func lineOf(e pegboard.Event, inputs bool) line {
	name := plain
	if inputs {
		name = func(s string) string { return s }
	}
	l := line{
		Time:     e.Time.UTC().Format(nanoseconds),
		Trace:    name(e.TraceID),
		Call:     name(e.Call.ID),
		Tool:     name(e.Call.Name),
		Behavior: e.Decision.Behavior.String(),
		By:       e.Decision.By.String(),
		Rule:     ruleOf(e.Decision.Rule, inputs),
	}
	if s := e.Call.Session(); s != nil {
		l.Session, l.Agent, l.Mode = name(s.ID()), name(s.AgentID()), name(string(s.Permissions().Mode()))
	}
	if p := e.Call.Parent(); p != nil {
		l.Parent = name(p.ID)
	}
	for _, u := range e.Decision.Remember {
		l.Remember = append(l.Remember, changeOf(u, inputs))
	}
	for _, t := range e.Targets {
		kind := kindOf(t)
		if !slices.Contains(l.Targets, kind) {
			l.Targets = append(l.Targets, kind)
		}
		if inputs {
			v := value{Target: kind, Value: t.Value}
			if t.Real() != t.Value {
				v.Real = t.Real()
			}
			l.Values = append(l.Values, v)
		}
	}
	if inputs {
		l.Reason, l.Input = e.Decision.Reason, inputOf(e.Call.Input)
	}
	return l
}

// ruleOf hides the pattern of a rule that is most likely made of a call.
func ruleOf(r *pegboard.Rule, inputs bool) *rule {
	if r == nil {
		return nil
	}
	shown := *r
	if shown.Source == pegboard.SourceSession && shown.Pattern != "" && !inputs {
		shown.Pattern = "…"
	}
	return &rule{Behavior: r.Behavior.String(), Text: shown.String(), Source: string(r.Source)}
}

// changeOf says what an answer changed, without the rules that it made of the call.
func changeOf(u pegboard.PermissionUpdate, inputs bool) string {
	if inputs {
		return u.String()
	}
	words := []string{string(u.Type)}
	switch u.Type {
	case pegboard.UpdateAddRules, pegboard.UpdateReplaceRules, pegboard.UpdateRemoveRules:
		words = append(words, u.Behavior.String())
	case pegboard.UpdateSetMode:
		words = append(words, string(u.Mode))
	}
	return strings.Join(append(words, plain(string(u.Destination))), " ")
}

// kindOf says what is done to what kind of thing. There are no more than 42 such words.
func kindOf(t pegboard.Target) string {
	kind := t.Kind.String() + ":" + t.Access.String()
	if t.Shell.Guess {
		kind += "?"
	}
	return kind
}

// maxName is how long a name or an id may be to be written as it is. Those of
// providers have fewer than 64 bytes, those of tools seldom more.
const maxName = 128

// plain returns s if it looks like a name or an id, and else its digest.
func plain(s string) string {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:/", r)
	}
	if len(s) <= maxName && utf8.ValidString(s) && !strings.ContainsFunc(s, odd) {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("sha256:%x", sum[:len(sum)/2])
}

// inputOf returns an input as JSON that can stand in a line, or nothing if it is
// blank.
func inputOf(input []byte) json.RawMessage {
	if len(bytes.TrimSpace(input)) == 0 {
		return nil
	}
	// One level deeper it must still be JSON to whoever limits the depth.
	if inner := slices.Concat([]byte("["), input, []byte("]")); json.Valid(input) && json.Valid(inner) && utf8.Valid(input) {
		return input
	}
	text, _ := json.Marshal(string(input)) // a string cannot fail
	return text
}

// encode returns l as one line, with the line's end.
func encode(l line) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a && b is to be read as such
	if err := e.Encode(l); err != nil {
		return nil, fmt.Errorf("line: %w", err)
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return append(escaped(text), '\n'), nil
}

// escaped writes what has no shape as \u escapes: whoever shows the log on a
// terminal sees all there is, and no reader takes it for the end of a line. Outside
// of strings JSON has no such runes.
func escaped(text []byte) []byte {
	hidden := func(r rune) bool { return !unicode.IsGraphic(r) }
	if bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b []byte
	for _, r := range string(text) {
		if !hidden(r) {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return b
}
