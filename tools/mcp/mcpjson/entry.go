package mcpjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

const (
	minTimeout = 1000 // milliseconds; people who write less mean seconds
	maxTimeout = math.MaxInt64 / int64(time.Millisecond)

	// maxName is the length of the longest name that leaves a tool's name one character.
	maxName = toolname.MaxLen - len(toolname.Prefix) - len("__") - 1
)

// reserved are names that other clients keep for servers of their own, folded as in the name
// of a tool and in lower case.
var reserved = []string{"workspace", "claude-in-chrome", "computer-use", "claude_preview", "claude_browser"}

// An entry is a server that is being read.
type entry struct {
	*document
	Server
	path    string
	members []jsonedit.Member // in the order of the text
	values  map[string]any    // without those that are null
	skipped bool
}

// skip notes that the server cannot be loaded. The path is relative to the entry.
func (e *entry) skip(path, text string) {
	e.skipped = true
	e.problems = append(e.problems, Problem{Server: e.Name, Path: strictjson.Join(e.path, path), Text: text, Skipped: true})
}

// hint notes something that does not keep the server from loading.
func (e *entry) hint(path, text string) {
	e.problems = append(e.problems, Problem{Server: e.Name, Path: strictjson.Join(e.path, path), Text: text})
}

func (e *entry) read(v jsonedit.Span) {
	if text := nameFault(e.Name); text != "" {
		e.skip("", text)
		return
	}
	value, err := strictjson.Decode(e.doc.Bytes(v), strictjson.Limits{Bytes: maxBytes})
	if twice := (*strictjson.DuplicateKeyError)(nil); errors.As(err, &twice) {
		e.skip(strictjson.Join(twice.Path, strictjson.AppendKey("", twice.Key)), "the key is there twice; write it once")
		return
	}
	if err != nil {
		e.skip("", err.Error())
		return
	}
	values, ok := value.(map[string]any)
	if !ok {
		e.skip("", `the value is not an object; write {"command": "PROGRAM"} or {"url": "https://HOST/mcp"}`)
		return
	}
	maps.DeleteFunc(values, func(_ string, v any) bool { return v == nil })
	e.members, e.values = e.doc.Members(v), values
	if e.isOff() || !e.readType() {
		return
	}
	e.noteKeys(keysOf(e.Type))
	if e.Type == Stdio {
		e.readProcess()
	} else {
		e.readAddress()
	}
	e.readTimeout()
	e.AlwaysLoad = e.boolean("alwaysLoad")
	if !e.skipped {
		e.servers = append(e.servers, e.Server)
	}
}

// nameFault returns why a server cannot have that name, or "".
func nameFault(name string) string {
	folded := strings.TrimPrefix(toolname.Server(name), toolname.Prefix)
	switch {
	case strings.Trim(folded, "_-") == "":
		return "a name without an ASCII letter or digit cannot be written in a rule; choose one of letters, digits, - and _"
	case strings.ContainsFunc(name, unicode.IsControl), strings.ToValidUTF8(name, "") != name, strings.ContainsRune(name, unicode.ReplacementChar),
		untrusted.Escape(name) != name:
		return "the name holds a character that cannot be shown; choose one of letters, digits, - and _"
	case len(folded) > maxName:
		return fmt.Sprintf("the name is longer than %d characters, which leaves no room for a tool's; choose a shorter one", maxName)
	case slices.Contains(reserved, strings.ToLower(folded)):
		return "the name is reserved; choose another"
	}
	return ""
}

// isOff reports whether the entry is switched off in the way of another client.
func (e *entry) isOff() bool {
	disabled, known := e.values["disabled"]
	if known && disabled != false {
		e.skip("disabled", "the server is switched off; take the key out to load it")
		return true
	}
	if enabled, known := e.values["enabled"]; known && enabled != true {
		e.skip("enabled", "the server is switched off; take the key out to load it")
		return true
	}
	return false
}

func (e *entry) readType() bool {
	_, command := e.values["command"]
	_, address := e.values["url"]
	_, given := e.values["type"]
	switch name := e.text("type"); {
	case e.skipped:
	case given && name == "streamable-http":
		e.Type = HTTP
	case given && slices.Contains([]Type{Stdio, HTTP, SSE}, Type(name)):
		e.Type = Type(name)
	case given && name == "ws":
		e.skip("type", "WebSocket is not supported; write http or sse, if the server speaks it")
	case given:
		e.skip("type", "there is no transport "+strictjson.Quote(name)+"; write stdio, http or sse")
	case command && address:
		e.skip("", "there is a command and a url; take one out, or write type")
	case command:
		e.Type = Stdio
	case address:
		e.Type = HTTP
	default:
		e.noteKeys(append(keysOf(Stdio), keysOf(HTTP)...))
		e.skip("", "there is neither a command nor a url; write "+`"command": "PROGRAM" or "url": "https://HOST/mcp"`)
	}
	return !e.skipped
}

// keysOf returns the keys that servers of a type have.
func keysOf(t Type) []string {
	if t == Stdio {
		return []string{"type", "command", "args", "env", "cwd", "timeout", "alwaysLoad"}
	}
	return []string{"type", "url", "headers", "headersHelper", "oauth", "timeout", "alwaysLoad"}
}

// noteKeys notes keys that have no effect.
func (e *entry) noteKeys(known []string) {
	other := append(keysOf(Stdio), keysOf(HTTP)...)
	for _, m := range e.members {
		path := strictjson.AppendKey("", m.Key)
		switch {
		case slices.Contains(known, m.Key):
		case slices.Contains(other, m.Key):
			e.hint(path, fmt.Sprintf("the key has no effect on a server of type %s; take it out", e.Type))
		default:
			e.hint(path, unknownKey(m.Key, known))
		}
	}
}

func unknownKey(key string, known []string) string {
	if near := nearest.Names(key, known, 1); len(near) > 0 {
		return "the key is not known and has no effect; did you mean " + near[0] + "?"
	}
	return "the key is not known and has no effect; the keys are " + strings.Join(known, ", ")
}

func (e *entry) readProcess() {
	e.Command = e.expanded("command", e.text("command"))
	if e.Command == "" && !e.skipped {
		e.skip("command", `a stdio server needs a program; write "command": "PROGRAM"`)
	}
	for i, arg := range e.list("args") {
		e.Args = append(e.Args, e.expanded(strictjson.AppendIndex("args", i), arg))
	}
	e.Env = e.object("env", "a variable", func(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00") })
	e.Cwd = e.expanded("cwd", e.text("cwd"))
}

func (e *entry) readAddress() {
	e.URL = e.expanded("url", e.text("url"))
	if text := urlFault(e.URL); text != "" && !e.skipped {
		e.skip("url", text)
	}
	e.Headers = e.object("headers", "a header", isToken)
	e.HeadersHelper = e.text("headersHelper")
	if v, ok := e.values["oauth"]; ok {
		e.readOAuth(v)
	}
}

// urlFault returns why an address cannot be used, or "". It does not repeat the address,
// which may hold a secret.
func urlFault(address string) string {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return `an http or sse server needs an address; write "url": "https://HOST/mcp"`
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return "the value is not an http or https address; write https://HOST/mcp"
	case u.User != nil:
		return "an address cannot hold a user or password; write them as the header Authorization"
	case strings.ContainsFunc(u.Host, func(c rune) bool { return c > unicode.MaxASCII }):
		return "the host has letters that may look like others to the person who approves the server; write it in the ASCII form of DNS, with xn--"
	case untrusted.Escape(address) != address:
		return "the address holds a character that cannot be shown; write it with %"
	}
	return ""
}

func (e *entry) readTimeout() {
	v, given := e.values["timeout"]
	if !given {
		return
	}
	n, ok := whole(v)
	switch {
	case !ok:
		e.hint("timeout", "the value is not a whole number and has no effect; write milliseconds, such as 60000")
	case n < minTimeout:
		e.hint("timeout", fmt.Sprintf("the value counts milliseconds, and less than %d has no effect; write 60000 for a minute", minTimeout))
	default:
		e.Timeout = time.Duration(min(n, maxTimeout)) * time.Millisecond
	}
}

func (e *entry) readOAuth(v any) {
	values, ok := v.(map[string]any)
	if !ok {
		e.skip("oauth", `the value is not an object; write {"clientId": "ID", "callbackPort": 8080}`)
		return
	}
	known := []string{"clientId", "clientSecret", "clientMetadataUrl", "callbackPort", "scopes"}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, key) {
			e.hint(strictjson.AppendKey("oauth", key), unknownKey(key, known))
		}
	}
	o := &OAuth{}
	for i, field := range []*string{&o.ClientID, &o.ClientSecret, &o.ClientMetadataURL} {
		path := "oauth." + known[i]
		*field = e.expanded(path, e.textAt(path, values[known[i]]))
	}
	if u, err := url.Parse(o.ClientMetadataURL); o.ClientMetadataURL != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.Path == "") {
		e.skip("oauth.clientMetadataUrl", "the value is not an https address with a path; write https://HOST/client.json")
	}
	if o.ClientSecret != "" && o.ClientID == "" {
		e.skip("oauth", "a clientSecret needs the clientId that it belongs to")
	}
	if port, given := values["callbackPort"]; given && port != nil {
		n, ok := whole(port)
		if !ok || n < 1 || n > math.MaxUint16 {
			e.skip("oauth.callbackPort", "the value is not a port; write a number from 1 to 65535")
		}
		o.CallbackPort = int(n)
	}
	if text, ok := values["scopes"].(string); ok {
		o.Scopes = strings.Fields(text)
	} else {
		o.Scopes = e.listAt("oauth.scopes", values["scopes"])
	}
	e.OAuth = o
}

// whole returns a number that has no fraction.
func whole(v any) (n int64, ok bool) {
	number, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseInt(number.String(), 10, 64); err == nil {
		return n, true
	}
	f, err := number.Float64()
	if err != nil || f != math.Trunc(f) {
		return 0, false
	}
	if math.Abs(f) >= math.MaxInt64 {
		return math.MaxInt64, f > 0
	}
	return int64(f), true
}

// text returns a string of the entry, "" if it is missing.
func (e *entry) text(key string) string { return e.textAt(key, e.values[key]) }

func (e *entry) textAt(path string, v any) string {
	text, ok := v.(string)
	if !ok && v != nil {
		e.skip(path, "the value is not a string; write it in double quotes")
	}
	return text
}

func (e *entry) boolean(key string) bool {
	v, given := e.values[key]
	b, ok := v.(bool)
	if given && !ok {
		e.hint(key, "the value has no effect; write true or false")
	}
	return b
}

func (e *entry) list(key string) []string { return e.listAt(key, e.values[key]) }

func (e *entry) listAt(path string, v any) []string {
	values, ok := v.([]any)
	if !ok && v != nil {
		e.skip(path, `the value is not a list of strings; write ["one", "two"]`)
	}
	var texts []string
	for i, element := range values {
		at := strictjson.AppendIndex(path, i)
		if element == nil {
			e.skip(at, "null is not a string; take it out")
		}
		texts = append(texts, e.textAt(at, element))
	}
	return texts
}

// object returns an object of strings with its variables replaced. What names a member, such
// as "a header", for the case that allowed refuses its name.
func (e *entry) object(key, what string, allowed func(name string) bool) map[string]string {
	v, given := e.values[key]
	if !given {
		return nil
	}
	values, ok := v.(map[string]any)
	if !ok {
		e.skip(key, `the value is not an object of strings; write {"NAME": "value"}`)
		return nil
	}
	texts := make(map[string]string, len(values))
	seen := make(map[string]bool, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		path := strictjson.AppendKey(key, name)
		switch {
		case key == "headers" && seen[strings.ToLower(name)]:
			e.skip(path, "the header is there twice, in upper and lower case; write it once")
		case !allowed(name):
			e.skip(path, what+" cannot have that name")
		case values[name] == nil:
			e.skip(path, `null is not a string; take it out or write ""`)
		default:
			texts[name] = e.expanded(path, e.textAt(path, values[name]))
		}
		seen[strings.ToLower(name)] = true
	}
	return texts
}

// expanded returns a text with its variables replaced.
func (e *entry) expanded(path, text string) string {
	x := expand(text, e.lookup)
	unusable := strings.ContainsRune(x.text, 0)
	if strings.HasPrefix(path, "headers") {
		unusable = strings.ContainsAny(x.text, "\x00\r\n")
	}
	switch {
	case x.fault != "":
		e.skip(path, x.fault)
	case unusable:
		e.skip(path, "the value holds a control character that cannot be passed on; take it out")
	case x.hint != "":
		e.hint(path, x.hint)
	}
	return x.text
}

// isToken reports whether name can be the name of an HTTP header.
func isToken(name string) bool {
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return name != ""
}
