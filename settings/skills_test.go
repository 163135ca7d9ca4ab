package settings_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
	filetools "github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

// skillTree is a home directory and a repository with skills at every place.
type skillTree struct {
	home, repo, dir, managed, plugin string
	files                            settings.Files
}

func newSkillTree(t *testing.T) *skillTree {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &skillTree{
		home: filepath.Join(top, "home"), repo: filepath.Join(top, "home", "repo"), dir: filepath.Join(top, "home", "repo", "app"),
		managed: filepath.Join(top, "etc"), plugin: filepath.Join(top, "plugin"),
	}
	for _, dir := range []string{w.dir, filepath.Join(w.repo, ".git", "objects"), filepath.Join(w.repo, ".git", "refs"), w.managed} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	w.write(t, filepath.Join(w.repo, ".git", "HEAD"), "ref: refs/heads/main\n")
	w.files = settings.Locate(w.dir, w.home)
	w.files.TrustedLocal = true
	w.files.Managed = []string{filepath.Join(w.managed, "managed-settings.json")}
	return w
}

func (w *skillTree) write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// skill writes a skill whose text says where it is.
func (w *skillTree) skill(t *testing.T, dir, name, where string) {
	t.Helper()
	w.write(t, filepath.Join(dir, "skills", name, "SKILL.md"), "---\nallowed-tools: Bash\n---\nFrom "+where+".\n")
}

func (w *skillTree) load(t *testing.T, o settings.SkillOptions) *settings.Skills {
	t.Helper()
	loaded, err := w.files.LoadSkills(t.Context(), o)
	require.NoError(t, err)
	return loaded
}

// bodies returns the texts of skills by name.
func bodies(list []skills.Skill) map[string]string {
	all := map[string]string{}
	for _, s := range list {
		all[s.Name] = s.Body
	}
	return all
}

func TestSkillsOfAllPlaces(t *testing.T) {
	t.Parallel()
	w := newSkillTree(t)
	w.files.Trusted = true
	claude := func(dir string) string { return filepath.Join(dir, ".claude") }
	w.skill(t, claude(w.managed), "a", "managed")
	for _, name := range []string{"a", "b"} {
		w.skill(t, claude(w.home), name, "user")
	}
	for _, name := range []string{"a", "b", "c"} {
		w.skill(t, claude(w.dir), name, "app")
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		w.skill(t, claude(w.repo), name, "repo")
	}
	shared := func(dir string) string { return filepath.Join(dir, ".agents") }
	w.skill(t, shared(w.home), "b", "shared by the user's agents")
	w.skill(t, shared(w.home), "h", "shared by the user's agents")
	w.skill(t, shared(w.repo), "d", "shared in the repo")
	w.skill(t, shared(w.repo), "g", "shared in the repo")
	w.skill(t, shared(filepath.Join(w.dir, "deep")), "f", "shared below")
	w.skill(t, claude(filepath.Join(w.dir, "deep")), "e", "nested")
	w.skill(t, claude(filepath.Join(w.dir, "deep")), "d", "nested")
	w.skill(t, w.plugin, "a", "plugin")
	w.write(t, filepath.Join(claude(w.home), "commands", "b.md"), "A command of the user.")
	w.write(t, filepath.Join(claude(w.repo), "commands", "web", "fix.md"), "A command of the project.")

	o := settings.SkillOptions{
		Plugins: []settings.Plugin{{Name: "tools", Dir: w.plugin}},
		Bundled: []skills.Skill{{Name: "a", Body: "From the host."}, {Name: "z", Body: "From the host.", Source: skills.SourceBundled}},
		Prompts: []skills.Skill{skills.Prompt{Server: "github", Name: "review"}.Skill()},
	}
	loaded := w.load(t, o)
	require.Empty(t, loaded.Problems)
	want := map[string]string{
		"a": "From managed.", "b": "From user.", "c": "From app.", "d": "From repo.", "g": "From shared in the repo.", "h": "From shared by the user's agents.", "tools:a": "From plugin.", "z": "From the host.",
		"web:fix": "A command of the project.", "mcp__github__review": "(the text of an MCP server)",
	}
	require.Equal(t, want, bodies(loaded.Skills))
	require.Len(t, loaded.Overridden, 10)

	o.Touched = []string{filepath.Join(w.dir, "deep", "below", "main.go"), filepath.Join(w.home, "elsewhere"), "relative"}
	want["e"], want["f"] = "From nested.", "From shared below."
	require.Equal(t, want, bodies(w.load(t, o).Skills))
	for _, s := range w.load(t, o).Skills {
		if s.Name == "tools:a" {
			require.Equal(t, map[string]string{"CLAUDE_PLUGIN_ROOT": w.plugin}, s.Variables)
		}
		require.Equal(t, s.Source != skills.SourceBundled && s.Source != skills.SourcePrompt, s.Trusted, s.Name)
	}
}

func TestUntrustedSkills(t *testing.T) {
	t.Parallel()
	w := newSkillTree(t)
	claude := filepath.Join(w.repo, ".claude")
	w.skill(t, claude, "plain", "repo")
	w.skill(t, filepath.Join(w.home, ".claude"), "own", "user")
	w.skill(t, filepath.Join(w.dir, "deep", ".claude"), "nested", "nested")
	w.skill(t, filepath.Join(w.repo, ".agents"), "shared", "repo")
	secret := filepath.Join(w.home, "secret")
	w.write(t, filepath.Join(secret, "SKILL.md"), "Secret.")
	require.NoError(t, os.Symlink(secret, filepath.Join(claude, "skills", "stolen")))
	require.NoError(t, os.MkdirAll(filepath.Join(claude, "skills", "linked"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(secret, "SKILL.md"), filepath.Join(claude, "skills", "linked", "SKILL.md")))

	o := settings.SkillOptions{Touched: []string{filepath.Join(w.dir, "deep", "x.go")}}
	loaded := w.load(t, o)
	require.Equal(t, map[string]string{"own": "From user.", "plain": "From repo.", "shared": "From repo.", "nested": "From nested."}, bodies(loaded.Skills))
	for _, s := range loaded.Skills {
		require.Equal(t, s.Name == "own", s.Trusted, s.Name)
	}
	require.Len(t, loaded.Problems, 1)
	require.Equal(t, filepath.Join(claude, "skills", "linked", "SKILL.md"), loaded.Problems[0].Path)

	w.files.Trusted = true
	loaded = w.load(t, o)
	require.Len(t, loaded.Skills, 6, "the user trusts the links, too")
	for _, s := range loaded.Skills {
		require.True(t, s.Trusted)
	}
}

// TestNestedSkillsOfOthers checks that the skills of what lies in a project, but is not its own,
// are not trusted with it.
func TestNestedSkillsOfOthers(t *testing.T) {
	t.Parallel()
	w := newSkillTree(t)
	w.files.Trusted = true
	own, module, repo := filepath.Join(w.dir, "own"), filepath.Join(w.dir, "node_modules", "left-pad"), filepath.Join(w.dir, "submodule")
	w.skill(t, filepath.Join(own, ".claude"), "own", "own")
	w.skill(t, filepath.Join(module, ".claude"), "module", "module")
	w.skill(t, filepath.Join(repo, ".claude"), "repo", "repo")
	for _, dir := range []string{"objects", "refs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(repo, ".git", dir), 0o700))
	}
	w.write(t, filepath.Join(repo, ".git", "HEAD"), "ref: refs/heads/main\n")
	loaded := w.load(t, settings.SkillOptions{Touched: []string{filepath.Join(own, "x"), filepath.Join(module, "x"), filepath.Join(repo, "x")}})
	require.Len(t, loaded.Skills, 3)
	for _, s := range loaded.Skills {
		require.Equal(t, s.Name == "own", s.Trusted, s.Name)
	}
}

func TestSkillOverrides(t *testing.T) {
	t.Parallel()
	w := newSkillTree(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		w.skill(t, filepath.Join(w.home, ".claude"), name, "user")
	}
	w.skill(t, w.plugin, "a", "plugin")
	w.write(t, w.files.User, `{"skillOverrides": {"a": "off", "b": "name-only", "c": "sometimes", "tools:a": "off"}}`)
	w.write(t, w.files.Local, `{"skillOverrides": {"b": "user-invocable-only"}}`)
	w.write(t, w.files.Project, `{"skillOverrides": {"d": "off"}}`)
	settingsOf := func() (map[string]skills.Visibility, []settings.Warning) {
		l, err := w.files.Load(context.Background())
		require.NoError(t, err)
		return l.SkillOverrides()
	}
	overrides, warnings := settingsOf()
	require.Equal(t, map[string]skills.Visibility{"a": skills.Off, "b": skills.PersonOnly, "c": skills.Off, "tools:a": skills.Off}, overrides)
	require.Len(t, warnings, 2)
	require.Contains(t, warnings[0].Text, "skillOverrides: it does not count until the project is trusted")
	require.Contains(t, warnings[1].Text, `skillOverrides: "c": write on, name-only, user-invocable-only or off`)

	got := map[string]skills.Visibility{}
	for _, s := range w.load(t, settings.SkillOptions{Overrides: overrides, Plugins: []settings.Plugin{{Name: "tools", Dir: w.plugin}}}).Skills {
		got[s.Name] = s.Visibility
	}
	require.Equal(t, map[string]skills.Visibility{"a": skills.Off, "b": skills.PersonOnly, "c": skills.Off, "d": skills.On, "tools:a": skills.On}, got)
	w.files.Trusted = true
	overrides, _ = settingsOf()
	require.Equal(t, skills.Off, overrides["d"])

	w.write(t, w.files.User, `{"skillOverrides": {"a": "off", "a": "on"}}`)
	overrides, warnings = settingsOf()
	require.Equal(t, skills.Off, overrides["a"])
	require.Contains(t, warnings[0].Text, "each skill that is named there is switched off")
}

func TestSkillsChanged(t *testing.T) {
	t.Parallel()
	w := newSkillTree(t)
	w.skill(t, filepath.Join(w.dir, ".claude"), "a", "app")
	w.skill(t, filepath.Join(w.dir, "deep", ".claude"), "b", "nested")
	var o settings.SkillOptions
	loaded := w.load(t, o)
	require.False(t, w.files.SkillsChanged(loaded, o))
	require.True(t, w.files.SkillsChanged(nil, o))
	require.True(t, w.files.SkillsChanged(loaded, settings.SkillOptions{Touched: []string{filepath.Join(w.dir, "deep", "x")}}))
	require.True(t, w.files.SkillsChanged(loaded, settings.SkillOptions{Overrides: map[string]skills.Visibility{"a": skills.Off}}))
	w.skill(t, filepath.Join(w.dir, ".claude"), "a", "somewhere else")
	require.True(t, w.files.SkillsChanged(loaded, o))
	loaded = w.load(t, o)
	require.False(t, w.files.SkillsChanged(loaded, o))
	w.skill(t, filepath.Join(w.home, ".claude"), "c", "user")
	require.True(t, w.files.SkillsChanged(loaded, o))
	require.NoError(t, os.RemoveAll(filepath.Join(w.home, ".claude")))
	require.False(t, w.files.SkillsChanged(loaded, o))
	w.files.Trusted = true
	require.True(t, w.files.SkillsChanged(loaded, o))
}

func TestLoadSkillsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	w := newSkillTree(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.files.LoadSkills(ctx, settings.SkillOptions{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestNestedSkillIsFollowed drives the skill of a directory that nobody has looked into: a call reads
// a file there, the model is told of the skill, loads it, runs what it allows and reads its file.
func TestNestedSkillIsFollowed(t *testing.T) {
	t.Parallel()
	w := newSkillTree(t)
	w.files.Trusted = true
	deep := filepath.Join(w.dir, "deep")
	folder := filepath.Join(deep, ".claude", "skills", "migrate")
	w.write(t, filepath.Join(folder, "SKILL.md"), "---\ndescription: Migrates the tables.\npaths: app/**/*.sql\nallowed-tools: Bash(touch *)\n---\n"+
		"There are !`ls *.sql`. Follow ${CLAUDE_SKILL_DIR}/steps.md for $0.\n")
	w.write(t, filepath.Join(folder, "steps.md"), "Touch the version.\n")
	w.write(t, filepath.Join(w.dir, "one.sql"), "select 1;\n")
	w.write(t, filepath.Join(deep, "two.sql"), "select 2;\n")

	k, err := skills.New(skills.Options{
		ProjectDir: func(*pegboard.Session) string { return w.repo },
		List: func(_ *pegboard.Session, touched []string) []skills.Skill {
			return w.load(t, settings.SkillOptions{Touched: touched}).Skills
		},
	})
	require.NoError(t, err)
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Skill(migrate *)"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: w.dir, Home: w.home, Permissions: perms, Hooks: k.Hooks()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	var r pegboard.Registry
	require.NoError(t, r.Add(k.Tool(), shell.Bash(shell.Options{}), filetools.Read(filetools.ReadOptions{})))
	pool := r.AssemblePool(s, pegboard.PoolConfig{})
	var x pegboard.Executor
	call := func(name, input string) pegboard.Outcome {
		return x.Run(t.Context(), pool, pegboard.Call{ID: "1", Name: name, Input: []byte(input)})[0]
	}

	require.NoError(t, call("Read", `{"file_path": "one.sql"}`).Err)
	text, told := k.Announce(pool, nil)
	require.Empty(t, text)
	require.NoError(t, call("Read", `{"file_path": "deep/two.sql"}`).Err)
	text, _ = k.Announce(pool, told)
	require.Contains(t, text, "- migrate: Migrates the tables.")
	require.ErrorIs(t, call("Bash", `{"command": "touch version"}`).Err, pegboard.ErrDenied)
	o := call("Skill", `{"skill": "migrate", "args": "users"}`)
	require.NoError(t, o.Err)
	require.Contains(t, o.Result.Messages[0].Text, "There are one.sql. Follow "+folder+"/steps.md for users.")
	require.Contains(t, call("Read", `{"file_path": "`+filepath.Join(folder, "steps.md")+`"}`).Result.Text(), "Touch the version.")
	require.NoError(t, call("Bash", `{"command": "touch version"}`).Err)
	require.FileExists(t, filepath.Join(w.dir, "version"))
	s.NewTurn()
	require.ErrorIs(t, call("Bash", `{"command": "touch version"}`).Err, pegboard.ErrDenied)
}
