package security_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// remembered is what a person could have remembered of a benign row.
type remembered struct {
	line    string
	updates []policy.Update
}

// proposals are those of all benign rows, by the first word of the line.
type proposals struct {
	mu    sync.Mutex
	words map[string][]remembered

	rows, without, alternatives, compared int

	same []string // attacks whose very line was remembered, and which are allowed by that
}

// TestSuggestions asks about every benign line, without its allow rules and in mode
// ask. What could be remembered must allow that line by itself, and no attack that
// begins with the same word.
func TestSuggestions(t *testing.T) {
	for _, src := range sources(t, "shell.jsonl") {
		t.Run(src.name, func(t *testing.T) {
			b := newBase(t, src)
			p := &proposals{words: map[string][]remembered{}}
			each := func(name, kind string, check func(*testing.T, base, shellRow, answer)) {
				t.Run(name, func(t *testing.T) {
					for n, line := range corpus.Lines(t, filepath.Join(src.folder, "shell.jsonl")) {
						var a answer
						if json.Unmarshal(line, &a) == nil && a.Kind != kind {
							continue
						}
						t.Run(rowID(line, n), func(t *testing.T) {
							t.Parallel()
							var row shellRow
							require.NoError(t, json.Unmarshal(line, &row))
							require.NoError(t, json.Unmarshal(line, &a))
							check(t, b, row, a)
						})
					}
				})
			}
			each("benign", "benign", p.collect)
			if len(p.words) == 0 {
				t.Skip("without a benign row there is nothing to remember")
			}
			each("attack", "attack", p.tempt)
			t.Logf("%d benign lines, %d without a suggestion, %d suggestions, each compared with the attacks that begin alike: %d times; none is allowed but the very lines that were remembered: %v",
				p.rows, p.without, p.alternatives, p.compared, p.same)
		})
	}
}

// tool is the shell that the row's line is for.
func (r shellRow) tool(tr tree) pegboard.Tool {
	if r.Shell == "powershell" {
		return shell.PowerShell(shell.Options{Shell: []string{"bash"}, Env: env(tr.root)}) // one that is there, and never runs
	}
	return shell.Bash(shell.Options{Shell: []string{r.Shell, "-c"}, Env: env(tr.root)})
}

// tree is the one that the row's line is about.
func (r shellRow) tree(t *testing.T, b base) tree {
	t.Helper()
	if r.Fixture == nil {
		return tree{root: b.folder} // which no row changes
	}
	return b.grow(t, *r.Fixture, "proj")
}

func firstWord(line string) string { return strings.Fields(line + " ?")[0] }

// collect notes the suggestions for a benign row, and tries each.
func (p *proposals) collect(t *testing.T, b base, r shellRow, _ answer) {
	t.Helper()
	tr := r.tree(t, b)
	set := r.Rules.set(t, tr.fill)
	set.Allow = nil
	var found [][]policy.Update
	s := sessionIn(t, tr, "proj", pegboard.SessionConfig{
		Permissions: permissions(t, policy.ModeAsk, set),
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			found = q.Suggestions(policy.SourceLocal)
			return policy.Decision{Behavior: policy.Deny}, nil
		},
	})
	line := tr.fill(r.Command)
	made := call(t, "Bash", map[string]string{"command": line})
	tools := pool(t, s, r.tool(tr))
	var executor pegboard.Executor
	require.ErrorIs(t, executor.Run(t.Context(), tools, made)[0].Err, pegboard.ErrDenied)
	for _, updates := range found {
		alone, err := permissions(t, policy.ModeDeny, set).Apply(updates...)
		require.NoError(t, err)
		require.NoError(t, s.SetPermissions(alone))
		require.Equal(t, policy.Allow, tools.Decide(t.Context(), made).Behavior, "%q: %v", line, updates)
		for _, u := range updates {
			require.LessOrEqual(t, len(u.Rules), 5)
			require.NotContains(t, u.String(), "\n")
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows++
	if len(found) == 0 {
		p.without++
		t.Logf("nothing could be remembered of %q", line)
	}
	for _, updates := range found {
		p.alternatives++
		t.Logf("%q: %v", line, updates)
		p.words[firstWord(r.Command)] = append(p.words[firstWord(r.Command)], remembered{r.Command, updates})
	}
}

// tempt decides an attack under each suggestion for a line that begins alike.
func (p *proposals) tempt(t *testing.T, b base, r shellRow, a answer) {
	t.Helper()
	if a.agrees(t, policy.Allow.String()) {
		return // it is judged by its effect alone
	}
	tr := r.tree(t, b)
	s := sessionIn(t, tr, "proj", pegboard.SessionConfig{})
	tools := pool(t, s, r.tool(tr))
	made := call(t, "Bash", map[string]string{"command": tr.fill(r.Command)})
	base := permissions(t, r.Mode, r.Rules.set(t, tr.fill))
	require.NoError(t, s.SetPermissions(base))
	if a.Tier != "core" && tools.Decide(t.Context(), made).Behavior == policy.Allow {
		return // by its own rules, which TestShell counts
	}
	for _, m := range p.words[firstWord(r.Command)] {
		with, err := base.Apply(m.updates...)
		require.NoError(t, err)
		require.NoError(t, s.SetPermissions(with))
		d := tools.Decide(t.Context(), made)
		if m.line == r.Command && d.Behavior == policy.Allow { // the very line that somebody allowed: what makes it an attack is that nobody has
			p.mu.Lock()
			p.same = append(p.same, fmt.Sprintf("%s %q", a.ID, r.Command))
			p.mu.Unlock()
			continue
		}
		require.NotEqual(t, policy.Allow, d.Behavior, "%q is allowed by what %q made somebody remember: %v (%s)", r.Command, m.line, m.updates, fmt.Sprint(d.Reason))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.compared += len(p.words[firstWord(r.Command)])
}
