package settings

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// Loaded is what the settings files say of permissions.
type Loaded struct {
	Mode        pegboard.Mode             // that sessions start in; ModeDefault if no file says
	Rules       []pegboard.RuleSet        // of each file that is there: local, project, user
	Directories []pegboard.AddedDirectory // in the same order
	Warnings    []Warning                 // what does not count, for the user to see
}

// A Warning is something in a settings file that does not count.
type Warning struct {
	Path string // of the file
	Text string // what and why
}

// String returns the path and the text.
func (w Warning) String() string { return w.Path + ": " + w.Text }

// Permissions returns what was loaded as the permissions of a session. They hold in
// one whose Dir and Home are those of the Files.
func (l *Loaded) Permissions() (pegboard.Permissions, error) {
	p, err := pegboard.NewPermissions(l.Mode, l.Rules...)
	if err != nil {
		return pegboard.Permissions{}, err
	}
	var updates []pegboard.PermissionUpdate
	for _, d := range l.Directories {
		updates = append(updates, pegboard.PermissionUpdate{Type: pegboard.UpdateAddDirectories, Directories: []string{d.Path}, Destination: d.Source})
	}
	return p.Apply(updates...)
}

// Load reads the files. One that is missing or empty says nothing.
//
// An allow rule that cannot be understood is left out with a warning. A deny or ask
// rule that cannot be is an error, and so is a file that cannot be read, a
// *CorruptError or ErrComments: less would be denied than the user wrote.
//
// The first file that names a mode decides. No file can bring in ModeBypass, and
// only the user's ModeAuto. Without trust, see [Files].Trusted, a mode laxer than
// ModeDefault does not count either. Directories are as the file has them:
// relative ones are those of the session's directory.
//
// A path rule that begins with one slash stands on the project in a project's
// file, on the directory of the file in the user's, and on the working directory
// in the local one. In the result it is written so that it means this in the
// session.
func (f Files) Load(ctx context.Context) (*Loaded, error) {
	l := &Loaded{}
	for _, source := range sources() {
		if f.path(source) == "" {
			continue
		}
		if err := f.loadFrom(ctx, l, source); err != nil {
			return nil, err
		}
	}
	if l.Mode == "" {
		l.Mode = pegboard.ModeDefault
	}
	return l, nil
}

func (f Files) loadFrom(ctx context.Context, l *Loaded, source pegboard.RuleSource) error {
	a, err := f.anchors(source)
	if err != nil {
		return err
	}
	t, err := newTarget(&editor{path: f.path(source), source: source, anchors: a})
	if err != nil {
		return err
	}
	data, err := t.load(ctx)
	if err != nil || data == nil {
		return err
	}
	doc, err := parse(t.path, data)
	if err != nil {
		return err
	}
	if _, err := doc.At(permissionsKey, modeKey); err != nil { // it is no object
		return fmt.Errorf("%s: %w", t.path, err)
	}
	r := reader{Loaded: l, target: t, doc: doc, trusted: f.Trusted || source == pegboard.SourceUser ||
		source == pegboard.SourceLocal && !t.linked && !gitrepo.MayTrack(t.real)}
	return r.read()
}

// A reader reads one file.
type reader struct {
	*Loaded
	*target
	doc     *jsonedit.Document
	trusted bool
}

func (r *reader) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, Warning{Path: r.path, Text: fmt.Sprintf(format, args...)})
}

func (r *reader) read() error {
	set := pegboard.RuleSet{Source: r.source, Untrusted: !r.trusted}
	var wrong []error
	for _, list := range []struct {
		behavior pegboard.Behavior
		rules    *[]string
	}{{pegboard.Deny, &set.Deny}, {pegboard.Ask, &set.Ask}, {pegboard.Allow, &set.Allow}} {
		bad := r.rules(list.behavior, list.rules)
		for _, err := range bad {
			if list.behavior == pegboard.Allow {
				r.warn("an allow rule does not count: %v", err)
			} else {
				wrong = append(wrong, fmt.Errorf("%s: %v rules: %w", r.path, list.behavior, err))
			}
		}
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	r.Rules = append(r.Rules, set)
	dirs := r.directories()
	if n := len(set.Allow) + len(dirs); n > 0 && !r.trusted {
		r.warn("its allow rules (%d) and directories (%d) do not count until the project is trusted", len(set.Allow), len(dirs))
	} else {
		r.Directories = append(r.Directories, dirs...)
	}
	r.readMode()
	return nil
}

// rules appends the rules of a behavior, each once, and returns what is wrong with
// the others.
func (r *reader) rules(b pegboard.Behavior, rules *[]string) (wrong []error) {
	texts, wrong := r.texts(b.String())
	for _, text := range texts {
		rule, err := pegboard.ParseRule(b, text)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		for _, spelled := range r.anchors.inSession(rule) {
			if !slices.Contains(*rules, spelled) {
				*rules = append(*rules, spelled)
			}
		}
	}
	return wrong
}

// texts returns the strings of a list of permissions.
func (r *reader) texts(key string) (texts []string, wrong []error) {
	list, err := r.doc.At(permissionsKey, key)
	if err != nil || list.Missing() {
		return nil, nil // Load looked at the way there
	}
	if !r.doc.Opens(list, '[') {
		return nil, []error{fmt.Errorf("%s is not a list", key)}
	}
	for _, element := range r.doc.Elements(list) {
		switch {
		case !r.doc.Opens(element, '"'):
			wrong = append(wrong, fmt.Errorf("%s is not a string", r.doc.Raw(element)))
		case jsonscan.IndexLoneSurrogate(r.doc.Bytes(element)) >= 0:
			wrong = append(wrong, fmt.Errorf("%s holds half a character", r.doc.Raw(element)))
		default:
			texts = append(texts, r.doc.Text(element))
		}
	}
	return texts, wrong
}

func (r *reader) directories() (dirs []pegboard.AddedDirectory) {
	texts, wrong := r.texts(directoriesKey)
	for _, err := range wrong {
		r.warn("%s: %v", directoriesKey, err)
	}
	for _, text := range texts {
		if d := (pegboard.AddedDirectory{Path: text, Source: r.source}); text != "" && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	return dirs
}

func (r *reader) readMode() {
	at, err := r.doc.At(permissionsKey, modeKey)
	if err != nil || at.Missing() {
		return
	}
	m := pegboard.Mode(r.doc.Text(at))
	p, err := pegboard.NewPermissions(m)
	switch {
	case m == "" || err != nil:
		r.warn("%s: there is no mode %s", modeKey, r.doc.Raw(at))
	case !keeps(r.source, m):
		r.warn("%s: %s is not taken from this file", modeKey, m)
	case !r.trusted && (m == pegboard.ModeAcceptEdits || m == pegboard.ModeAuto):
		r.warn("%s: %s does not count until the project is trusted", modeKey, m)
	case r.Mode == "":
		r.Mode = p.Mode()
	}
}
