package settings

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// Load reads the files. A missing or empty file has no settings. The error is that of the
// context or of a Files that cannot be used; then there is nothing else.
//
// If files, or parts of files, that may deny something cannot be read, Load returns all
// others together with an error that joins [Loaded.Broken]; Permissions fails with the same
// error. Each names the file, the line and the column. Such are a file that is a *CorruptError
// or has ErrComments, a deny or ask rule that is not understood, hooks that are no object, and
// wrong entries of the lists that deny MCP servers. A host that goes on without them calls
// [Loaded.WithoutBroken].
//
// An allow rule that cannot be parsed is ignored with a warning. In place of a deny or ask
// rule such as Write(/x), MultiEdit(src/**) or Read(~), which names a tool and whose text
// cannot be parsed there, everything that it could mean is asked about, with a warning.
//
// The first source with a mode sets it. No file can set ModeBypass, and no file of a project
// ModeAuto; Flags can set both. Without trust, see [Files].Trusted, a project's file sets
// ModePlan and ModeDontAsk only. Any file can forbid ModeBypass and ModeAuto, by
// disableBypassPermissionsMode and disableAutoMode. Directories are returned as they are in the
// file; relative ones are relative to the session's directory.
//
// A path rule that begins with one slash is relative to the project in a project's file, to
// the directory of the file in the user's file, in managed files and in that of --settings,
// and to the working directory elsewhere. The result spells such a rule so that it means the same in the session.
func (f Files) Load(ctx context.Context) (*Loaded, error) {
	l := &loader{Files: f, Loaded: &Loaded{Env: map[string]string{}, rules: map[ruleKey]Position{}, hooks: map[hookPlace]Position{}}, env: map[string]Position{}, managed: map[string]managedDir{}, near: map[string]string{}, counted: map[hookPlace]int{}}
	l.state.files = f
	if err := l.open(ctx); err != nil {
		return nil, err
	}
	for _, r := range l.readers {
		r.checkKeys()
	}
	l.readPrecedence()
	l.each(func(r *fileReader) { r.readPermissions() }, l.readFlags)
	l.each(func(r *fileReader) {
		r.readHooks()
		r.limit(hookURLsKey, &l.HookURLs)
		r.limit(hookEnvKey, &l.HookEnv)
		r.readEnv()
		r.readKeys()
	}, nil)
	l.joinHooks()
	if err := l.readServers(ctx); err != nil {
		return nil, err
	}
	l.readValues()
	l.finish()
	return l.Loaded, l.broken()
}

// A loader reads all files.
type loader struct {
	Files
	*Loaded
	readers    []*fileReader // from the highest source to the lowest
	precedence precedence
	sets       []hooks.Set
	counted    map[hookPlace]int     // the facts about the hooks that count
	env        map[string]Position   // of the variables in Env
	managed    map[string]managedDir // by the directory of managed files
	near       map[string]string     // the known keys that unknown keys of files may be meant as
	mode       int                   // the fact about the mode, if Mode is set
}

// each calls read for each file, and flags between the managed files and the others.
func (l *loader) each(read func(r *fileReader), flags func()) {
	n := slices.IndexFunc(l.readers, func(r *fileReader) bool { return !r.managed() })
	if n < 0 {
		n = len(l.readers)
	}
	for _, r := range l.readers[:n] {
		read(r)
	}
	if flags != nil {
		flags()
	}
	for _, r := range l.readers[n:] {
		read(r)
	}
}

// open parses all files.
func (l *loader) open(ctx context.Context) error {
	l.state.addDirs(l.Files)
	managed, broken := l.managedFiles()
	for _, b := range broken {
		l.breaks(b.Source, b.Path, b.Err)
	}
	l.state.managed = managed
	for _, path := range slices.Backward(managed) {
		if err := l.openManaged(ctx, path); err != nil {
			return err
		}
	}
	if err := l.openFlags(ctx); err != nil {
		return err
	}
	for _, source := range sources() {
		if path := l.path(source); path != "" {
			if err := l.openFile(ctx, source, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// openFlags parses the value of --settings.
func (l *loader) openFlags(ctx context.Context) error {
	value := l.Flags.Settings
	switch {
	case strings.TrimSpace(value) == "":
		return nil
	case strings.HasPrefix(strings.TrimSpace(value), "{"):
		a, err := l.anchors(SourceFlags)
		if err != nil {
			return err
		}
		l.parseFile(&fileReader{source: SourceFlags, text: text{path: "--settings", data: []byte(value)}, anchors: a, trusted: true})
		return nil
	}
	if !filepath.IsAbs(value) {
		dir, _, err := l.sessionDirs()
		if err != nil {
			return err
		}
		value = filepath.Join(dir, value)
	}
	read, broken := len(l.readers), len(l.Broken)
	if err := l.openFile(ctx, SourceFlags, value); err != nil {
		return err
	}
	if len(l.readers) == read && len(l.Broken) == broken {
		if _, err := os.Stat(value); err != nil {
			l.breaks(SourceFlags, value, fmt.Errorf("--settings: %w", err))
		}
	}
	return nil
}

// openFile reads and parses a file. The error is that of the context.
func (l *loader) openFile(ctx context.Context, source policy.Source, path string) error {
	a, err := l.anchorsOf(source, path)
	if err != nil {
		return err
	}
	before := newStamp(source, path)
	t, err := newTarget(&editor{path: path, source: source, anchors: a})
	if err != nil {
		l.state.add(before, nil)
		l.breaks(source, path, fmt.Errorf("%s: %w", path, err))
		return nil
	}
	snap, err := t.snapshot(ctx)
	trusted := source != policy.SourceProject && source != policy.SourceLocal || l.Trusted ||
		source == policy.SourceLocal && l.TrustedLocal && !t.linked
	return l.parseSnapshot(ctx, &fileReader{source: source, text: text{path: path}, anchors: a, trusted: trusted}, before, snap, err)
}

// openManaged is openFile for a managed file. There may be many in one directory, which is
// resolved once.
func (l *loader) openManaged(ctx context.Context, path string) error {
	dir, name := filepath.Split(path)
	d, known := l.managed[dir]
	if !known {
		var err error
		if d.anchors, err = l.anchorsOf(policy.SourceManaged, path); err != nil {
			return err
		}
		d.real = realpath.Resolve(dir)
		l.managed[dir] = d
	}
	before := newStamp(policy.SourceManaged, path)
	var store atomicfile.Store
	snap, err := store.Load(ctx, filepath.Join(d.real, name), maxBytes)
	if err != nil { // it may be a link
		return l.openFile(ctx, policy.SourceManaged, path)
	}
	return l.parseSnapshot(ctx, &fileReader{source: policy.SourceManaged, text: text{path: path}, anchors: d.anchors, trusted: true}, before, snap, nil)
}

// A managedDir is a directory of managed files.
type managedDir struct {
	anchors anchors
	real    string // resolved path
}

// parseSnapshot parses a file that was read, after the stamp before. The snapshot is nil if it
// is missing, or with an error. The returned error is that of the context.
func (l *loader) parseSnapshot(ctx context.Context, r *fileReader, before stamp, snap *atomicfile.Snapshot, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.state.add(before, snap)
	if err != nil {
		l.breaks(r.source, r.path, err)
	}
	if snap != nil {
		r.data = snap.Data
		l.parseFile(r)
	}
	return nil
}

// breaks notes that a file that may deny something cannot be read.
func (l *loader) breaks(source policy.Source, path string, err error) {
	l.Broken = append(l.Broken, &BrokenError{Source: source, Path: path, Err: err})
	l.discount(l.note(FactFile, path, source, Position{Path: path}), "%v", err)
}

// parseFile parses the text of a file and adds its reader.
func (l *loader) parseFile(r *fileReader) {
	doc, err := parse(r.path, r.data)
	if err != nil {
		l.breaks(r.source, r.path, err)
		return
	}
	r.loader, r.doc, r.top = l, doc, doc.Top()
	r.file = l.note(FactFile, r.path, r.source, r.whole())
	if !r.trusted {
		l.facts[r.file].Why = untrustedWhy + ", so that only what it denies counts"
	}
	l.readers = append(l.readers, r)
}

// setMode sets the mode that sessions start in, unless a higher source has done so.
func (l *loader) setMode(m policy.Mode, fact int) {
	if l.Mode != "" {
		l.discount(fact, "overridden by %v", l.facts[l.mode].Position)
		return
	}
	l.Mode, l.mode = m, fact
}

// readFlags reads the flags but --settings.
func (l *loader) readFlags() {
	set := policy.RuleSet{Source: policy.SourceCLI}
	set.Allow = l.readFlagRules("--allowedTools", policy.Allow, l.Flags.AllowedTools)
	set.Deny = l.readFlagRules("--disallowedTools", policy.Deny, l.Flags.DisallowedTools)
	switch n := len(set.Allow) + len(set.Deny); {
	case n > 0 && l.precedence.rulesOnly.on:
		l.warn(Position{Path: "command line"}, "its rules (%d) do not count, since %v", n, l.precedence.rulesOnly)
	case n > 0:
		l.Rules = append(l.Rules, set)
	}
	for _, dir := range l.Flags.Dirs {
		if dir != "" {
			l.Directories = append(l.Directories, policy.Directory{Path: dir, Source: policy.SourceCLI})
			l.note(FactDirectory, dir, policy.SourceCLI, Position{Path: "--add-dir"})
		}
	}
	l.readTools()
	if l.Flags.Mode == "" {
		return
	}
	at := Position{Path: "--permission-mode"}
	p, err := policy.New(policy.Mode(l.Flags.Mode))
	if err != nil {
		l.breaks(policy.SourceCLI, at.Path, fmt.Errorf("%v: there is no mode %s", at, strictjson.Quote(l.Flags.Mode)))
		return
	}
	l.setMode(p.Mode(), l.note(FactMode, string(p.Mode()), policy.SourceCLI, at))
}

// readFlagRules returns the rules of a flag.
func (l *loader) readFlagRules(flag string, b policy.Behavior, values []string) (rules []string) {
	at := Position{Path: flag}
	for _, text := range splitAll(values) {
		rule, err := policy.ParseRule(b, text)
		fact := l.note(FactRule, b.String()+" "+strictjson.Cut(text), policy.SourceCLI, at)
		switch {
		case err != nil && b == policy.Deny:
			l.discount(fact, "%v", err)
			l.breaks(policy.SourceCLI, flag, fmt.Errorf("%v: %w", at, err))
			continue
		case err != nil:
			l.discount(fact, "%v", err)
			l.warn(at, "an allow rule does not count: %v", err)
			continue
		case l.precedence.rulesOnly.on:
			l.discount(fact, "%v", l.precedence.rulesOnly)
		}
		if spelled := rule.String(); !slices.Contains(rules, spelled) {
			rules = append(rules, spelled)
			l.keepRule(policy.SourceCLI, b, spelled, at)
		}
	}
	return rules
}

// readTools reads --tools.
func (l *loader) readTools() {
	names := splitAll(l.Flags.Tools)
	if l.Flags.Tools == nil || slices.Contains(names, "default") {
		return
	}
	if names == nil {
		names = []string{}
	}
	l.note(FactTools, cmp.Or(strings.Join(names, " "), "none"), policy.SourceCLI, Position{Path: "--tools"})
	l.Restrictions = append(l.Restrictions, pegboard.Restriction{Reason: "--tools does not name it", Only: names, SkipExternal: true})
}

// finish sets the fields that depend on all files, and sorts.
func (l *loader) finish() {
	if l.Mode != "" && slices.Contains(l.Withheld, l.Mode) {
		l.warn(l.facts[l.mode].Position, "%s: %s is disabled", modeKey, l.Mode)
		l.discount(l.mode, "a file disables it")
		l.Mode = ""
	}
	l.Mode = cmp.Or(l.Mode, policy.ModeDefault)
	slices.SortStableFunc(l.Keys, func(a, b Key) int { return cmp.Compare(a.Name, b.Name) })
	l.noteKeys()
	order := []string{FactFile, FactMode, FactForbidden, FactRule, FactDirectory, FactTools, FactHook, FactVariable, FactServer, FactSwitch, FactKey}
	slices.SortStableFunc(l.facts, func(a, b Fact) int {
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
}

// noteKeys adds a fact about each key of the host.
func (l *loader) noteKeys() {
	winner := map[string]Position{}
	for _, k := range l.Keys {
		fact := l.note(FactKey, k.Name, k.Source, k.Position)
		if at, known := winner[k.Name]; known {
			l.discount(fact, "overridden by %v", at)
		} else if !k.Trusted {
			l.discount(fact, untrustedWhy)
		} else {
			winner[k.Name] = k.Position
		}
	}
}
