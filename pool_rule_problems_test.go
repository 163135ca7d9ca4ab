package pegboard_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

type query struct {
	Table string `json:"table"`
	Limit int    `json:"limit,omitempty"`
}

// queryDB is a tool with a parameter, whose calls act on a resource.
func queryDB() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[query, string]{
		Info: pegboard.Info{Name: "QueryDB"}, Description: "For a test.",
		Inspect: func(in query, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Access: pegboard.AccessRead, Value: "db:" + in.Table}}}
		},
		Call: func(ctx, query, *pegboard.Call) (string, error) { return "rows", nil },
	})
}

func queryPool(t testing.TB, set pegboard.RuleSet) *pegboard.Pool {
	t.Helper()
	return registryOf(t, queryDB(), inert("Term")).AssemblePool(session(t, pegboard.SessionConfig{Permissions: rules(t, "", set)}), pegboard.PoolConfig{})
}

func TestRuleProblems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, rule string
		allow      bool   // an allow rule; otherwise a deny rule
		says       string // empty: no problem
		near       []string
	}{
		{name: "the tool", rule: "QueryDB"},
		{name: "the tool, allowed", rule: "QueryDB", allow: true},
		{name: "a tool that it takes out of the pool", rule: "Term"},
		{name: "the shared names", rule: "Read(.env)"},
		{name: "a host of any tool", rule: "WebFetch(domain:evil.com)"},
		{name: "a command of any tool", rule: "Bash(rm:*)"},
		{name: "a parameter", rule: "QueryDB(table:x)"},
		{name: "a resource", rule: "QueryDB(orders)", allow: true},
		{name: "a prefix of a command", rule: "Term(git:*)", allow: true},
		{name: "another letter case", rule: "querydb", says: "there is no tool querydb", near: []string{"QueryDB"}},
		{name: "no tool of that name", rule: "QeuryDB(x)", says: "there is no tool QeuryDB", near: []string{"QueryDB"}},
		{name: "no shell", rule: "Bash", says: "there is no tool Bash"},
		{name: "no server", rule: "mcp__github", allow: true, says: "there is no tool mcp__github"},
		{name: "a misspelt parameter", rule: "QueryDB(tabel:x)", says: "QueryDB has no parameter tabel", near: []string{"table"}},
		{name: "a parameter that is allowed", rule: "QueryDB(table:x)", allow: true, says: "can deny or ask, but not allow"},
		{name: "a host on another tool", rule: "QueryDB(domain:x.com)", says: "WebFetch(domain:x.com) is about the hosts of every tool"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			set := pegboard.RuleSet{Source: pegboard.SourceUser, Deny: []string{tc.rule}}
			if tc.allow {
				set = pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{tc.rule}}
			}
			problems := queryPool(t, set).RuleProblems()
			if tc.says == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Equal(t, tc.rule, problems[0].Rule.String())
			require.Contains(t, problems[0].String(), tc.says)
			require.Contains(t, problems[0].String(), "from userSettings")
			require.Equal(t, tc.near, problems[0].Near)
		})
	}
}

// TestRuleThatCannotMatchAsks: with an allow rule for the tool beside it, a call ran under a
// deny rule that could match none of the tool's targets.
func TestRuleThatCannotMatchAsks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, rule string
		target     pegboard.Target
		want       string
	}{
		{name: "a path, exactly", rule: "T(reports/a.md)", target: pathTo(pegboard.AccessWrite, "reports/a.md"), want: "deny"},
		{name: "a path, read", rule: "T(reports/**)", target: pathTo(pegboard.AccessRead, "reports/b/c.md"), want: "deny"},
		{name: "another path", rule: "T(reports/a.md)", target: pathTo(pegboard.AccessWrite, "b.md"), want: "allow"},
		{name: "a host of a tool without", rule: "T(domain:x.com)", target: pathTo(pegboard.AccessWrite, "b.md"), want: "ask"},
		{name: "a host", rule: "T(domain:x.com)", target: pegboard.Target{Kind: pegboard.TargetHost, Value: "x.com"}, want: "deny"},
		{name: "a bare host", rule: "T(x.com)", target: pegboard.Target{Kind: pegboard.TargetHost, Value: "https://X.com/"}, want: "deny"},
		{name: "another host", rule: "T(domain:x.com)", target: pegboard.Target{Kind: pegboard.TargetHost, Value: "y.com"}, want: "allow"},
		{name: "a misspelt parameter", rule: "T(tabel:x)", target: pegboard.Target{Kind: pegboard.TargetResource, Value: "orders"}, want: "ask"},
		{name: "a misspelt parameter and a path", rule: "T(tabel:x)", target: pathTo(pegboard.AccessWrite, "b.md"), want: "ask"},
		{name: "a name with a colon", rule: "T(db:users)", target: pegboard.Target{Kind: pegboard.TargetResource, Value: "db:orders"}, want: "allow"},
		{name: "that name", rule: "T(db:users)", target: pegboard.Target{Kind: pegboard.TargetResource, Value: "db:users"}, want: "deny"},
		{name: "names with a star", rule: "T(db:*)", target: pegboard.Target{Kind: pegboard.TargetResource, Value: "db:users"}, want: "deny"},
		{name: "what nobody can see", rule: "T(x)", target: pegboard.Target{}, want: "ask"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{traits: pegboard.Traits{Targets: []pegboard.Target{tc.target}}}
			set := pegboard.RuleSet{Allow: []string{"T"}, Deny: []string{tc.rule}}
			require.Equal(t, tc.want, judgeOnce(t, a, pegboard.SessionConfig{}, pegboard.ModeDefault, set))
			require.Equal(t, tc.want, judgeOnce(t, a, pegboard.SessionConfig{}, pegboard.ModeBypass, set), "in bypass mode")
		})
	}
	a := actor{traits: pegboard.Traits{ReadOnly: true}}
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{}, "", pegboard.RuleSet{Deny: []string{"T(x)"}}), "a call without targets")
}

// TestOwnCommandToolFollowsItsRules: rules with a pattern on a host's own command tool were
// refused, or accepted and matched nothing.
func TestOwnCommandToolFollowsItsRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line  string
		allow, deny []string
		want        string
	}{
		{name: "allowed", line: "git status", allow: []string{"Terminal(git *)"}, want: "allow"},
		{name: "another command", line: "rm x", allow: []string{"Terminal(git *)"}, want: "ask"},
		{name: "denied by prefix", line: "git push", allow: []string{"Terminal"}, deny: []string{"Terminal(git:*)"}, want: "deny"},
		{name: "denied by star", line: "git push", allow: []string{"Terminal"}, deny: []string{"Terminal(git *)"}, want: "deny"},
		{name: "denied to Bash", line: "git push", allow: []string{"Terminal"}, deny: []string{"Bash(git:*)"}, want: "deny"},
		{name: "denied, behind another", line: "cd x && git push", allow: []string{"Terminal"}, deny: []string{"Terminal(git:*)"}, want: "deny"},
		{name: "denied, on another line", line: "ls\ngit push; ls", allow: []string{"Terminal"}, deny: []string{"Bash(git push)"}, want: "deny"},
		{name: "denied, in a shell", line: `sh -c "git push"`, allow: []string{"Terminal"}, deny: []string{"Bash(git push)"}, want: "deny"},
		{name: "denied, by its path", line: "/usr/bin/git push", allow: []string{"Terminal"}, deny: []string{"Bash(git push)"}, want: "deny"},
		{name: "not denied", line: "go vet", allow: []string{"Terminal"}, deny: []string{"Terminal(git:*)"}, want: "allow"},
		{name: "a part of a word", line: "legit push", allow: []string{"Terminal"}, deny: []string{"Terminal(git:*)"}, want: "allow"},
		{name: "the allow rule of Bash", line: "git status", allow: []string{"Bash(git *)"}, want: "ask"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "Terminal", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: tc.line}}}}
			require.Equal(t, tc.want, judgeOnce(t, a, pegboard.SessionConfig{}, "", pegboard.RuleSet{Allow: tc.allow, Deny: tc.deny}))
		})
	}
}

// TestOwnRuleIsNoLaxerThanShared holds a rule with a pattern on a host's own tool against
// the same pattern under the name that rules such targets for every tool: what that denies
// is not allowed, and no deny or ask rule on the tool makes a call laxer.
func TestOwnRuleIsNoLaxerThanShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	values := map[pegboard.TargetKind][]string{
		pegboard.TargetCommand:  {"git push", "git  status", "npm run test:unit", "ls; git push", "", "sh -c 'rm x'", "rm -rf /"},
		pegboard.TargetPath:     {"a.md", "reports/a.md", "reports/b/../a.md", "~/x", "/etc/hosts", "file:a.md", "c:d"},
		pegboard.TargetHost:     {"x.com", "https://X.com/", "a.x.com", "10.0.0.1:80", "a b", ""},
		pegboard.TargetResource: {"orders", "db:users", " Orders", "", "a\nb"},
		pegboard.TargetOpaque:   {"", "something"},
	}
	texts := []string{
		"git push", "git:*", "git *", "rm:*", "npm run test:*", "* x", "reports/**", "/reports/a.md", "a.md", "//etc/**", "~/**", "*.md", "tabel:x", "table:x",
		"domain:x.com", "x.com", "domain:*.x.com", "*.x.com", "10.0.0.1", "orders", "db:users", "db:*", "[", "?", "../x", "!a", "a:", "é", "**",
	}
	shared := map[pegboard.TargetKind][]string{
		pegboard.TargetCommand: {"Bash(%s)"}, pegboard.TargetPath: {"Edit(%s)", "Read(%s)"}, pegboard.TargetHost: {"WebFetch(domain:%s)", "WebFetch(%s)"},
	}
	denied := 0
	for seed := range effort.Of(t, uint64(3000)) {
		r := rand.New(rand.NewPCG(seed, 23))
		pick := func(list []string) string { return list[r.IntN(len(list))] }
		kind := []pegboard.TargetKind{pegboard.TargetCommand, pegboard.TargetPath, pegboard.TargetHost, pegboard.TargetResource, pegboard.TargetOpaque}[r.IntN(5)]
		a := actor{name: "T", traits: pegboard.Traits{ReadOnly: r.IntN(2) == 0, Targets: []pegboard.Target{{Kind: kind, Access: pegboard.Access(r.IntN(3)), Value: pick(values[kind])}}}}
		mode := []pegboard.Mode{pegboard.ModeDefault, pegboard.ModeBypass, pegboard.ModeAcceptEdits}[r.IntN(3)]
		text := pick(texts)
		if _, err := pegboard.ParseRule(pegboard.Deny, "T("+text+")"); err != nil {
			continue
		}
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir}))
		under := func(set pegboard.RuleSet) verdict {
			set.Allow = []string{"T"}
			p, err := pegboard.NewPermissions(mode, set)
			if err != nil {
				return verdict{}
			}
			require.NoError(t, pool.Session().SetPermissions(p))
			return judge(t, pool)
		}
		at := "seed %d: %+v under T(%s) in %s: %s"
		bare, own, asked := under(pegboard.RuleSet{}), under(pegboard.RuleSet{Deny: []string{"T(" + text + ")"}}), under(pegboard.RuleSet{Ask: []string{"T(" + text + ")"}})
		require.GreaterOrEqual(t, own.behavior, bare.behavior, at, seed, a.traits, text, mode, own.reason)
		require.GreaterOrEqual(t, asked.behavior, bare.behavior, at, seed, a.traits, text, mode, asked.reason)
		require.GreaterOrEqual(t, own.behavior, asked.behavior, at, seed, a.traits, text, mode, asked.reason)
		for _, form := range shared[kind] {
			if under(pegboard.RuleSet{Deny: []string{fmt.Sprintf(form, text)}}).behavior == pegboard.Deny {
				require.NotEqual(t, pegboard.Allow, own.behavior, at, seed, a.traits, text, mode, own.reason)
				denied++
			}
		}
	}
	if effort.Full(t) {
		require.Greater(t, denied, 50)
	}
}

// TestFileRuleDoesNotBindAServer: a rule on files or hosts is not compared with a path that a server
// is given, and its author is told.
func TestFileRuleDoesNotBindAServer(t *testing.T) {
	t.Parallel()
	type fileIn struct {
		Path string `json:"path"`
	}
	server := pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Value: "mcp:files"}}}
	reads := pegboard.Build(pegboard.Definition[fileIn, string]{
		Info: pegboard.Info{Name: "read_file"}, Description: "Reads.", Traits: server,
		Call: func(ctx, fileIn, *pegboard.Call) (string, error) { return "", nil },
	})
	sees := pegboard.Build(pegboard.Definition[fileIn, string]{
		Info: pegboard.Info{Name: "see_file"}, Description: "Reads.",
		Inspect: func(in fileIn, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: in.Path}}}
		},
		Call: func(ctx, fileIn, *pegboard.Call) (string, error) { return "", nil },
	})
	counts := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "count"}, Description: "Counts.", Traits: server,
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	const says = "is compared with what calls of mcp__files name, such as the path of mcp__files__read_file; deny or ask about mcp__files,"
	for _, tt := range []struct {
		name  string
		tools []pegboard.Tool
		set   pegboard.RuleSet
		about []string // the rules with a problem
	}{
		{name: "deny rules", tools: []pegboard.Tool{reads, counts}, set: pegboard.RuleSet{Deny: []string{"Read(*.env)", "Edit(/x)"}}, about: []string{"Read(*.env)"}},
		{name: "an ask rule", tools: []pegboard.Tool{reads}, set: pegboard.RuleSet{Ask: []string{"Edit(/x)"}}, about: []string{"Edit(/x)"}},
		{name: "a host", tools: []pegboard.Tool{reads}, set: pegboard.RuleSet{Deny: []string{"WebFetch(domain:x.test)"}}, about: []string{"WebFetch(domain:x.test)"}},
		{name: "an allow rule", tools: []pegboard.Tool{reads}, set: pegboard.RuleSet{Allow: []string{"Read(*.env)"}}},
		{name: "a tool", tools: []pegboard.Tool{reads}, set: pegboard.RuleSet{Deny: []string{"Task"}, Ask: []string{"Task"}}},
		{name: "no path", tools: []pegboard.Tool{counts}, set: pegboard.RuleSet{Deny: []string{"Read(*.env)"}}},
		{name: "a path that is a target", tools: []pegboard.Tool{sees}, set: pegboard.RuleSet{Deny: []string{"Read(*.env)"}}},
		{name: "the server is asked about", tools: []pegboard.Tool{reads}, set: pegboard.RuleSet{Deny: []string{"Read(*.env)"}, Ask: []string{"mcp__files"}}},
		{name: "the parameter is denied", tools: []pegboard.Tool{reads}, set: pegboard.RuleSet{Deny: []string{"Read(*.env)", "mcp__files__read_file(path:*.env)"}}},
		{name: "the tool is out of the pool", tools: []pegboard.Tool{reads}, set: pegboard.RuleSet{Deny: []string{"Read(*.env)", "mcp__files__read_file"}}},
		{name: "the server is allowed", tools: []pegboard.Tool{reads}, set: pegboard.RuleSet{Deny: []string{"Read(*.env)"}, Allow: []string{"mcp__files"}}, about: []string{"Read(*.env)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := registryOf(t, inert("Task"))
			_, err := offer(registry, "files", tt.tools...)
			require.NoError(t, err)
			tt.set.Source = pegboard.SourceUser
			pool := registry.AssemblePool(session(t, pegboard.SessionConfig{Permissions: rules(t, "", tt.set)}), pegboard.PoolConfig{})
			var about []string
			for range 2 { // the rules stay as they are
				about = nil
				for _, problem := range pool.RuleProblems() {
					about = append(about, problem.Rule.String())
					require.Contains(t, problem.String(), says)
				}
			}
			require.Equal(t, tt.about, about)
		})
	}
}
