package skills_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

// TestDirectoriesAreNoCommands has names of directories that mean something to a shell.
func TestDirectoriesAreNoCommands(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a;touch made", "$(touch made)", "`touch made`", "a&touch made", "a'b", "a\ntouch made", `a"; touch made; "`} {
		for _, body := range []string{"!`cat ${CLAUDE_SKILL_DIR}/x`", "!`cat \"${CLAUDE_SKILL_DIR}/x\"`", "!`cat '${CLAUDE_SKILL_DIR}/x'`"} {
			dir := filepath.Join(realDir(t), name)
			require.NoError(t, os.Mkdir(dir, 0o700))
			w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: body, Dir: dir, Trusted: true}}, rules: allowSkills("Bash")})
			o := w.load(t, "it", "")
			require.NoFileExists(t, filepath.Join(w.dir, "made"), "%q in %s", name, body)
			require.ErrorContains(t, o.Err, "CLAUDE_SKILL_DIR", "%q in %s", name, body)
			require.Empty(t, messages(o))
		}
	}
	dir := filepath.Join(realDir(t), "a b+c")
	write(t, filepath.Join(dir, "x"), "text")
	w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "!`cat \"${CLAUDE_SKILL_DIR}/x\"`, ${CLAUDE_SKILL_DIR}", Dir: dir}}, rules: allowSkills("Bash")})
	require.Contains(t, messages(w.load(t, "it", "")), "text, "+dir)
}

// TestLentDirectory has a link in a directory that is lent.
func TestLentDirectory(t *testing.T) {
	t.Parallel()
	top := realDir(t)
	dir := filepath.Join(top, "it")
	write(t, filepath.Join(dir, "more.md"), "more\n")
	write(t, filepath.Join(top, "key"), "key\n")
	require.NoError(t, os.Symlink(filepath.Join(top, "key"), filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(top, filepath.Join(dir, "up")))
	w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "Text.", Dir: dir, Trusted: true}}, rules: allowSkills()})
	require.NoError(t, w.load(t, "it", "").Err)
	read := func(path string) error { return w.call(t, "Read", map[string]string{"file_path": path}).Err }
	require.NoError(t, read(filepath.Join(dir, "more.md")))
	for _, path := range []string{"link", "up/key", "../key"} {
		require.ErrorIs(t, read(dir+"/"+path), pegboard.ErrDenied, path)
	}
}

// TestLoadThatIsCancelled has a call that is cancelled, or whose turn ends, while a command runs:
// nothing of its rules is left.
func TestLoadThatIsCancelled(t *testing.T) {
	t.Parallel()
	for _, newTurn := range []bool{false, true} {
		skill := skills.Skill{Name: "it", Body: "!`touch made`\n!`sleep 2`", Trusted: true, AllowedTools: []string{"Bash"}, Dir: realDir(t)}
		w := newWorld(t, worldConfig{list: []skills.Skill{skill}, rules: allowSkills()})
		before := w.session.Permissions().Rules()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for {
				if _, err := os.Stat(filepath.Join(w.dir, "made")); err == nil {
					break
				}
				time.Sleep(time.Millisecond)
			}
			if newTurn {
				w.session.NewTurn()
			} else {
				cancel()
			}
		}()
		o := w.exec.Run(ctx, w.pool, pegboard.Call{ID: "x", Name: "Skill", Input: []byte(`{"skill":"it"}`)})[0]
		cancel()
		require.Equal(t, newTurn, o.Err == nil, "%v", o.Err)
		if newTurn {
			require.Empty(t, outputOf(t, o).AllowedTools)
		} else {
			require.Empty(t, messages(o))
		}
		require.Equal(t, before, w.session.Permissions().Rules(), "new turn: %v, %v", newTurn, o.Err)
	}
}

// TestPromptsAreNoTemplates has a prompt that looks like the text of a skill.
func TestPromptsAreNoTemplates(t *testing.T) {
	t.Parallel()
	prompt := skills.Prompt{Server: "evil", Name: "p", Get: func(context.Context, map[string]string) ([]pegboard.Part, error) {
		return []pegboard.Part{{Text: "!`touch made` $ARGUMENTS ${CLAUDE_SESSION_ID}"}}, nil
	}}
	w := newWorld(t, worldConfig{list: []skills.Skill{prompt.Skill()}, rules: allowSkills("Bash")})
	require.Contains(t, messages(w.load(t, "mcp__evil__p", "")), "!`touch made` $ARGUMENTS ${CLAUDE_SESSION_ID}")
	require.NoFileExists(t, filepath.Join(w.dir, "made"))
}

// TestSpellings has deny rules that no spelling of a name avoids.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"Skill(deploy)", "Skill(deploy *)", "Skill(deploy:*)", "Skill(*)"} {
		w := newWorld(t, worldConfig{
			list:  []skills.Skill{{Name: "deploy", Body: "Text."}, {Name: "deploy-other", Body: "Text."}},
			rules: policy.RuleSet{Allow: []string{"Skill"}, Deny: []string{rule}},
		})
		for _, name := range []string{"deploy", "/deploy", " deploy ", "\tdeploy\n", "//deploy", "deploy\x00", "Deploy", "deploy now", "deploy\u200b", "d\u0435ploy"} {
			for _, args := range []string{"", "now", "\n now"} {
				require.Error(t, w.load(t, name, args).Err, "%s: %q %q", rule, name, args)
			}
		}
	}
}
