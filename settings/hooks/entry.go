package hooks

import (
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/policy"
)

// maxTimeout is the longest time limit of a handler.
const maxTimeout = 24 * time.Hour

// An entry is a handler that is being read.
type entry struct {
	*reader
	at      at
	members []jsonedit.Member
	handler Handler
	wrong   bool // the handler is left out
}

// commonKeys are the keys of all types of handlers.
func commonKeys() []string { return []string{"type", "if", "timeout", "statusMessage", "once"} }

// keysOf returns the keys of one type of handlers, or nil if there is no such type.
func keysOf(handlerType string) []string {
	switch handlerType {
	case typeCommand:
		return []string{"command", "args", "shell", "async", "asyncRewake"}
	case typeHTTP:
		return []string{"url", "headers", "allowedEnvVars"}
	case typeMCPTool:
		return []string{"server", "tool", "input"}
	case typePrompt, typeAgent:
		return []string{"prompt", "model", "continueOnBlock"}
	}
	return nil
}

// fail leaves the handler out.
func (e *entry) fail(a at, format string, args ...any) {
	e.skip(a, format, args...)
	e.wrong = true
}

// read reads the handler and reports whether it can run.
func (e *entry) read() bool {
	if !e.doc.Opens(e.at.value, '{') {
		e.fail(e.at, `there is %s; write an object, such as {"type": "command", "command": "./check.sh"}`, e.describe(e.at.value))
		return false
	}
	e.members = e.doc.Members(e.at.value)
	seen := map[string]bool{}
	for _, m := range e.members {
		if seen[m.Key] {
			e.fail(e.at.key(m), "the key is there twice; write it once")
			return false
		}
		seen[m.Key] = true
	}
	h := &e.handler
	h.Source, h.Path, h.Offset = e.source, e.file, e.at.value.Start
	if !e.readType() {
		return false
	}
	e.readCommon()
	switch h.Type {
	case typeCommand:
		e.readCommand()
	case typeHTTP:
		e.readHTTP()
	case typeMCPTool:
		h.Server, h.Tool = e.required("server"), e.required("tool")
		e.readInput()
	default:
		h.Prompt, h.Model = e.required("prompt"), e.text("model")
		h.ContinueOnBlock = e.flag("continueOnBlock")
	}
	e.noteKeys()
	h.setIdentity()
	return !e.wrong
}

func (e *entry) readType() bool {
	a, ok := e.find("type")
	switch {
	case !ok:
		e.fail(e.at, `there is no type; write "type": "command", "http", "mcp_tool", "prompt" or "agent"`)
		return false
	case keysOf(e.doc.Text(a.value)) == nil:
		e.fail(a, `there is %s; write "command", "http", "mcp_tool", "prompt" or "agent"`, e.quote(a.value))
		return false
	}
	e.handler.Type = e.doc.Text(a.value)
	if !slices.Contains(a.event.types, e.handler.Type) {
		e.fail(a, "%s runs no hooks of type %s, only %s", a.event.name, e.handler.Type, strings.Join(a.event.types, ", "))
		return false
	}
	return true
}

func (e *entry) readCommon() {
	h := &e.handler
	h.StatusMessage = e.text("statusMessage")
	e.readTimeout()
	if a, ok := e.find("once"); ok && e.flag("once") {
		switch e.source {
		case policy.SourceManaged, policy.SourceCLI, policy.SourceLocal, policy.SourceProject, policy.SourceUser:
			e.note(a, "it has no effect in settings files, only in skills")
		default:
			h.Once = true
		}
	}
	e.readIf()
}

func (e *entry) readIf() {
	a, ok := e.find("if")
	if !ok {
		return
	}
	h := &e.handler
	h.If = e.string(a)
	if h.If == "" {
		if !e.wrong {
			e.fail(a, `the rule is empty; write one such as "Bash(git push *)", or leave it out`)
		}
		return
	}
	if a.known && !a.event.aboutTool {
		e.fail(a, "a hook of %s that has a rule never runs, since the event is about no call; take the rule out", a.event.name)
		return
	}
	tool, rest, _ := strings.Cut(h.If, "(")
	if strings.ContainsAny(tool, "|,") || strings.Contains(rest, ")|") || strings.Contains(rest, ") |") {
		e.fail(a, "%s is not one rule; write a handler for each", strictjson.Quote(strictjson.Cut(h.If)))
		return
	}
	rule, err := policy.ParseRule(policy.Deny, h.If)
	if err != nil {
		e.fail(a, "%v", err)
		return
	}
	rule.Source = e.source
	h.rules = []policy.Rule{rule}
}

// readTimeout reads a time in seconds. One that is wrong is the default.
func (e *entry) readTimeout() {
	a, ok := e.find("timeout")
	if !ok {
		return
	}
	var seconds float64
	isNumber := !e.doc.Opens(a.value, '"') && json.Unmarshal(e.doc.Bytes(a.value), &seconds) == nil
	switch {
	case !isNumber:
		e.note(a, "there is %s, so the default counts; write a number of seconds", e.describe(a.value))
	case seconds <= 0 || seconds > maxTimeout.Seconds():
		e.note(a, "there is %s, so the default counts; write more than 0 and at most %g seconds", e.describe(a.value), maxTimeout.Seconds())
	default:
		e.handler.Timeout = time.Duration(math.Ceil(seconds * float64(time.Second)))
	}
}

func (e *entry) readCommand() {
	h := &e.handler
	h.Command = e.required("command")
	h.Args = e.texts("args")
	for _, text := range append([]string{h.Command}, h.Args...) {
		if strings.Contains(text, "\x00") {
			e.fail(e.at, "a command cannot hold the character U+0000")
			break
		}
	}
	if a, ok := e.find("shell"); ok {
		h.Shell = e.doc.Text(a.value)
		if h.Shell != "bash" && h.Shell != "powershell" {
			e.fail(a, `there is %s; write "bash" or "powershell"`, e.quote(a.value))
		} else if h.Args != nil {
			e.note(a, `it has no effect beside "args", with which no shell is started`)
		}
	}
	h.AsyncRewake = e.flag("asyncRewake")
	h.Async = e.flag("async") || h.AsyncRewake
	if h.Async && e.at.event.guards {
		e.note(e.at, "a hook that is async cannot keep anything from happening")
	}
}

func (e *entry) readHTTP() {
	h := &e.handler
	h.URL = e.required("url")
	if address, err := url.Parse(h.URL); h.URL != "" && (err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "") {
		a, _ := e.find("url")
		e.fail(a, "it is no address of http or https")
	}
	h.AllowedEnvVars = e.texts("allowedEnvVars")
	a, ok := e.find("headers")
	if !ok {
		return
	}
	if !e.doc.Opens(a.value, '{') {
		e.fail(a, "there is %s; write an object of strings", e.describe(a.value))
		return
	}
	h.Headers = map[string]string{}
	for _, m := range e.doc.Members(a.value) {
		if _, twice := h.Headers[m.Key]; twice {
			e.fail(a.key(m), "the key is there twice; write it once")
		}
		h.Headers[m.Key] = e.string(a.key(m))
	}
}

func (e *entry) readInput() {
	a, ok := e.find("input")
	if !ok {
		return
	}
	raw := e.doc.Bytes(a.value)
	if !e.doc.Opens(a.value, '{') {
		e.fail(a, "there is %s; write an object", e.describe(a.value))
	} else if _, err := strictjson.Decode(raw, strictjson.Limits{}); err != nil {
		e.fail(a, "%v", err)
	} else {
		e.handler.Input = json.RawMessage(slices.Clone(raw))
	}
}

// find returns the place of a member. A member that is null counts as missing.
func (e *entry) find(key string) (a at, ok bool) {
	i := jsonedit.IndexOf(e.members, key)
	if i < 0 || e.isNull(e.members[i].Value) {
		return at{}, false
	}
	return e.at.key(e.members[i]), true
}

// string returns the string at a place.
func (e *entry) string(a at) string {
	switch {
	case !e.doc.Opens(a.value, '"'):
		e.fail(a, "there is %s; write a string", e.describe(a.value))
	case jsonscan.IndexLoneSurrogate(e.doc.Bytes(a.value)) >= 0:
		e.fail(a, "the string holds half a character")
	}
	return e.doc.Text(a.value)
}

// text returns the string of a key, or "".
func (e *entry) text(key string) string {
	if a, ok := e.find(key); ok {
		return e.string(a)
	}
	return ""
}

// required returns the string of a key, which must not be empty.
func (e *entry) required(key string) string {
	a, ok := e.find(key)
	if !ok {
		e.fail(e.at, "a hook of type %s needs the key %q", e.handler.Type, key)
		return ""
	}
	text := e.string(a)
	if strings.TrimSpace(text) == "" && e.doc.Opens(a.value, '"') {
		e.fail(a, "the string is empty")
	}
	return text
}

// texts returns the list of strings of a key, or nil. An empty list is not nil.
func (e *entry) texts(key string) []string {
	a, ok := e.find(key)
	if !ok {
		return nil
	}
	if !e.doc.Opens(a.value, '[') {
		e.fail(a, "there is %s; write a list of strings", e.describe(a.value))
		return nil
	}
	texts := []string{}
	for i, element := range e.doc.Elements(a.value) {
		texts = append(texts, e.string(a.index(i, element)))
	}
	return texts
}

// flag returns the boolean of a key. One that is wrong is false.
func (e *entry) flag(key string) bool {
	a, ok := e.find(key)
	if !ok {
		return false
	}
	raw := string(e.doc.Bytes(a.value))
	if raw != "true" && raw != "false" {
		e.note(a, "there is %s, so false counts; write true or false", e.quote(a.value))
	}
	return raw == "true"
}

// quote is describe with the text of a string.
func (e *entry) quote(v jsonedit.Span) string {
	if e.doc.Opens(v, '"') {
		return strictjson.Quote(strictjson.Cut(e.doc.Text(v)))
	}
	return e.describe(v)
}

// noteKeys notes keys that have no effect.
func (e *entry) noteKeys() {
	for _, m := range e.members {
		switch {
		case slices.Contains(commonKeys(), m.Key), slices.Contains(keysOf(e.handler.Type), m.Key), slices.Contains(commentKeys(), m.Key):
		default:
			e.note(e.at.key(m), "a hook of type %s has no such key, so it has no effect", e.handler.Type)
		}
	}
}
