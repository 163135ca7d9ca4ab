package security_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// rules are the rules of a row as a settings file has them.
type rules struct{ Allow, Ask, Deny []string }

// set returns the rules that can be parsed, with fill applied to each. The others
// are left out with a word in the log, as a loader of settings does.
func (r rules) set(t *testing.T, fill func(string) string) policy.RuleSet {
	t.Helper()
	valid := func(b policy.Behavior, texts []string) (kept []string) {
		for _, text := range texts {
			text = fill(text)
			if _, err := policy.ParseRule(b, text); err != nil {
				t.Logf("left out: %v", err)
				continue
			}
			kept = append(kept, text)
		}
		return kept
	}
	return policy.RuleSet{Allow: valid(policy.Allow, r.Allow), Ask: valid(policy.Ask, r.Ask), Deny: valid(policy.Deny, r.Deny)}
}

// same leaves a text as it is.
func same(text string) string { return text }

// permissions are the rules and the mode of a row.
func permissions(t *testing.T, mode policy.Mode, set policy.RuleSet) policy.Permissions {
	t.Helper()
	p, err := policy.New(mode, set)
	require.NoError(t, err)
	return p
}

// newSession returns a session that ends with the test. Nobody is asked in it.
func newSession(t *testing.T, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

// sessionIn returns a session in a folder of a tree.
func sessionIn(t *testing.T, tr tree, dir string, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	cfg.Dir, cfg.Home = filepath.Join(tr.root, dir), filepath.Join(tr.root, "home")
	for i, more := range cfg.MoreDirs {
		cfg.MoreDirs[i] = tr.fill(more)
	}
	if tr.worktree != nil {
		return tr.worktree.session(t, cfg)
	}
	return newSession(t, cfg)
}

// pool returns the tools that s may use of those given.
func pool(t *testing.T, s *pegboard.Session, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tools...))
	return reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{PowerShell: true}})
}

// call is a call of a tool as a model sends it.
func call(t *testing.T, name string, input any) pegboard.Call {
	t.Helper()
	raw, err := json.Marshal(input)
	require.NoError(t, err)
	return pegboard.Call{ID: "1", Name: name, Input: raw}
}

// platforms are the names that rows use.
var platforms = map[string]policy.Platform{"": policy.ThisPlatform, "linux": policy.Linux, "darwin": policy.Darwin, "windows": policy.Windows}

// platform returns the platform of that name.
func platform(t *testing.T, name string) policy.Platform {
	t.Helper()
	p, ok := platforms[name]
	require.True(t, ok, "unknown platform %q", name)
	return p
}

// strict decodes what may hold nothing unknown.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
