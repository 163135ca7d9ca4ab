package settings

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// A fileReader reads the permissions of one file.
type fileReader struct {
	*Loaded
	*target
	doc     *jsonedit.Document
	trusted bool
	asked   []string // ask rules in place of rules that are not understood
}

func (r *fileReader) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, Warning{Path: r.path, Text: fmt.Sprintf(format, args...)})
}

func (r *fileReader) read() error {
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
	for _, text := range r.asked {
		if !slices.Contains(set.Ask, text) {
			set.Ask = append(set.Ask, text)
		}
	}
	r.Rules = append(r.Rules, set)
	dirs := r.directories()
	if n := len(set.Allow) + len(dirs); n > 0 && !r.trusted {
		r.warn("its allow rules (%d) and directories (%d) do not count until the project is trusted", len(set.Allow), len(dirs))
	} else {
		r.Directories = append(r.Directories, dirs...)
	}
	r.readMode()
	r.readDisabled(disableBypassKey, pegboard.ModeBypass)
	r.readDisabled(disableAutoKey, pegboard.ModeAuto)
	return nil
}

// rules appends the rules of a behavior, each once, and returns the errors of the others. In
// place of a deny or ask rule that is not understood it adds to asked what that could mean.
func (r *fileReader) rules(b pegboard.Behavior, rules *[]string) (wrong []error) {
	texts, wrong := r.texts(b.String())
	for _, text := range texts {
		rule, err := pegboard.ParseRule(b, text)
		if instead, ok := safeguard(text); err != nil && b != pegboard.Allow && ok {
			r.warn("%s rule not understood; what it may mean is asked about, as if it were the ask rule %s: %v", b, instead, err)
			r.asked = append(r.asked, r.anchors.inSession(instead)...)
			continue
		}
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
func (r *fileReader) texts(key string) (texts []string, wrong []error) {
	list, err := r.doc.At(permissionsKey, key)
	if err != nil || list.Missing() {
		return nil, nil // an error was returned by loadSource before
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

func (r *fileReader) directories() (dirs []pegboard.AddedDirectory) {
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

func (r *fileReader) readMode() {
	at, err := r.doc.At(permissionsKey, modeKey)
	if err != nil || at.Missing() {
		return
	}
	m := pegboard.Mode(r.doc.Text(at))
	p, err := pegboard.NewPermissions(m)
	switch {
	case m == "" || err != nil:
		r.warn("%s: there is no mode %s", modeKey, r.doc.Raw(at))
	case !allowsMode(r.source, m):
		r.warn("%s: %s is not taken from this file", modeKey, m)
	case !r.trusted && (m == pegboard.ModeAcceptEdits || m == pegboard.ModeAuto):
		r.warn("%s: %s does not count until the project is trusted", modeKey, m)
	case r.Mode == "":
		r.Mode, r.modePath = p.Mode(), r.path
	}
}

// readDisabled reads a key that forbids a mode. Any value but "disable", null and false is
// probably a misspelling, so it forbids the mode as well.
func (r *fileReader) readDisabled(key string, m pegboard.Mode) {
	at, err := r.doc.At(permissionsKey, key)
	if err != nil || at.Missing() || r.doc.Raw(at) == "null" {
		return
	}
	if r.doc.Text(at) != "disable" {
		r.warn(`%s: %s is not understood; to forbid the mode, write "disable"`, key, r.doc.Raw(at))
	}
	if r.doc.Raw(at) != "false" && !slices.Contains(r.Withheld, m) {
		r.Withheld = append(r.Withheld, m)
	}
}
