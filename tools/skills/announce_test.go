package skills_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

const announceHead = "These skills can be loaded with the tool Skill, by their names. Load one before you do what it is for:\n"

func TestAnnounceTellsChanges(t *testing.T) {
	t.Parallel()
	var list []skills.Skill
	w := newWorld(t, worldConfig{options: skills.Options{List: func(*pegboard.Session, []string) []skills.Skill { return list }}})
	declared := func() string {
		tool, _ := w.pool.Lookup("Skill")
		d, _ := tool.Declare(pegboard.Scope{Session: w.session})
		return string(d.InputSchema) + d.Description
	}
	before := declared()
	text, told := w.skills.Announce(w.pool, nil)
	require.Empty(t, text)

	list = []skills.Skill{{Name: "b", Body: "x", Description: "Does\n b.", WhenToUse: "Use it often."}, {Name: "a", Body: "x"}}
	text, told = w.skills.Announce(w.pool, told)
	require.Equal(t, announceHead+"- a\n- b: Does b. Use it often.", text)
	text, told = w.skills.Announce(w.pool, told)
	require.Empty(t, text)

	list = []skills.Skill{{Name: "b", Body: "another", Description: "Does c."}}
	text, told = w.skills.Announce(w.pool, told)
	require.Equal(t, announceHead+"- b: Does c.\nThese skills are not available any more:\na", text)
	text, _ = w.skills.Announce(w.pool, told)
	require.Empty(t, text)
	text, _ = w.skills.Announce(w.pool, nil)
	require.Equal(t, announceHead+"- b: Does c.", text, "after a compaction")
	require.Equal(t, before, declared(), "the tool never changes")
}

func TestAnnounceLeavesOutDenied(t *testing.T) {
	t.Parallel()
	list := []skills.Skill{{Name: "a", Body: "x"}, {Name: "b", Body: "x"}}
	w := newWorld(t, worldConfig{list: list, rules: policy.RuleSet{Deny: []string{"Skill(a)"}}})
	text, _ := w.skills.Announce(w.pool, nil)
	require.Equal(t, announceHead+"- b", text)
	w = newWorld(t, worldConfig{list: list, rules: policy.RuleSet{Deny: []string{"Skill"}}})
	text, told := w.skills.Announce(w.pool, []string{"a#1"})
	require.Equal(t, "These skills are not available any more:\na", text)
	require.Empty(t, told)
}

func TestAnnounceHasRoomForTheMostUsed(t *testing.T) {
	t.Parallel()
	var list []skills.Skill
	for i := range 20 {
		list = append(list, skills.Skill{Name: fmt.Sprintf("skill-%02d", i), Body: "x", Description: strings.Repeat("ü", 2000), Uses: i})
	}
	w := newWorld(t, worldConfig{list: list, rules: allowSkills()})
	text, _ := w.skills.Announce(w.pool, nil)
	require.LessOrEqual(t, utf8.RuneCountInString(text), skills.DefaultMaxListed+len(announceHead))
	lines := strings.Split(text, "\n")[1:]
	require.Len(t, lines, 20)
	for i, line := range lines {
		if i < 15 {
			require.Equal(t, list[i].Name, strings.TrimPrefix(line, "- "), "least used")
		} else {
			require.Equal(t, 1536, utf8.RuneCountInString(strings.TrimPrefix(line, "- "+list[i].Name+": ")))
		}
	}
	for range 21 {
		w.session.NewTurn()
		require.NoError(t, w.load(t, "skill-00", "").Err)
	}
	text, _ = w.skills.Announce(w.pool, nil)
	require.Contains(t, text, "- skill-00: ü")

	list = nil
	for i := range 2000 {
		list = append(list, skills.Skill{Name: fmt.Sprintf("skill-%04d", i), Body: "x", Uses: i})
	}
	w = newWorld(t, worldConfig{list: list})
	text, told := w.skills.Announce(w.pool, nil)
	require.NotContains(t, text, "skill-0000")
	require.Contains(t, text, "skill-1999")
	require.True(t, strings.HasSuffix(text, "and 1385 more, for whose names there is no room"), text[len(text)-100:])
	text, _ = w.skills.Announce(w.pool, told)
	require.Empty(t, text)
}

func TestSkillsOfFilesThatWereTouched(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, file string
		want          bool
	}{
		{pattern: "*.go", file: "main.go", want: true},
		{pattern: "*.go", file: "deep/below/main.go", want: true},
		{pattern: "src/**/*.ts", file: "src/a.ts", want: true},
		{pattern: "src/**/*.ts", file: "lib/a.ts"},
		{pattern: "./src/", file: "src/a/b", want: true},
		{pattern: "/src/*", file: "src/a", want: true},
		{pattern: "**/*.{ts,tsx}", file: "x/y.tsx", want: true},
		{pattern: "*", file: "../outside"},
	}
	for _, tt := range tests {
		t.Run(tt.pattern+" "+tt.file, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "x", Paths: []string{tt.pattern}}}})
			text, _ := w.skills.Announce(w.pool, nil)
			require.Empty(t, text)
			w.skills.Touch(w.session, filepath.Join(w.dir, tt.file))
			text, _ = w.skills.Announce(w.pool, nil)
			require.Equal(t, tt.want, text != "", text)
		})
	}
}

// TestCallsTouchFiles checks that the hooks note what calls touch, and that the next list of
// skills can depend on it.
func TestCallsTouchFiles(t *testing.T) {
	t.Parallel()
	var seen []string
	w := newWorld(t, worldConfig{options: skills.Options{List: func(_ *pegboard.Session, touched []string) []skills.Skill {
		seen = touched
		return nil
	}}})
	write(t, filepath.Join(w.dir, "app", "main.go"), "package main\n")
	require.NoError(t, w.call(t, "Read", map[string]string{"file_path": filepath.Join(w.dir, "app", "main.go")}).Err)
	_ = w.call(t, "Read", map[string]string{"file_path": filepath.Join(w.dir, "missing.go")})
	w.skills.Announce(w.pool, nil)
	require.Equal(t, []string{filepath.Join(w.dir, "app", "main.go")}, seen)
}

// TestAnnouncementIsFollowed does what the model is told.
func TestAnnouncementIsFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "report", Description: "Writes a report.", Body: "Write it."}}, rules: allowSkills()})
	text, _ := w.skills.Announce(w.pool, nil)
	name := regexp.MustCompile(`with the tool Skill, by their names.*\n- ([^:]+):`).FindStringSubmatch(text)
	require.NotNil(t, name, text)
	require.NoError(t, w.load(t, name[1], "").Err)
}
