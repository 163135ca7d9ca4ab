package skills_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/skills"
)

func names(list []skills.Skill) (all []string) {
	for _, s := range list {
		all = append(all, s.Name)
	}
	return all
}

func texts(problems []skills.Problem) (all []string) {
	for _, p := range problems {
		all = append(all, p.String())
	}
	return all
}

func TestLoad(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"b/SKILL.md":          {Data: []byte("Do b.")},
		"b/notes.md":          {Data: []byte("not a skill")},
		"a/SKILL.md":          {Data: []byte(file("name: c", "Do a."))},
		"c/SKILL.md":          {Data: []byte("Do c.")},
		"deep/below/SKILL.md": {Data: []byte("too deep")},
		".hidden/SKILL.md":    {Data: []byte("hidden")},
		"README.md":           {Data: []byte("not a skill")},
		"wrong/SKILL.md":      {Data: []byte("---\n")},
		"odd/SKILL.md":        {Data: []byte(file("effort: much", "Do it."))},
	}
	root := filepath.Join(string(filepath.Separator), "home", "me", "skills")
	list, problems := skills.Load(tree, skills.LoadOptions{Dir: root, Source: skills.SourceUser, Trusted: true, Variables: map[string]string{"X": "y"}})
	require.Equal(t, []string{"c", "b", "odd"}, names(list))
	require.Equal(t, skills.Skill{
		Name: "b", Description: "Do b.", Body: "Do b.", Dir: filepath.Join(root, "b"), Origin: filepath.Join(root, "b", "SKILL.md"),
		Source: skills.SourceUser, Trusted: true, Variables: map[string]string{"X": "y"},
	}, list[1])
	require.Equal(t, []string{
		filepath.Join(root, "c", "SKILL.md") + ": the name c is that of " + filepath.Join(root, "a", "SKILL.md") + ", too",
		filepath.Join(root, "odd", "SKILL.md") + `: effort: "much" is no effort; write low, medium, high, xhigh or max; it has no effect`,
		filepath.Join(root, "wrong", "SKILL.md") + ": line 1: the head does not end; write a line of three hyphens after it",
	}, texts(problems))

	list, problems = skills.Load(tree, skills.LoadOptions{Plugin: "tools"})
	require.Equal(t, []string{"tools:c", "tools:b", "tools:odd"}, names(list))
	require.Len(t, problems, 3)
	require.Empty(t, list[0].Dir, "no directory to lend")

	list, problems = skills.Load(fstest.MapFS{}, skills.LoadOptions{})
	require.Empty(t, list)
	require.Empty(t, problems)
}

func TestLoadCommands(t *testing.T) {
	t.Parallel()
	list, problems := skills.LoadCommands(fstest.MapFS{
		"fix.md":          {Data: []byte("Fix $1.")},
		"web/page.md":     {Data: []byte("Make a page.")},
		"web/deep/x.md":   {Data: []byte(file("name: y", "Do y."))},
		"my tools/x.md":   {Data: []byte("x")},
		".git/x.md":       {Data: []byte("x")},
		".x.md":           {Data: []byte("x")},
		"notes.txt":       {Data: []byte("x")},
		"Fix_It.md":       {Data: []byte("x")},
		"what is this.md": {Data: []byte("x")},
	}, skills.LoadOptions{Dir: "/c"})
	require.Equal(t, []string{"Fix_It", "fix", "web:deep:y", "web:page"}, names(list))
	require.Empty(t, list[0].Dir, "commands have no files")
	require.Equal(t, []string{
		filepath.FromSlash("/c/my tools/x.md") + `: "my tools" cannot be part of a name; write letters, digits and hyphens`,
		filepath.FromSlash("/c/what is this.md") + `: "what is this" is no name of a skill; rename the file or its directory, or write a name into the head`,
	}, texts(problems))
}

func TestLoadReadsSoMany(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{}
	for i := range 1010 {
		tree[fmt.Sprintf("s%04d/SKILL.md", i)] = &fstest.MapFile{Data: []byte("x")}
	}
	list, problems := skills.Load(tree, skills.LoadOptions{})
	require.Len(t, list, 1000)
	require.Len(t, problems, 1)
}
