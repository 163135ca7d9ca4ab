package skills

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/policy"
)

// The limits of a file.
const (
	maxName          = 64  // characters; the Agent Skills standard
	maxCompatibility = 500 // characters; the same standard
)

// skillFile is the name of the file of a skill in its directory.
const skillFile = "SKILL.md"

// Parse reads a skill from the text of a file. The path, with slashes, is for messages and for
// the name if the text has none that can be used: the directory of a file SKILL.md, and
// otherwise the file without its ending. The error is a *[FileError]: the file has no skill that
// can be used. Everything else that has no effect is a problem beside the skill.
//
// Source, Dir and Trusted are not set.
func Parse(path string, data []byte) (Skill, []Problem, error) {
	r := &fileReader{path: path}
	doc, err := frontmatter.Parse(data)
	if err != nil {
		return Skill{}, nil, &FileError{path, err}
	}
	if doc.Unquoted > 0 {
		r.note("line %d: %s", doc.Unquoted, frontmatter.UnquotedAdvice)
	}
	for _, f := range doc.Fields {
		if err := r.read(f); err != nil {
			return Skill{}, nil, &FileError{path, err}
		}
	}
	if err := r.finish(doc.Body); err != nil {
		return Skill{}, nil, &FileError{path, err}
	}
	return r.skill, r.problems, nil
}

// A fileReader reads the values of one file.
type fileReader struct {
	path     string
	skill    Skill
	problems []Problem
}

// note adds a problem with a value that has no effect.
func (r *fileReader) note(format string, args ...any) {
	r.problems = append(r.problems, Problem{Path: r.path, Reason: fmt.Sprintf(format, args...)})
}

// A fieldReader reads the value of one key. An error of a strict one keeps the skill from being
// used: without the value it could do more, or do something else, than its author wants.
type fieldReader struct {
	strict bool
	read   func(r *fileReader, v frontmatter.Value) error
}

// fieldReaders returns the keys that are read.
func fieldReaders() map[string]fieldReader {
	text := func(to func(s *Skill) *string) fieldReader {
		return fieldReader{read: func(r *fileReader, v frontmatter.Value) (err error) {
			*to(&r.skill), err = v.Text()
			return err
		}}
	}
	list := func(strict bool, to func(s *Skill) *[]string) fieldReader {
		return fieldReader{strict: strict, read: func(r *fileReader, v frontmatter.Value) (err error) {
			*to(&r.skill), err = v.List()
			return err
		}}
	}
	extra := func(name string) fieldReader {
		return fieldReader{read: func(r *fileReader, v frontmatter.Value) error { return r.readExtra(name, v) }}
	}
	strict := func(read func(r *fileReader, v frontmatter.Value) error) fieldReader {
		return fieldReader{strict: true, read: read}
	}
	return map[string]fieldReader{
		"name":                     {read: (*fileReader).readName},
		"description":              text(func(s *Skill) *string { return &s.Description }),
		"when_to_use":              text(func(s *Skill) *string { return &s.WhenToUse }),
		"argument-hint":            {read: (*fileReader).readHint},
		"arguments":                {read: (*fileReader).readArguments},
		"disable-model-invocation": strict(func(r *fileReader, v frontmatter.Value) (err error) { r.skill.NoModel, err = v.Bool(); return err }),
		"user-invocable":           strict((*fileReader).readInvocable),
		"allowed-tools":            list(false, func(s *Skill) *[]string { return &s.AllowedTools }),
		"disallowed-tools":         list(true, func(s *Skill) *[]string { return &s.DisallowedTools }),
		"model":                    text(func(s *Skill) *string { return &s.Model }),
		"effort":                   {read: (*fileReader).readEffort},
		"context":                  strict((*fileReader).readContext),
		"agent":                    {strict: true, read: text(func(s *Skill) *string { return &s.Agent }).read},
		"background":               strict((*fileReader).readBackground),
		"paths":                    list(true, func(s *Skill) *[]string { return &s.Paths }),
		"shell":                    strict((*fileReader).readShell),
		"license":                  text(func(s *Skill) *string { return &s.License }),
		"compatibility":            text(func(s *Skill) *string { return &s.Compatibility }),
		"hooks":                    extra("hooks"),
		"metadata":                 extra("metadata"),
	}
}

// read reads one value. A value that nothing is written for counts as left out.
func (r *fileReader) read(f frontmatter.Field) error {
	all := fieldReaders()
	field, known := all[f.Name]
	if !known {
		names := make([]string, 0, len(all))
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		if near := nearest.Names(f.Name, names, 1); len(near) > 0 {
			if all[near[0]].strict && (plain(f.Name) == plain(near[0]) || near[0] == "disallowed-tools") { // without it the skill could do more
				return fmt.Errorf("line %d: the key %s has no effect; write %s", f.Line, strictjson.Quote(f.Name), near[0])
			}
			r.note("line %d: the key %s has no effect; is it meant as %s?", f.Line, strictjson.Quote(f.Name), near[0])
		}
		return nil
	}
	if f.Value.Null() {
		return nil
	}
	err := field.read(r, f.Value)
	switch {
	case err == nil:
		return nil
	case field.strict:
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	r.note("%s: %v; it has no effect", f.Name, err)
	return nil
}

// plain returns a key without the signs that other formats write between its words, and in small
// letters.
func plain(key string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key))
}

// ValidName reports whether a skill can have a name: letters, digits, hyphens, underscores and
// periods, not at first a hyphen or a period, at most 64 of them. Claude Code's documentation
// wants lower case; the files of commands often have other names, so upper case is accepted.
func ValidName(name string) bool {
	if name == "" || len(name) > maxName || name[0] == '-' || name[0] == '.' {
		return false
	}
	return !strings.ContainsFunc(name, func(c rune) bool { return c != '-' && c != '.' && !isWordRune(c) })
}

func isWordRune(c rune) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (r *fileReader) readName(v frontmatter.Value) error {
	name, err := v.Text()
	if err == nil && !ValidName(name) {
		err = fmt.Errorf("%s is no name; write at most %d letters, digits and hyphens", strictjson.Quote(name), maxName)
	}
	if err == nil {
		r.skill.Name = name
	}
	return err
}

// readHint reads the hint, which authors often write in brackets without quotes, as a list.
func (r *fileReader) readHint(v frontmatter.Value) error {
	hint, err := v.Text()
	if err != nil {
		words, listErr := v.List()
		if listErr != nil {
			return err
		}
		hint = "[" + strings.Join(words, ", ") + "]"
	}
	r.skill.ArgumentHint = hint
	return nil
}

func (r *fileReader) readArguments(v frontmatter.Value) error {
	names, err := v.List()
	if err != nil {
		return err
	}
	for i, name := range names {
		if !isArgumentName(name) || slices.Contains(names[:i], name) {
			return fmt.Errorf("%s is no name of an argument, or is there twice; write a letter, then letters, digits, hyphens and underscores", strictjson.Quote(name))
		}
	}
	r.skill.Arguments = names
	return nil
}

func isArgumentName(name string) bool {
	return ValidName(name) && name != wholeName && !strings.Contains(name, ".") && (name[0] < '0' || name[0] > '9')
}

func (r *fileReader) readInvocable(v frontmatter.Value) error {
	invocable, err := v.Bool()
	r.skill.NoPerson = !invocable
	return err
}

func (r *fileReader) readEffort(v frontmatter.Value) error {
	effort, err := v.Text()
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"low", "medium", "high", "xhigh", "max"}, effort) {
		return fmt.Errorf("%s is no effort; write low, medium, high, xhigh or max", strictjson.Quote(effort))
	}
	r.skill.Effort = effort
	return nil
}

func (r *fileReader) readContext(v frontmatter.Value) error {
	where, err := v.Text()
	if err != nil {
		return err
	}
	if r.skill.Fork = where == "fork"; !r.skill.Fork && where != "inline" {
		return fmt.Errorf("%s is not known; write fork, or leave the key out", strictjson.Quote(where))
	}
	return nil
}

func (r *fileReader) readBackground(v frontmatter.Value) error {
	background, err := v.Bool()
	r.skill.Background = &background
	return err
}

func (r *fileReader) readShell(v frontmatter.Value) error {
	shell, err := v.Text()
	if err != nil {
		return err
	}
	if r.skill.PowerShell = shell == "powershell"; !r.skill.PowerShell && shell != "bash" {
		return fmt.Errorf("%s is no shell; write bash or powershell", strictjson.Quote(shell))
	}
	return nil
}

func (r *fileReader) readExtra(name string, v frontmatter.Value) error {
	text, err := v.JSON()
	if err != nil {
		return err
	}
	if r.skill.Extra == nil {
		r.skill.Extra = map[string]json.RawMessage{}
	}
	r.skill.Extra[name] = text
	return nil
}

// finish checks values that depend on each other, and sets the defaults.
func (r *fileReader) finish(body string) error {
	s := &r.skill
	if s.Body = body; strings.TrimSpace(body) == "" {
		return fmt.Errorf("there is no text below the head; write the instructions there")
	}
	if s.Name == "" {
		if s.Name = nameOfPath(r.path); !ValidName(s.Name) {
			return fmt.Errorf("%s is no name of a skill; rename the file or its directory, or write a name into the head", strictjson.Quote(s.Name))
		}
	}
	if s.Description = strings.TrimSpace(s.Description); s.Description == "" {
		s.Description = firstParagraph(body)
	}
	if utf8.RuneCountInString(s.Compatibility) > maxCompatibility {
		r.note("compatibility has more than %d characters; it has no effect", maxCompatibility)
		s.Compatibility = ""
	}
	for _, pattern := range s.Paths {
		if !doublestar.ValidatePattern(pattern) {
			return fmt.Errorf("paths: %s is no pattern of files", strictjson.Quote(pattern))
		}
	}
	return r.checkRules()
}

// checkRules takes out allow rules that cannot be read. A deny rule that cannot be read may be
// about anything, so the skill is not used.
func (r *fileReader) checkRules() error {
	for _, text := range r.skill.DisallowedTools {
		if _, err := policy.ParseRule(policy.Deny, text); err != nil {
			return fmt.Errorf("disallowed-tools: %w", err)
		}
	}
	r.skill.AllowedTools = slices.DeleteFunc(r.skill.AllowedTools, func(text string) bool {
		_, err := policy.ParseRule(policy.Allow, text)
		if err != nil {
			r.note("allowed-tools: %v; the rule has no effect", err)
		}
		return err != nil
	})
	return nil
}

// nameOfPath returns the name of a skill that has none in its text.
func nameOfPath(file string) string {
	if dir, name := path.Split(file); name == skillFile {
		return path.Base(dir)
	}
	return strings.TrimSuffix(path.Base(file), ".md")
}

// firstParagraph returns the first paragraph of a text that is no heading.
func firstParagraph(text string) string {
	for part := range strings.SplitSeq(text, "\n\n") {
		if part = strings.TrimSpace(part); part != "" && !strings.HasPrefix(part, "#") {
			return part
		}
	}
	return strings.TrimLeft(strings.TrimSpace(strings.SplitN(strings.TrimSpace(text), "\n", 2)[0]), "# ")
}
