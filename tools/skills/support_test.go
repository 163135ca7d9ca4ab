package skills_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

// A world is a session with the tools that skills need.
type world struct {
	dir     string
	session *pegboard.Session
	pool    *pegboard.Pool
	exec    *pegboard.Executor
	skills  *skills.Skills
}

// worldConfig says what is special in a world.
type worldConfig struct {
	list    []skills.Skill
	options skills.Options // List is set
	rules   policy.RuleSet
	mode    policy.Mode
	hooks   pegboard.Hooks
	ask     pegboard.Asker
	tools   []pegboard.Tool
}

func newWorld(t *testing.T, cfg worldConfig) *world {
	t.Helper()
	w := &world{dir: realDir(t), exec: &pegboard.Executor{}}
	if cfg.options.List == nil {
		cfg.options.List = func(*pegboard.Session, []string) []skills.Skill { return cfg.list }
	}
	var err error
	w.skills, err = skills.New(cfg.options)
	require.NoError(t, err)
	if cfg.rules.Source == "" {
		cfg.rules.Source = policy.SourceSession
	}
	perms, err := policy.New(cfg.mode, cfg.rules)
	require.NoError(t, err)
	w.session, err = pegboard.NewSession(pegboard.SessionConfig{
		ID: "conversation-1", Dir: w.dir, Home: realDir(t), Permissions: perms, Ask: cfg.ask,
		Hooks: pegboard.JoinHooks(w.skills.Hooks(), cfg.hooks),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.session.Close(context.Background())) })
	var r pegboard.Registry
	require.NoError(t, r.Add(w.skills.Tool(), shell.Bash(shell.Options{}), files.Read(files.ReadOptions{})))
	require.NoError(t, r.Add(cfg.tools...))
	w.pool = r.AssemblePool(w.session, pegboard.PoolConfig{})
	return w
}

// call runs one call.
func (w *world) call(t *testing.T, name string, input any) pegboard.Outcome {
	t.Helper()
	return w.callIn(t, w.pool, name, input)
}

func (w *world) callIn(t *testing.T, p *pegboard.Pool, name string, input any) pegboard.Outcome {
	t.Helper()
	encoded, err := json.Marshal(input)
	require.NoError(t, err)
	outcomes := w.exec.Run(t.Context(), p, pegboard.Call{ID: "call", Name: name, Input: encoded})
	require.Len(t, outcomes, 1)
	return outcomes[0]
}

// load calls the tool Skill.
func (w *world) load(t *testing.T, name, args string) pegboard.Outcome {
	t.Helper()
	return w.call(t, "Skill", map[string]string{"skill": name, "args": args})
}

// bash calls the tool Bash.
func (w *world) bash(t *testing.T, command string) pegboard.Outcome {
	t.Helper()
	return w.call(t, "Bash", map[string]string{"command": command})
}

// messages returns what the model reads after a call.
func messages(o pegboard.Outcome) string {
	var texts []string
	for _, p := range o.Result.Messages {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// allowSkills are rules under which every skill may be loaded.
func allowSkills(more ...string) policy.RuleSet {
	return policy.RuleSet{Allow: append([]string{"Skill"}, more...)}
}

// outputOf returns the data of a result of the tool Skill.
func outputOf(t *testing.T, o pegboard.Outcome) skills.Output {
	t.Helper()
	require.IsType(t, skills.Output{}, o.Result.Data)
	out, _ := o.Result.Data.(skills.Output)
	return out
}
