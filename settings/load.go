package settings

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
)

// Loaded are the permissions in the settings files.
type Loaded struct {
	Mode        pegboard.Mode             // the mode that sessions start in; ModeDefault if no file sets one
	Withheld    []pegboard.Mode           // the modes that a file disables
	Rules       []pegboard.RuleSet        // rules of each existing file, in the order local, project, user
	Directories []pegboard.AddedDirectory // directories in the same order
	Warnings    []Warning                 // ignored settings, to show to the user

	modePath string // the file that set Mode
}

// A Warning describes a setting that is ignored.
type Warning struct {
	Path string // path of the file
	Text string // the setting and the reason
}

// String returns the path and the text.
func (w Warning) String() string { return w.Path + ": " + w.Text }

// Permissions returns the loaded permissions. They are valid for a session whose Dir and Home
// are those of the Files.
func (l *Loaded) Permissions() (pegboard.Permissions, error) {
	p, err := pegboard.NewPermissions(l.Mode, l.Rules...)
	if err != nil {
		return pegboard.Permissions{}, err
	}
	var updates []pegboard.PermissionUpdate
	for _, d := range l.Directories {
		updates = append(updates, pegboard.PermissionUpdate{Type: pegboard.UpdateAddDirectories, Directories: []string{d.Path}, Destination: d.Source})
	}
	return p.Without(l.Withheld...).Apply(updates...)
}

// Load reads the files. A missing or empty file has no settings.
//
// An allow rule that cannot be parsed is ignored with a warning. In place of a deny or ask
// rule such as Write(/x), MultiEdit(src/**) or Read(~), which names a tool and whose text
// cannot be parsed there, everything that it could mean is asked about, with a warning. Any
// other deny or ask rule that cannot be parsed is an error, and so is a file that cannot be
// read, a *CorruptError or ErrComments, since otherwise less would be denied than the user
// wrote.
//
// The first file with a mode sets it. No file can set ModeBypass, and only the user's file
// ModeAuto. Without trust, see [Files].Trusted, a mode that allows more than ModeDefault is
// ignored as well. Any file can forbid ModeBypass and ModeAuto, by
// disableBypassPermissionsMode and disableAutoMode. Directories are returned as they are in the file; relative ones are
// relative to the session's directory.
//
// A path rule that begins with one slash is relative to the project in a project's file, to
// the directory of the file in the user's file, and to the working directory in the local
// file. The result spells such a rule so that it means the same in the session.
func (f Files) Load(ctx context.Context) (*Loaded, error) {
	l := &Loaded{}
	for _, source := range sources() {
		if f.path(source) == "" {
			continue
		}
		if err := f.loadSource(ctx, l, source); err != nil {
			return nil, err
		}
	}
	if l.Mode == "" {
		l.Mode = pegboard.ModeDefault
	}
	if slices.Contains(l.Withheld, l.Mode) {
		l.Warnings = append(l.Warnings, Warning{Path: l.modePath, Text: fmt.Sprintf("%s: %s is disabled", modeKey, l.Mode)})
		l.Mode = pegboard.ModeDefault
	}
	return l, nil
}

func (f Files) loadSource(ctx context.Context, l *Loaded, source pegboard.RuleSource) error {
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
	if _, err := doc.At(permissionsKey, modeKey); err != nil { // "permissions" is no object
		return fmt.Errorf("%s: %w", t.path, err)
	}
	r := fileReader{Loaded: l, target: t, doc: doc, trusted: f.Trusted || source == pegboard.SourceUser ||
		source == pegboard.SourceLocal && !t.linked && !gitrepo.MayTrack(t.real)}
	return r.read()
}

// RuleProblems returns the rules of the files that can match no call of the pool's tools, or
// not as they are meant: see [pegboard.Pool.RuleProblems]. Show them with the Warnings, once
// all tools are there.
func (f Files) RuleProblems(p *pegboard.Pool) []Warning {
	var warnings []Warning
	for _, problem := range p.RuleProblems() {
		if path := f.path(problem.Rule.Source); path != "" {
			warnings = append(warnings, Warning{Path: path, Text: problem.String()})
		}
	}
	return warnings
}
