package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A fieldValue is a value of a definition in a file or in JSON.
type fieldValue interface {
	Text() (string, error)
	Bool() (bool, error)
	Int() (int, error)
	List() ([]string, error)
	JSON() (json.RawMessage, error)
}

// A field is a key of a definition.
type field struct {
	name  string
	line  int // 0 if unknown
	value fieldValue
}

// A pluginFile is the place of a file of a plugin.
type pluginFile struct {
	plugin string
	path   string // below the plugin's folder of agents, with slashes
}

// A definitionReader makes a definition of fields.
type definitionReader struct {
	Definition
	problems []Problem
}

// The keys of agent files that are named more than once.
const (
	nameKey        = "name"
	descriptionKey = "description"
	promptKey      = "prompt" // in JSON, where there is no body
	modeKey        = "permissionMode"
	hooksKey       = "hooks"
	serversKey     = "mcpServers"
)

// ownKeys are the keys that become fields of a definition.
func ownKeys() []string {
	return []string{
		nameKey, descriptionKey, "tools", "disallowedTools", "model", "effort", modeKey, "maxTurns", "skills", "background",
		"isolation",
	}
}

// hostKeys are the keys that only the host can follow.
func hostKeys() []string { return []string{hooksKey, serversKey, "memory", "color", "initialPrompt"} }

// limits reports whether a wrong value of a key costs the definition, since the agent could do
// more without it.
func limits(key string) bool {
	switch key {
	case "tools", "disallowedTools", modeKey, "maxTurns", "isolation", hooksKey:
		return true
	}
	return false
}

// parseFile is Parse; plugin is nil for a file that is of no plugin.
func parseFile(data []byte, origin string, plugin *pluginFile) (Definition, []Problem, error) {
	r := &definitionReader{Definition: Definition{Origin: origin, Custom: true}}
	document, err := frontmatter.Parse(data)
	if err != nil {
		return Definition{}, nil, r.skipped(0, err)
	}
	if !document.Headed && plugin == nil {
		return Definition{}, nil, r.skipped(0, errors.New("it does not begin with a head; write name and description between two lines of three hyphens"))
	}
	r.Prompt = document.Body
	fields := make([]field, len(document.Fields))
	for i, f := range document.Fields {
		fields[i] = field{name: f.Name, line: f.Line, value: f.Value}
	}
	if plugin != nil {
		fields = r.withoutRights(fields)
	}
	if err := r.readAll(fields, ownKeys()); err != nil {
		return Definition{}, r.problems, err
	}
	if err := r.finish(plugin); err != nil {
		return Definition{}, r.problems, err
	}
	return r.Definition, r.problems, nil
}

// readAll reads all fields. The error is a *SkippedError.
func (r *definitionReader) readAll(fields []field, own []string) error {
	for _, f := range fields {
		known, err := r.read(f, own)
		line := lineOf(err, f.line)
		switch {
		case err != nil && limits(f.name):
			return r.skipped(line, fmt.Errorf("%s: %w", f.name, withoutLine(err)))
		case err != nil:
			r.problem(line, "%s: %v; it is left out", f.name, withoutLine(err))
		case !known:
			near := nearest.Names(f.name, append(own, hostKeys()...), 1)
			if mayLimit(f.name, near) {
				return r.skipped(f.line, errors.New(unknownKey(f.name, near, ", and may be meant to limit the agent, which is left out")))
			}
			r.problem(f.line, "%s", unknownKey(f.name, near, " and left out"))
		}
	}
	return nil
}

// mayLimit reports whether an unknown key may be meant to keep tools from the agent. near has the
// known key that is like it, if there is one.
func mayLimit(name string, near []string) bool {
	word := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	about := []string{"tool", "permission", "allow", "deny", "denied", "forbid", "restrict", "readonly", "sandbox"}
	return len(near) > 0 && limits(near[0]) && near[0] != "maxTurns" ||
		slices.ContainsFunc(about, func(part string) bool { return strings.Contains(word, part) })
}

// unknownKey returns the problem of a key that has no meaning, and what becomes of it.
func unknownKey(name string, near []string, effect string) string {
	text := "the key " + strictjson.Quote(strictjson.Cut(name)) + " is unknown" + effect
	if len(near) > 0 {
		text += "; did you mean " + near[0] + "?"
	}
	return text
}

// read reads one field. known is false for a key that has no meaning.
func (r *definitionReader) read(f field, own []string) (known bool, err error) {
	switch {
	case slices.Contains(own, f.name):
		return true, r.readOwn(f)
	case slices.Contains(hostKeys(), f.name):
		return true, r.readForHost(f)
	}
	return false, nil
}

// readOwn reads a field that the definition has.
func (r *definitionReader) readOwn(f field) (err error) {
	switch f.name {
	case nameKey:
		r.Name, err = trimmed(f.value)
	case descriptionKey:
		r.Description, err = trimmed(f.value)
	case promptKey:
		r.Prompt, err = f.value.Text()
	case "tools":
		r.Tools, err = f.value.List()
	case "disallowedTools":
		r.DisallowedTools, err = f.value.List()
	case "skills":
		r.Skills, err = f.value.List()
	case "background":
		r.Background, err = f.value.Bool()
	case "model":
		if r.Model, err = trimmed(f.value); r.Model == "inherit" {
			r.Model = ""
		}
	case "effort":
		return r.readEffort(f.value)
	case modeKey:
		return r.readMode(f.value)
	case "maxTurns":
		return r.readMaxTurns(f.value)
	case "isolation":
		return r.readIsolation(f.value)
	}
	return err
}

// readEffort reads how hard the model should think: a word, or a positive number.
func (r *definitionReader) readEffort(v fieldValue) error {
	text, err := trimmed(v)
	if err != nil || text == "" {
		return err
	}
	if n, err := v.Int(); !slices.Contains(efforts, text) && (err != nil || n <= 0) {
		return fmt.Errorf("there is %s; write low, medium, high, xhigh or max", strictjson.Quote(strictjson.Cut(text)))
	}
	r.Effort = text
	return nil
}

// readMode reads the permission mode.
func (r *definitionReader) readMode(v fieldValue) error {
	text, err := trimmed(v)
	if err != nil || text == "" {
		return err
	}
	p, err := pegboard.NewPermissions(pegboard.Mode(text))
	if err != nil {
		return fmt.Errorf("there is no mode %s; write default, acceptEdits, auto, dontAsk, bypassPermissions or plan", strictjson.Quote(strictjson.Cut(text)))
	}
	r.Mode = p.Mode()
	return nil
}

// readMaxTurns reads the number of requests.
func (r *definitionReader) readMaxTurns(v fieldValue) error {
	text, err := v.Text()
	if err != nil || text == "" {
		return err
	}
	n, err := v.Int()
	if err == nil && n <= 0 {
		err = fmt.Errorf("there is %d; write a number above 0, or leave it out for no limit", n)
	}
	r.MaxTurns = n
	return err
}

// readIsolation reads where the agent works.
func (r *definitionReader) readIsolation(v fieldValue) error {
	text, err := trimmed(v)
	switch {
	case err != nil || text == "":
		return err
	case text == "remote":
		return errors.New("nothing runs on other machines here; write worktree, or leave it out")
	case text != "worktree":
		return fmt.Errorf("there is %s; write worktree, or leave it out", strictjson.Quote(strictjson.Cut(text)))
	}
	r.Worktree = true
	return nil
}

// readForHost carries a key to Extra after a look at its type.
func (r *definitionReader) readForHost(f field) error {
	raw, err := f.value.JSON()
	if err != nil || string(raw) == "null" {
		return err
	}
	var words []string
	switch f.name {
	case hooksKey:
		if raw[0] != '{' {
			return errors.New("write a map from events to hooks")
		}
	case serversKey:
		if raw[0] != '[' && raw[0] != '{' {
			return errors.New("write a list of the names of servers, or a map from names to servers")
		}
	case "memory":
		words = []string{"user", "project", "local"}
	case "color":
		words = []string{"red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"}
	case "initialPrompt":
		if raw[0] != '"' {
			return errors.New("write a text")
		}
	}
	if text, err := trimmed(f.value); words != nil && (err != nil || !slices.Contains(words, text)) {
		return fmt.Errorf("there is %s; write one of %s", strictjson.Cut(string(raw)), strings.Join(words, ", "))
	}
	if r.Extra == nil {
		r.Extra = map[string]json.RawMessage{}
	}
	r.Extra[f.name] = raw
	return nil
}

// withoutRights returns the fields of a plugin's file that count.
func (r *definitionReader) withoutRights(fields []field) []field {
	return slices.DeleteFunc(fields, func(f field) bool {
		if f.name != hooksKey && f.name != serversKey && f.name != modeKey {
			return false
		}
		r.problem(f.line, "%s does not count in a file of a plugin", f.name)
		return true
	})
}

// setName sets the name of a plugin's definition to its id.
func (r *definitionReader) setName(file *pluginFile) error {
	dir, base := path.Split(file.path)
	if r.Name == "" {
		r.Name = strings.TrimSuffix(base, Extension)
	}
	parts := append([]string{file.plugin}, strings.FieldsFunc(dir, func(c rune) bool { return c == '/' })...)
	for _, part := range append(parts, r.Name) {
		if err := checkTypeName(part); err != nil {
			return err
		}
	}
	r.Name = strings.Join(append(parts, r.Name), ":")
	return nil
}

// checkTypeName returns an error if a file cannot define agents of the type name.
func checkTypeName(name string) error {
	quoted := strictjson.Quote(strictjson.Cut(name))
	switch {
	case name == "":
		return errors.New("it has no name; give it one of lower-case letters and hyphens")
	case strings.HasPrefix(name, "-"):
		return fmt.Errorf("the name %s begins with a hyphen; begin with a letter", quoted)
	case strings.ContainsAny(name, ":(),") || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("the name %s has a colon, parenthesis, comma or control character; use lower-case letters and hyphens", quoted)
	case len(name) > maxTypeName:
		return fmt.Errorf("the name %s has %d bytes; use at most %d", quoted, len(name), maxTypeName)
	}
	return nil
}

// maxTypeName is the number of bytes that a name in a file may have.
const maxTypeName = 128

// finish checks the name and the description. The error is a *SkippedError.
func (r *definitionReader) finish(plugin *pluginFile) error {
	var err error
	if plugin != nil {
		err = r.setName(plugin)
	} else {
		err = checkTypeName(r.Name)
	}
	if err == nil && r.Description == "" {
		err = errors.New("it has no description; say there when to use the agent")
	}
	if err != nil {
		return r.skipped(0, err)
	}
	return nil
}

// problem adds a problem that leaves the definition.
func (r *definitionReader) problem(line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{Path: r.Origin, Line: line, Text: fmt.Sprintf(format, args...)})
}

// skipped returns the error that there is no definition.
func (r *definitionReader) skipped(line int, err error) *SkippedError {
	return &SkippedError{Problem{Path: r.Origin, Line: lineOf(err, line), Text: withoutLine(err).Error(), Skipped: true}}
}

// lineOf returns the line of an error, or else line.
func lineOf(err error, line int) int {
	var at *frontmatter.Error
	if errors.As(err, &at) && at.Line > 0 {
		return at.Line
	}
	return line
}

// withoutLine returns an error without its line, which a Problem has in a field.
func withoutLine(err error) error {
	var at *frontmatter.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// trimmed returns the text of a value without space around it.
func trimmed(v fieldValue) (string, error) {
	text, err := v.Text()
	return strings.TrimSpace(text), err
}
