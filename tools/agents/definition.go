package agents

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Definition describes a kind of agent: its purpose, its prompt and its tools. [Parse] reads
// one from a file, [Load] those of a directory; [ReadyMade] are those of this package. Only Name
// and Description are required; every other zero value leaves the agent with the choice of its
// caller.
type Definition struct {
	// Name is the type that a model asks for, such as code-reviewer. That of a plugin's
	// definition is its id, plugin:name or plugin:folder:name.
	Name string
	// Description says when to use the agent. The model that starts agents reads it.
	Description string
	// Prompt is the system prompt of the agent. A host adds the facts of the environment.
	Prompt string

	// Tools and DisallowedTools are the arguments of [pegboard.Pool.Resolve]. Nil Tools mean
	// every tool that the agent's role has, Tools that are empty but not nil mean none.
	Tools, DisallowedTools []string

	// Model and Effort are for the host's loop. Empty means the caller's.
	Model, Effort string
	// Mode is the permission mode. Empty means the parent's. A mode laxer than the parent's
	// has no effect.
	Mode policy.Mode
	// MaxTurns is the number of requests that a run may send to its model. Zero means no limit.
	MaxTurns int
	// Skills are the names of skills whose text the agent is told at its start.
	Skills []string

	// Background makes every run one in the background. Worktree gives each run a git
	// worktree of its own.
	Background, Worktree bool
	// OneShot makes runs that cannot be resumed: their results name no id.
	OneShot bool
	// Custom says that the user wrote the definition: see [pegboard.SessionConfig].CustomAgent.
	Custom bool

	// Origin is the file or other place that the definition comes from, for messages.
	Origin string
	// Extra are the keys of a file that only the host can follow, as JSON: hooks, mcpServers,
	// memory, color and initialPrompt, and in the form of --agents those that only an SDK has.
	Extra map[string]json.RawMessage

	// looks says that the agent only looks, with those of Tools that there are.
	looks bool
}

// Extension is that of agent files.
const Extension = ".md"

// The limits of Load for one tree.
const (
	maxFiles = 2_000
	maxDepth = 16 // folders in folders
)

// Parse reads an agent file: Markdown that begins with a head in YAML, whose body is the
// prompt. origin is the path for messages.
//
// The error is a *SkippedError; then there is no definition. The reasons are a name that is
// missing, begins with "-" or has one of ":(),", no description, YAML that is not understood,
// a wrong value of a key that limits the agent: tools, disallowedTools, permissionMode,
// maxTurns, isolation or hooks, and an unknown key that may be meant to, such as
// disallowed-tools. The problems are about all other keys, which are left out if they are wrong
// or unknown.
//
// Parse takes hooks, mcpServers, memory, color and initialPrompt to Extra; the host decides
// whether they count.
func Parse(data []byte, origin string) (Definition, []Problem, error) {
	return parseFile(data, origin, nil)
}

// A Tree says where the files of [Load] are. The zero value names them by their paths in the
// file system, and takes them as the user's own.
type Tree struct {
	// Path is the directory of the file system, for messages.
	Path string
	// Plugin is the name of the plugin that the files belong to. Then the name of a definition
	// becomes plugin:name, below folders plugin:folder:name, a file without a name has that of
	// the file, and hooks, mcpServers and permissionMode do not count.
	Plugin string
}

// Load reads all files of a tree whose names end in [Extension], folders included, and returns
// their definitions in the byte order of the names. A missing tree has none. Files that cannot
// be used are among the problems with a reason, and so is the later one, in the byte order of
// the paths, of two files with one name. Links to folders are not followed. At most 2,000 files
// are read, of 16 folders in one another.
func Load(fsys fs.FS, t Tree) ([]Definition, []Problem) {
	l := &treeLoader{Tree: t, fsys: fsys, first: map[string]string{}}
	paths := l.find()
	slices.Sort(paths)
	if len(paths) > maxFiles {
		l.skip(".", "there are %d files; at most %d are read", len(paths), maxFiles)
		paths = paths[:maxFiles]
	}
	for _, p := range paths {
		l.load(p)
	}
	slices.SortFunc(l.definitions, func(a, b Definition) int { return cmp.Compare(a.Name, b.Name) })
	return l.definitions, l.problems
}

// A treeLoader reads the files of a tree.
type treeLoader struct {
	Tree
	fsys        fs.FS
	definitions []Definition
	problems    []Problem
	first       map[string]string // the origins by name
}

// origin returns a path for messages.
func (l *treeLoader) origin(p string) string {
	if l.Path == "" {
		return p
	}
	return filepath.Join(l.Path, filepath.FromSlash(p))
}

func (l *treeLoader) skip(p, format string, args ...any) {
	l.problems = append(l.problems, Problem{Path: l.origin(p), Text: fmt.Sprintf(format, args...), Skipped: true})
}

// find returns the paths of the files.
func (l *treeLoader) find() (paths []string) {
	walk := func(p string, entry fs.DirEntry, err error) error {
		switch {
		case p == "." && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			l.skip(p, "it cannot be read: %v", err)
			return nil
		case entry.IsDir() && strings.Count(p, "/") >= maxDepth:
			l.skip(p, "it is more than %d folders deep", maxDepth)
			return fs.SkipDir
		case !entry.IsDir() && l.isFile(p, entry):
			paths = append(paths, p)
		}
		return nil
	}
	if err := fs.WalkDir(l.fsys, ".", walk); err != nil {
		l.skip(".", "it cannot be read: %v", err)
	}
	return paths
}

// isFile reports whether a path is that of an agent file, maybe through a link.
func (l *treeLoader) isFile(p string, entry fs.DirEntry) bool {
	isLink := entry.Type()&fs.ModeSymlink != 0
	named := path.Ext(p) == Extension
	if !named && !isLink {
		return false
	}
	info, err := fs.Stat(l.fsys, p) // follows links
	switch {
	case err != nil && named:
		l.skip(p, "it cannot be read: %v", err)
	case err != nil:
	case info.IsDir():
		l.skip(p, "it is a link to a folder, which is not followed")
	case named && !info.Mode().IsRegular():
		l.skip(p, "it is no regular file")
	default:
		return named
	}
	return false
}

// load reads one file.
func (l *treeLoader) load(p string) {
	data, err := readFile(l.fsys, p)
	if err != nil {
		l.skip(p, "it cannot be read: %v", err)
		return
	}
	var plugin *pluginFile
	if l.Plugin != "" {
		plugin = &pluginFile{plugin: l.Plugin, path: p}
	}
	d, problems, err := parseFile(data, l.origin(p), plugin)
	l.problems = append(l.problems, problems...)
	var skipped *SkippedError
	if errors.As(err, &skipped) {
		l.problems = append(l.problems, skipped.Problem)
		return
	}
	if first, again := l.first[d.Name]; again {
		l.skip(p, "the name %s is that of %s, too; give one of them another name", d.Name, first)
		return
	}
	l.first[d.Name] = d.Origin
	l.definitions = append(l.definitions, d)
}

// readFile reads a file, up to a byte more than Parse accepts.
func readFile(fsys fs.FS, p string) ([]byte, error) {
	file, err := fsys.Open(p)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(file, frontmatter.MaxBytes+1))
}

// Merge returns the definitions of several places, each name once: that of the first place that
// has it. They are in the byte order of the names, so that the text of the Agent tool is the
// same in every run.
func Merge(places ...[]Definition) []Definition {
	var all []Definition
	seen := map[string]bool{}
	for _, place := range places {
		for _, d := range place {
			if !seen[d.Name] {
				seen[d.Name] = true
				all = append(all, d)
			}
		}
	}
	slices.SortFunc(all, func(a, b Definition) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// ParseJSON reads definitions as the flag --agents of Claude Code has them: an object from names
// to objects with the keys of agent files, and the prompt in the key prompt. Keys that only its
// SDK has are carried to Extra. origin is the name of the flag or file for messages.
//
// The definitions are in the byte order of the names. One that is wrong is left out with a
// problem, as a file is. The error is a *SkippedError: the whole is no JSON object, or has a key
// twice.
func ParseJSON(data []byte, origin string) ([]Definition, []Problem, error) {
	value, err := strictjson.Decode(data, strictjson.Limits{Bytes: frontmatter.MaxBytes, Depth: frontmatter.MaxDepth})
	if err != nil {
		return nil, nil, notJSON(origin, err.Error())
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, nil, notJSON(origin, "it is no JSON object; write an object from names to definitions")
	}
	var definitions []Definition
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(object)) {
		r := &definitionReader{Definition: Definition{Name: name, Origin: origin + ": " + strictjson.Cut(name), Custom: true}}
		err := r.readObject(object[name])
		problems = append(problems, r.problems...)
		var skipped *SkippedError
		if errors.As(err, &skipped) {
			problems = append(problems, skipped.Problem)
			continue
		}
		definitions = append(definitions, r.Definition)
	}
	return definitions, problems, nil
}

func notJSON(origin, text string) error {
	return &SkippedError{Problem{Path: origin, Text: text, Skipped: true}}
}

// sdkKeys are the keys that a definition has only in the SDK of Claude Code.
func sdkKeys() []string {
	return []string{"autoCompactWindow", "criticalSystemReminder_EXPERIMENTAL", "observer", "observerMessage", "omitClaudeMd"}
}

// readObject reads a definition of JSON. The error is a *SkippedError.
func (r *definitionReader) readObject(value any) error {
	object, ok := value.(map[string]any)
	if !ok {
		return r.skipped(0, errors.New("it is no object; write an object with description and prompt"))
	}
	own := append(ownKeys()[1:], promptKey) // the name is the key of the object
	var fields []field
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if slices.Contains(sdkKeys(), key) {
			r.carry(key, object[key])
			continue
		}
		fields = append(fields, field{name: key, value: jsonValue{object[key]}})
	}
	if err := r.readAll(fields, own); err != nil {
		return err
	}
	return r.finish(nil)
}

// carry adds a value to Extra.
func (r *definitionReader) carry(key string, value any) {
	raw, err := (jsonValue{value}).JSON()
	if err != nil {
		r.problem(0, "%s: %v; it is left out", key, err)
		return
	}
	if r.Extra == nil {
		r.Extra = map[string]json.RawMessage{}
	}
	r.Extra[key] = raw
}

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
	if document.Unquoted > 0 {
		r.problem(document.Unquoted, "%s", frontmatter.UnquotedAdvice)
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

// unknownKey returns the problem of a key that has no meaning, with its effect.
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
	p, err := policy.New(policy.Mode(text))
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

// A Problem is a fault of a definition in a file. Show it to the user.
type Problem struct {
	Path string // the file, or the other place that the definition comes from
	Line int    // in the file, counted from 1; 0 if the whole is meant
	Text string // the fault and its remedy
	// Skipped says that there is no definition. Otherwise there is one without the part that
	// Text is about.
	Skipped bool
}

// String returns the path, the line and the text.
func (p Problem) String() string {
	switch {
	case p.Path == "":
		return p.Text
	case p.Line == 0:
		return p.Path + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Text)
}

// A SkippedError says that a file, or all of a JSON text, defines no agent.
type SkippedError struct {
	Problem
}

// Error returns the path, the line and the text.
func (e *SkippedError) Error() string { return e.String() }
