package settings_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/settings"
)

// agentPlaces is a directory with one agent file in each place, all trusted.
type agentPlaces struct {
	root  string
	files settings.Files
	kit   settings.Plugin
}

// newAgentPlaces makes the directories: a home, a repository in it with the directory of the
// session three levels below its root, a system's directory, a further directory and a plugin.
func newAgentPlaces(t *testing.T) *agentPlaces {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := &agentPlaces{root: root, kit: settings.Plugin{Name: "kit", Dir: filepath.Join(root, "kit")}}
	require.NoError(t, os.MkdirAll(p.path("home/repo/.git"), 0o700))
	require.NoError(t, os.WriteFile(p.path("home/repo/.git/HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	require.NoError(t, os.MkdirAll(p.path("home/repo/a/b"), 0o700))
	p.files = settings.Locate(p.path("home/repo/a/b"), p.path("home"))
	p.files.Managed = []string{p.path("system/managed-settings.json"), p.path("system/managed-settings.d")}
	p.files.Flags.Dirs = []string{p.path("further")}
	p.files.Trusted = true
	return p
}

func (p *agentPlaces) path(name string) string {
	return filepath.Join(p.root, filepath.FromSlash(name))
}

// add writes a file that defines an agent.
func (p *agentPlaces) add(t *testing.T, file, name string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(p.path(file)), 0o700))
	require.NoError(t, os.WriteFile(p.path(file), []byte("---\nname: "+name+"\ndescription: Of "+file+"\n---\nDo it.\n"), 0o600))
}

// load returns the descriptions of the definitions that count.
func (p *agentPlaces) load(t *testing.T) (descriptions []string, a *settings.Agents) {
	t.Helper()
	a, err := p.files.LoadAgents(t.Context(), p.kit)
	require.NoError(t, err)
	for _, d := range a.Definitions {
		descriptions = append(descriptions, d.Description)
	}
	return descriptions, a
}

func TestLoadAgentsPrecedence(t *testing.T) {
	p := newAgentPlaces(t)
	// From the lowest place to the highest: each new one is the one that counts.
	for _, file := range []string{
		"home/.claude/agents/x.md", "further/.claude/agents/x.md", "home/repo/.claude/agents/x.md", "home/repo/a/.claude/agents/deep/x.md",
		"home/repo/a/b/.claude/agents/x.md", "--agents", "system/.claude/agents/x.md",
	} {
		if file == "--agents" {
			p.files.Flags.Agents = `{"helper": {"description": "Of --agents", "prompt": "Do it."}}`
		} else {
			p.add(t, file, "helper")
		}
		descriptions, a := p.load(t)
		require.Equal(t, []string{"Of " + file}, descriptions)
		require.Empty(t, a.Problems)
	}
	p.add(t, "kit/agents/x.md", "helper")
	p.add(t, "home/other/.claude/agents/x.md", "other") // not above the session's directory
	p.add(t, "home/repo/c/.claude/agents/x.md", "other")
	descriptions, a := p.load(t)
	require.Equal(t, []string{"Of system/.claude/agents/x.md", "Of kit/agents/x.md"}, descriptions)
	require.Equal(t, "kit:helper", a.Definitions[1].Name)
	require.Len(t, a.Overridden, 6)
	require.Equal(t, "Of --agents", a.Overridden[0].Description)
}

func TestLoadAgentsWithoutTrust(t *testing.T) {
	p := newAgentPlaces(t)
	p.files.Trusted = false
	p.add(t, "home/.claude/agents/x.md", "helper")
	p.add(t, "home/repo/.claude/agents/x.md", "helper")
	p.add(t, "further/.claude/agents/x.md", "another")
	p.add(t, "system/.claude/agents/x.md", "managed")
	descriptions, a := p.load(t)
	require.Equal(t, []string{"Of home/.claude/agents/x.md", "Of system/.claude/agents/x.md"}, descriptions)
	var paths []string
	for _, problem := range a.Problems {
		require.True(t, problem.Skipped)
		require.Contains(t, problem.Text, "until the project is trusted")
		paths = append(paths, problem.Path)
	}
	require.Equal(t, []string{p.path("home/repo/.claude/agents"), p.path("further/.claude/agents")}, paths)
}

// The agents of the home directory are the user's, also for a session in it or below it.
func TestLoadAgentsInTheHomeDirectory(t *testing.T) {
	for _, dir := range []string{"home", "home/notes"} {
		p := newAgentPlaces(t)
		p.add(t, "home/.claude/agents/x.md", "helper")
		require.NoError(t, os.MkdirAll(p.path(dir), 0o700))
		p.files = settings.Locate(p.path(dir), p.path("home"))
		p.files.Managed = nil
		descriptions, a := p.load(t)
		require.Equal(t, []string{"Of home/.claude/agents/x.md"}, descriptions)
		require.Empty(t, a.Problems)
		require.Empty(t, a.Overridden)
	}
}

func TestLoadAgentsReportsBadFiles(t *testing.T) {
	p := newAgentPlaces(t)
	p.files.Flags.Agents = `{"a": `
	p.add(t, "home/.claude/agents/good.md", "good")
	p.add(t, "home/.claude/agents/bad.md", "a:b")
	p.add(t, "home/.claude/agents/twice.md", "good")
	require.NoError(t, os.WriteFile(p.path("home/.claude/agents/notes.txt"), []byte("x"), 0o600))
	descriptions, a := p.load(t)
	require.Equal(t, []string{"Of home/.claude/agents/good.md"}, descriptions)
	require.Len(t, a.Problems, 3)
	require.Equal(t, "--agents", a.Problems[0].Path)
	require.Equal(t, p.path("home/.claude/agents/bad.md"), a.Problems[1].Path)
	require.Equal(t, p.path("home/.claude/agents/twice.md"), a.Problems[2].Path)
}

func TestAgentsChanged(t *testing.T) {
	p := newAgentPlaces(t)
	file := "home/repo/.claude/agents/sub/x.md"
	p.add(t, file, "helper")
	old := time.Now().Add(-time.Hour)
	for _, tt := range []struct {
		name   string
		change func()
		want   bool
	}{
		{name: "nothing", change: func() {}},
		{name: "another file", change: func() { require.NoError(t, os.WriteFile(p.path("home/repo/.claude/agents/x.txt"), nil, 0o600)) }},
		{name: "a new text of the same size and times", want: true, change: func() {
			require.NoError(t, os.Chtimes(p.path(file), old, old))
			_, a := p.load(t)
			require.False(t, p.files.AgentsChanged(a, p.kit))
			p.add(t, file, "melper")
		}},
		{name: "new file", want: true, change: func() { p.add(t, "home/.claude/agents/new.md", "new") }},
		{name: "new file in a new folder", want: true, change: func() { p.add(t, "home/repo/a/.claude/agents/m/n/new.md", "new2") }},
		{name: "removed", want: true, change: func() { require.NoError(t, os.Remove(p.path(file))) }},
		{name: "removed folder", want: true, change: func() { require.NoError(t, os.RemoveAll(p.path("home/repo/a/.claude"))) }},
		{name: "flags", want: true, change: func() { p.files.Flags.Agents = "{}" }},
		{name: "trust", want: true, change: func() { p.files.Trusted = false }},
		{name: "plugins", want: true, change: func() { p.kit.Name = "box" }},
	} {
		_, before := p.load(t)
		tt.change()
		require.Equal(t, tt.want, p.files.AgentsChanged(before, p.kit), tt.name)
	}
	require.True(t, p.files.AgentsChanged(nil))
}

// A file may be written twice while the clock of its file system stands.
func TestAgentsChangedWithinATickOfTheClock(t *testing.T) {
	p := newAgentPlaces(t)
	p.add(t, "home/.claude/agents/x.md", "helper")
	path := p.path("home/.claude/agents/x.md")
	info, err := os.Stat(path)
	require.NoError(t, err)
	_, before := p.load(t)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data[len(data)-2] = '!'
	require.NoError(t, os.WriteFile(path, data, 0o600))
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	require.True(t, p.files.AgentsChanged(before, p.kit))
}

func TestLoadAgentsEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newAgentPlaces(t).files.LoadAgents(ctx)
	require.ErrorIs(t, err, context.Canceled)
}
