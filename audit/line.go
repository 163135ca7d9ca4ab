package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/logname"
	"github.com/seed49eaa51d/pegboard/policy"
)

// line is the JSON of one decision, or of a call that was not run. The order of the fields is the order in the file.
type line struct {
	Time     string          `json:"time"`
	Trace    string          `json:"trace,omitempty"`
	Session  string          `json:"session,omitempty"`
	Agent    string          `json:"agent,omitempty"`
	Model    string          `json:"model,omitempty"`
	Call     string          `json:"call,omitempty"`
	Parent   string          `json:"parent,omitempty"`
	Tool     string          `json:"tool"`
	As       string          `json:"as,omitempty"`
	Behavior string          `json:"behavior"`
	By       string          `json:"by,omitempty"`
	Mode     string          `json:"mode,omitempty"`
	Stage    string          `json:"stage,omitempty"`
	Error    string          `json:"error,omitempty"`
	SameAs   string          `json:"sameAs,omitempty"`
	Rule     *rule           `json:"rule,omitempty"`
	Remember []string        `json:"remember,omitempty"`
	Targets  []string        `json:"targets,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Observed json.RawMessage `json:"observed,omitempty"`
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

// timeFormat is RFC 3339 with all nine digits, so that lines sort by time.
const timeFormat = "2006-01-02T15:04:05.000000000Z07:00"

// notRun is the behavior of a call that was neither denied nor run.
const notRun = "notRun"

// newLine returns the line of an event, or false if it has none. Without inputs the line
// contains no text of the model, as the package comment promises.
func newLine(e pegboard.Event, inputs bool) (l line, ok bool) {
	if e.Call == nil {
		return line{}, false
	}
	switch {
	case e.Kind == pegboard.EventDecided && e.Decision != nil:
		l = newCallLine(e, e.Targets, inputs)
		l.addDecision(e, inputs)
		return l, true
	case e.Kind == pegboard.EventFinished && e.Outcome != nil:
		refusal, same := refusalOf(e.Outcome), e.Outcome.SameAs
		if refusal == nil && same == nil {
			return line{}, false
		}
		l = newCallLine(e, e.Call.Targets(), inputs)
		l.Behavior = notRun
		if same != nil {
			l.SameAs = namer(inputs)(same.ID)
		}
		if refusal != nil {
			l.addRefusal(refusal, inputs)
		}
		return l, true
	}
	return line{}, false
}

// refusalOf returns why a call did not run, or nil if it ran or has a line that says that
// it was denied. Of a call that is the same as another, the line of that call says it.
func refusalOf(o *pegboard.Outcome) *pegboard.CallError {
	var refusal *pegboard.CallError
	if o.SameAs != nil || o.Decision.Behavior == policy.Deny || !errors.As(o.Err, &refusal) || refusal.Stage == pegboard.StageCall || refusal.Stage == pegboard.StageResult {
		return nil
	}
	return refusal
}

// newCallLine returns a line about the call of an event, without the decision.
func newCallLine(e pegboard.Event, targets []policy.Target, inputs bool) line {
	name := namer(inputs)
	l := line{
		Time:  e.Time.UTC().Format(timeFormat),
		Trace: name(e.TraceID),
		Call:  name(e.Call.ID),
		Tool:  name(e.Call.ToolName()),
	}
	if !inputs && !e.Call.NamesTool() {
		l.Tool = logname.Digest(e.Call.Name)
	}
	if e.Call.Name != e.Call.ToolName() {
		l.As = name(e.Call.Name)
	}
	if s := e.Call.Session(); s != nil {
		model, _ := pegboard.KeyModel.Get(s)
		l.Session, l.Agent, l.Model = name(s.ID()), name(s.AgentID()), name(model)
	}
	if p := e.Call.Parent(); p != nil {
		l.Parent = name(p.ID)
	}
	for _, t := range targets {
		kind := t.Class()
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
		l.Input = inputJSON(e.Call.Input)
		if observed := e.Call.Observed(); !bytes.Equal(observed, e.Call.Input) {
			l.Observed = inputJSON(observed)
		}
	}
	return l
}

// addDecision adds the decision of an event.
func (l *line) addDecision(e pegboard.Event, inputs bool) {
	l.Behavior, l.By, l.Rule = e.Decision.Behavior.String(), e.Decision.By.String(), newRule(e.Decision, inputs)
	if s := e.Call.Session(); s != nil {
		l.Mode = namer(inputs)(string(s.Permissions().Mode()))
	}
	for _, u := range e.Decision.Remember {
		l.Remember = append(l.Remember, describeUpdate(u, inputs))
	}
	if inputs {
		l.Reason = e.Decision.Reason
	}
}

// addRefusal adds why a call did not run.
func (l *line) addRefusal(refusal *pegboard.CallError, inputs bool) {
	l.Stage = string(refusal.Stage)
	if kind := refusal.Sentinel(); kind != nil {
		l.Error = kind.Error()
	}
	if inputs {
		l.Reason = refusal.Err.Error()
	}
}

// namer returns the function that names and ids pass through.
func namer(inputs bool) func(string) string {
	if inputs {
		return func(s string) string { return s }
	}
	return logname.Of
}

// newRule hides the pattern of a session rule, which is usually made from a call.
func newRule(d *policy.Decision, inputs bool) *rule {
	r := d.Rule
	if r == nil {
		return nil
	}
	text := r.String()
	if !inputs {
		text = r.Redacted()
	}
	return &rule{Behavior: r.Behavior.String(), Text: text, Source: string(r.Source)}
}

// describeUpdate describes an update of the permissions. Without inputs it leaves out the
// rules, which are made from the call.
func describeUpdate(u policy.Update, inputs bool) string {
	if inputs {
		return u.String()
	}
	words := []string{string(u.Type)}
	switch u.Type {
	case policy.AddRules, policy.ReplaceRules, policy.RemoveRules:
		words = append(words, u.Behavior.String())
	case policy.SetMode:
		words = append(words, string(u.Mode))
	}
	return strings.Join(append(words, logname.Of(string(u.Destination))), " ")
}

// inputJSON returns an input as JSON that can be part of a line, or nil if it is blank.
func inputJSON(input []byte) json.RawMessage {
	if len(bytes.TrimSpace(input)) == 0 {
		return nil
	}
	// It must still be valid one level deeper, since decoders limit the depth.
	if inner := slices.Concat([]byte("["), input, []byte("]")); json.Valid(input) && json.Valid(inner) && utf8.Valid(input) {
		return input
	}
	text, _ := json.Marshal(string(input)) // a string cannot fail
	return text
}

// encode returns l as one line, with the line end.
func encode(l line) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // so that a && b stays readable
	if err := e.Encode(l); err != nil {
		return nil, fmt.Errorf("line: %w", err)
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return append(escapeInvisible(text), '\n'), nil
}

// escapeInvisible writes invisible characters as \u escapes, so that a terminal shows
// everything and no reader takes one for a line end. JSON has such characters only in
// strings.
func escapeInvisible(text []byte) []byte {
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
