package skills

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Announce returns a text that tells the model of the skills that it can load, and a list that
// stands for them. It is for skills what [pegboard.Pool.Announce] is for deferred tools: told is
// the list of the last call, and the text names only the skills that were added, changed or removed
// since; it is empty if there are no such skills. After a compaction, and in a conversation that does not
// contain the earlier texts, told is nil. The text belongs into a message of the user, so that
// the definition of the tool never changes.
//
// Announce reads the skills again. A pool without the tool Skill has no skills. The
// model is not told of skills that a deny rule is about, or that it cannot load. A description has at
// most 1,536 characters, and all lines together have [Options].MaxListed: if there are more, the
// skills that were used least keep their name only, and then are left out.
func (k *Skills) Announce(p *pegboard.Pool, told []string) (text string, now []string) {
	s := p.Session()
	if s == nil {
		return "", told
	}
	c := k.reload(s)
	if _, ok := p.Lookup(toolName); !ok {
		return removed(told, nil), nil
	}
	var shown []*Skill
	for i := range c.skills {
		if skill := &c.skills[i]; skill.refusal() == "" && k.isActive(s, skill) && !isDenied(p, skill) {
			shown = append(shown, skill)
			now = append(now, entryOf(skill))
		}
	}
	var parts []string
	if came := k.lines(s, shown, told); len(came) > 0 {
		parts = append(parts, "These skills can be loaded with the tool Skill, by their names. Load one before you do what it is for:")
		parts = append(parts, came...)
	}
	if gone := removed(told, now); gone != "" {
		parts = append(parts, gone)
	}
	return strings.Join(parts, "\n"), now
}

// entryOf returns the entry of a skill in the list of told skills.
func entryOf(s *Skill) string {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, s.Visibility, s.about())
	return fmt.Sprintf("%s#%x", s.Name, h.Sum64())
}

// removed tells of the skills that were told before and are not there now.
func removed(told, now []string) string {
	names := map[string]bool{}
	for _, entry := range now {
		names[nameIn(entry)] = true
	}
	var gone []string
	for _, entry := range told {
		if name := nameIn(entry); !names[name] {
			gone = append(gone, name)
		}
	}
	if len(gone) == 0 {
		return ""
	}
	return "These skills are not available any more:\n" + strings.Join(gone, "\n")
}

func nameIn(entry string) string {
	name, _, _ := strings.Cut(entry, "#")
	return name
}

// lines returns the lines about the skills that were not told before.
func (k *Skills) lines(s *pegboard.Session, shown []*Skill, told []string) []string {
	room, short := k.o.MaxListed, map[string]string{}
	for _, skill := range k.byUse(s, shown) { // names first
		line := "- " + skill.Name
		if size := utf8.RuneCountInString(line) + 1; size <= room {
			room -= size
			short[skill.Name] = line
		}
	}
	left := 0
	for _, skill := range k.byUse(s, shown) {
		about := ": " + skill.about()
		size := utf8.RuneCountInString(about)
		if line, ok := short[skill.Name]; !ok {
			left++
		} else if skill.Visibility == On && about != ": " && size <= room {
			room -= size
			short[skill.Name] = line + about
		}
	}
	var lines []string
	for _, skill := range shown {
		if line, ok := short[skill.Name]; ok && !slices.Contains(told, entryOf(skill)) {
			lines = append(lines, line)
		}
	}
	if left > 0 && len(lines) > 0 {
		lines = append(lines, fmt.Sprintf("and %d more, for whose names there is no room", left))
	}
	return lines
}

// byUse returns skills, those first that are used most.
func (k *Skills) byUse(s *pegboard.Session, shown []*Skill) []*Skill {
	st := k.of(s)
	uses := func(skill *Skill) int { return skill.Uses + st.usesOf(skill.Name) }
	sorted := slices.Clone(shown)
	slices.SortStableFunc(sorted, func(a, b *Skill) int { return cmp.Compare(uses(b), uses(a)) })
	return sorted
}

// isDenied reports whether a deny rule is about a skill whatever its arguments.
func isDenied(p *pegboard.Pool, skill *Skill) bool {
	if skill.prompt != nil && skill.prompt.rule(p.Session(), policy.Deny) != "" {
		return true
	}
	for _, r := range p.Session().Permissions().Rules() {
		if r.Behavior == policy.Deny {
			d := p.Decide(context.Background(), pegboard.Call{Name: toolName, Input: encoded(input{Skill: skill.Name})})
			return d.Behavior == policy.Deny && d.Rule != nil
		}
	}
	return false
}

// isActive reports whether the files that a skill is for were touched.
func (k *Skills) isActive(s *pegboard.Session, skill *Skill) bool {
	if len(skill.Paths) == 0 {
		return true
	}
	dir := k.projectDir(s)
	return slices.ContainsFunc(k.of(s).touchedFiles(), func(file string) bool {
		rel, err := filepath.Rel(dir, file)
		if err != nil || !filepath.IsLocal(rel) {
			return false
		}
		return slices.ContainsFunc(skill.Paths, func(pattern string) bool { return matches(pattern, filepath.ToSlash(rel)) })
	})
}

// matches reports whether a pattern is about a file. One without a slash is about files of that
// name in all directories.
func matches(pattern, file string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(pattern, "/"), file)
}
