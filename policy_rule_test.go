package pegboard_test

import (
	"bytes"
	"cmp"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

func TestParseRule(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text    string
		tool, pattern string
		written       string // what String returns, if not text
	}{
		{name: "tool", text: "Bash", tool: "Bash"},
		{name: "star means the tool", text: "Bash(*)", tool: "Bash", written: "Bash"},
		{name: "blanks around", text: " Bash ", tool: "Bash", written: "Bash"},
		{name: "a name of the host's own", text: "ask-the_Oracle.2", tool: "ask-the_Oracle.2"},
		{name: "not ASCII", text: "Ärger(x)", tool: "Ärger", pattern: "x"},
		{name: "server", text: "mcp__srv", tool: "mcp__srv"},
		{name: "server with a star", text: "mcp__srv__*", tool: "mcp__srv", written: "mcp__srv"},
		{name: "tool of a server", text: "mcp__srv__get", tool: "mcp__srv__get"},
		{name: "command", text: "Bash(git status)", tool: "Bash", pattern: "git status"},
		{name: "command with parentheses", text: "Bash(echo $(date))", tool: "Bash", pattern: "echo $(date)"},
		{name: "command with a colon", text: "Bash(git push origin HEAD:main)", tool: "Bash", pattern: "git push origin HEAD:main"},
		{name: "path", text: "Edit(/src/main.go)", tool: "Edit", pattern: "/src/main.go"},
		{name: "path from the root", text: "Read(//etc/hosts)", tool: "Read", pattern: "//etc/hosts"},
		{name: "path from home", text: "Read(~/.zshrc)", tool: "Read", pattern: "~/.zshrc"},
		{name: "directory", text: "Edit(src/)", tool: "Edit", pattern: "src/"},
		{name: "host", text: "WebFetch(domain:example.com)", tool: "WebFetch", pattern: "domain:example.com"},
		{name: "agent", text: "Agent(reviewer)", tool: "Agent", pattern: "reviewer"},
		{name: "any tool", text: "*", tool: "*"},
		{name: "any tool, in parentheses", text: "*(*)", tool: "*", written: "*"},
		{name: "some tools", text: "B*", tool: "B*"},
		{name: "any server", text: "mcp__*", tool: "mcp__*"},
		{name: "some tools of a server", text: "mcp__srv__get_*", tool: "mcp__srv__get_*"},
		{name: "some servers", text: "mcp__s*__get", tool: "mcp__s*__get"},
		{name: "wildcard in a command", text: "Bash(npm run *)", tool: "Bash", pattern: "npm run *"},
		{name: "command prefix", text: "Bash(npm:*)", tool: "Bash", pattern: "npm:*"},
		{name: "wildcard in a path", text: "Edit(src/**)", tool: "Edit", pattern: "src/**"},
		{name: "wildcard in a host", text: "WebFetch(domain:*.example.com)", tool: "WebFetch", pattern: "domain:*.example.com"},
		{name: "any host", text: "WebFetch(domain:*)", tool: "WebFetch", pattern: "domain:*"},
		{name: "skill and what is said to it", text: "Skill(deploy *)", tool: "Skill", pattern: "deploy *"},
		{name: "parameter", text: "Agent(model:opus)", tool: "Agent", pattern: "model:opus"},
		{name: "parameter of Bash", text: "Bash(run_in_background:true)", tool: "Bash", pattern: "run_in_background:true"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, err := policy.ParseRule(policy.Deny, tc.text)
			require.NoError(t, err)
			require.Equal(t, policy.Deny, r.Behavior)
			require.Equal(t, tc.tool, r.Tool)
			require.Equal(t, tc.pattern, r.Pattern)
			require.Empty(t, r.Source)
			if tc.written == "" {
				tc.written = tc.text
			}
			require.Equal(t, tc.written, r.String())
		})
	}
}

func TestParseRuleRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, says string }{
		{name: "nothing", text: "", says: "is empty"},
		{name: "blanks", text: "  ", says: "is empty"},
		{name: "no tool", text: "(ls)", says: "is empty"},
		{name: "empty parentheses", text: "Bash()", says: "parentheses are empty"},
		{name: "blank parentheses", text: "Edit(  )", says: "parentheses are empty"},
		{name: "a wildcard without a command", text: "Bash(:*)", says: "write Bash to mean the whole tool"},
		{name: "a wildcard without a command behind a blank", text: "Bash( :*)", says: "no command before the wildcard"},
		{name: "a wildcard that stands apart", text: "PowerShell( *)", says: "write PowerShell to mean"},
		{name: "wildcards alone", text: "Monitor(**:*)", says: "no command before the wildcard"},
		{name: "never closed", text: "Bash(ls", says: "closing parenthesis is missing"},
		{name: "text behind", text: "Bash(ls) -a", says: "closing parenthesis is missing"},
		{name: "never opened", text: "Bash)", says: ""},
		{name: "blank before the parenthesis", text: "Bash (ls)", says: ""},
		{name: "wide blank before the parenthesis", text: "Bash\u00a0(ls)", says: ""},
		{name: "a wildcard that is none, in a tool", text: "mcp__srv__get_?", says: "wildcard in a tool's name"},
		{name: "a set of tools", text: "[BT]ash", says: "wildcard in a tool's name"},
		{name: "wildcard in the name of an agent", text: "Agent(re*)", says: "wildcard"},
		{name: "wildcard in the middle of a skill", text: "Skill(a*b)", says: "wildcard"},
		{name: "the command as a parameter", text: "Bash(command:rm)", says: "is ignored"},
		{name: "the path as a parameter", text: "Edit(file_path:a)", says: "write Edit(a path)"},
		{name: "host without its word", text: "WebFetch(example.com)", says: "domain:"},
		{name: "path that climbs", text: "Edit(../secret)", says: `".."`},
		{name: "control character in the tool", text: "Ba\x1bsh", says: "control character"},
		{name: "line break in the tool", text: "Ba\nsh(ls)", says: "control character"},
		{name: "control character in a command", text: "Bash(ls \x1b[2J)", says: "control character"},
		{name: "control character in a path", text: "Edit(/a\x00b)", says: "control character"},
		{name: "control character in a name", text: "Agent(a\x7f)", says: "control character"},
		{name: "not UTF-8", text: "Edit(a\xff)", says: "UTF-8"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, err := policy.ParseRule(policy.Deny, tc.text)
			require.Error(t, err)
			require.Contains(t, err.Error(), tc.says)
			require.Equal(t, policy.Rule{}, r)
		})
	}
	for _, b := range []policy.Behavior{policy.Undecided, policy.Deny + 1, -1} {
		_, err := policy.ParseRule(b, "Bash")
		require.ErrorContains(t, err, b.String())
	}
}

// FuzzParseRule: a rule is refused or it can be written down and read again.
func FuzzParseRule(f *testing.F) {
	for _, text := range []string{
		"Bash", "Bash(*)", "Bash(git  status)", "Edit(/a/)", "Read(~/)", "mcp__s__*", "mcp____*", "mcp__s__*(x)",
		"Bash(npm run *)", "Bash(npm:*)", "Edit(src/**)", "Read(//**/.env)", "WebFetch(domain:*.a)", "mcp__s__get_*", "*", "Agent(model : *)",
		"WebFetch(domain:A.)", "T\u00a0(*)", "\u2003T", "T(())", "T()", "(", "Bash(\x00)", "Agent(a:b)",
	} {
		f.Add(int(policy.Deny), text)
	}
	f.Fuzz(func(t *testing.T, b int, text string) {
		r, err := policy.ParseRule(policy.Behavior(b), text)
		if err != nil {
			require.Equal(t, policy.Rule{}, r)
			require.NotEmpty(t, err.Error())
			return
		}
		again, err := policy.ParseRule(r.Behavior, r.String())
		require.NoError(t, err, r.String())
		require.Equal(t, r, again)
	})
}

// TestRulesThatNeverApplyAreRefused, each with the one to write instead.
func TestRulesThatNeverApplyAreRefused(t *testing.T) {
	t.Parallel()
	for text, instead := range map[string]string{
		"Write(/a)": "Edit(/a)", "NotebookEdit(a.ipynb)": "Edit(a.ipynb)", "MultiEdit(./a)": "Edit(./a)", "apply_patch(/a)": "Edit(/a)",
		"Glob(src)": "Read(src)", "Grep(~/a)": "Read(~/a)",
	} {
		for _, b := range []policy.Behavior{policy.Allow, policy.Ask, policy.Deny} {
			_, err := policy.ParseRule(b, text)
			require.ErrorContains(t, err, instead)
			_, err = policy.ParseRule(b, instead)
			require.NoError(t, err)
		}
	}
	_, err := policy.ParseRule(policy.Deny, "Write")
	require.NoError(t, err, "the tool as such")
}

// TestRuleNamesTools holds rules without a pattern against tools.
func TestRuleNamesTools(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, rule string
		source     string // where the tool is attached from; empty: built in
		want       bool
	}{
		{name: "its name", rule: "Tool", want: true},
		{name: "its name and a star", rule: "Tool(*)", want: true},
		{name: "an alias", rule: "Old", want: true},
		{name: "an alias and a star", rule: "Older(*)", want: true},
		{name: "another case", rule: "tool"},
		{name: "the beginning of its name", rule: "Too"},
		{name: "a server", rule: "mcp__Tool"},
		{name: "the exposed name", rule: "mcp__srv__Tool", source: "srv", want: true},
		{name: "the server", rule: "mcp__srv", source: "srv", want: true},
		{name: "the server and a star", rule: "mcp__srv__*", source: "srv", want: true},
		{name: "the server in parentheses", rule: "mcp__srv(*)", source: "srv", want: true},
		{name: "a server with a name that is folded", rule: "mcp__my_srv", source: "my srv", want: true},
		{name: "the name at the source", rule: "Tool", source: "srv"},
		{name: "an alias at the source", rule: "Old", source: "srv"},
		{name: "another server", rule: "mcp__other", source: "srv"},
		{name: "a server that begins alike", rule: "mcp__srv", source: "srv2"},
		{name: "a server inside another's name", rule: "mcp__a", source: "a__b"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "Tool", aliases: []string{"Old", "Older"}, source: tc.source}
			checkRule(t, pegboard.SessionConfig{}, &a, tc.rule, tc.want, tc.want)
		})
	}
}

// TestRuleNamesToolsByPattern holds rules with a star in the tool's name against
// tools. As allow rules they are refused unless a server stands before the star.
func TestRuleNamesToolsByPattern(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, rule string
		source     string // where the tool is attached from; empty: built in
		refused    bool   // as an allow rule
		covers     bool
		touches    bool
	}{
		{name: "any", rule: "*", refused: true, touches: true},
		{name: "any, attached", rule: "*", source: "srv", refused: true, touches: true},
		{name: "the beginning", rule: "To*", refused: true, touches: true},
		{name: "the end", rule: "*ol", refused: true, touches: true},
		{name: "the middle", rule: "T*l", refused: true, touches: true},
		{name: "only a part", rule: "*o", refused: true},
		{name: "another case", rule: "t*", refused: true},
		{name: "an alias", rule: "Ol*", refused: true, touches: true},
		{name: "any server", rule: "mcp__*", source: "srv", refused: true, touches: true},
		{name: "any server, built in", rule: "mcp__*", refused: true},
		{name: "some servers", rule: "mcp__s*__Tool", source: "srv", refused: true, touches: true},
		{name: "tools of the server", rule: "mcp__srv__T*", source: "srv", covers: true, touches: true},
		{name: "other tools of the server", rule: "mcp__srv__U*", source: "srv"},
		{name: "tools of another server", rule: "mcp__other__T*", source: "srv"},
		{name: "tools of a server that begins alike", rule: "mcp__srv__*", source: "srv2"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "Tool", aliases: []string{"Old"}, source: tc.source}
			if !tc.refused {
				checkRule(t, pegboard.SessionConfig{}, &a, tc.rule, tc.covers, tc.touches)
				return
			}
			_, err := policy.New("", policy.RuleSet{Allow: []string{tc.rule}})
			require.ErrorContains(t, err, "an allow rule approves nothing")
			for _, set := range []policy.RuleSet{{Deny: []string{tc.rule}}, {Ask: []string{tc.rule}}} {
				pool := a.pool(t, session(t, pegboard.SessionConfig{}))
				require.NoError(t, pool.Session().SetPermissions(rules(t, "", set)))
				got := judge(t, pool)
				require.Equal(t, tc.touches, got.rule == tc.rule)
				want := policy.Ask
				if tc.touches && set.Deny != nil {
					want = policy.Deny
				}
				require.Equal(t, want.String(), got.behavior.String())
			}
		})
	}
}

// TestNameOfTwoSources: a rule on a name that could be meant for either of two
// sources allows the tools of the one whose name it spells, or that was there first, and
// denies those of both.
func TestNameOfTwoSources(t *testing.T) {
	t.Parallel()
	type tool struct{ source, raw string }
	tests := []struct {
		name string
		has  []tool
		rule string
		want []string // tools that it allows as an allow rule
		all  []string // tools that it denies as a deny rule
	}{
		{name: "alone", has: []tool{{"git", "hub"}}, rule: "mcp__git__hub", want: []string{"mcp__git__hub"}, all: []string{"mcp__git__hub"}},
		{name: "a tool or a newer server", has: []tool{{"git", "hub"}, {"git__hub", "wipe"}}, rule: "mcp__git__hub", want: []string{"mcp__git__hub"}, all: []string{"mcp__git__hub", "mcp__git__hub__wipe"}},
		{name: "a server or a newer tool", has: []tool{{"git__hub", "wipe"}, {"git", "hub"}}, rule: "mcp__git__hub", want: []string{"mcp__git__hub__wipe"}, all: []string{"mcp__git__hub", "mcp__git__hub__wipe"}},
		{name: "a tool or that of a newer server", has: []tool{{"git", "hub__push"}, {"git__hub", "wipe"}}, rule: "mcp__git__hub__wipe", all: []string{"mcp__git__hub__wipe"}},
		{name: "the older server of two", has: []tool{{"git", "push"}, {"git__hub", "wipe"}}, rule: "mcp__git", want: []string{"mcp__git__push"}, all: []string{"mcp__git__push"}},
		{name: "the newer server of two, by its shorter name", has: []tool{{"git__hub", "wipe"}, {"git", "hub"}}, rule: "mcp__git", want: []string{"mcp__git__hub"}, all: []string{"mcp__git__hub"}},
		{name: "a pattern for the newer server", has: []tool{{"git__hub", "wipe"}, {"git", "hub"}}, rule: "mcp__git__*", want: []string{"mcp__git__hub"}, all: []string{"mcp__git__hub"}},
		{name: "a pattern for tools of the older server", has: []tool{{"git__hub", "wipe"}, {"git", "hub__x"}}, rule: "mcp__git__hub__*", want: []string{"mcp__git__hub__wipe"}, all: []string{"mcp__git__hub__wipe", "mcp__git__hub__x"}},
		{name: "the very name at its source", has: []tool{{"my.server", "wi.pe"}}, rule: "mcp__my.server__wi.pe", want: []string{"mcp__my_server__wi_pe"}, all: []string{"mcp__my_server__wi_pe"}},
		{name: "the very name at its source beside one that folds alike", has: []tool{{"my.server", "wipe"}, {"my_server", "read"}}, rule: "mcp__my.server__wipe", want: []string{"mcp__my_server__wipe"}, all: []string{"mcp__my_server__wipe"}},
		{name: "servers that fold alike", has: []tool{{"my.server", "wipe"}, {"my_server", "read"}}, rule: "mcp__my_server", want: []string{"mcp__my_server__read"}, all: []string{"mcp__my_server__read", "mcp__my_server__wipe"}},
		{name: "a tool of servers that fold alike", has: []tool{{"my.server", "wipe"}, {"my_server", "read"}}, rule: "mcp__my_server__wipe", all: []string{"mcp__my_server__wipe"}},
		{name: "servers that begin alike", has: []tool{{"git", "hub"}, {"github", "wipe"}}, rule: "mcp__git", want: []string{"mcp__git__hub"}, all: []string{"mcp__git__hub"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			for _, x := range tc.has {
				attach(t, &reg, x.source, x.raw)
			}
			s := session(t, pegboard.SessionConfig{})
			pool := reg.AssemblePool(s, pegboard.PoolConfig{})
			require.Equal(t, len(tc.has), pool.Len())
			got := map[policy.Behavior][]string{}
			for _, as := range []policy.RuleSet{{Allow: []string{tc.rule}}, {Deny: []string{tc.rule}}} {
				require.NoError(t, s.SetPermissions(rules(t, "", as)))
				ex := executor(pegboard.Executor{})
				for _, n := range names(pool) {
					if d := ex.Run(t.Context(), pool, call("1", n, ``))[0].Decision; d.Rule != nil {
						got[d.Behavior] = append(got[d.Behavior], n)
					}
				}
			}
			require.Equal(t, tc.want, got[policy.Allow])
			require.Equal(t, tc.all, got[policy.Deny])
			require.Equal(t, pool.Len()-len(tc.all), reg.AssemblePool(s, pegboard.PoolConfig{}).Len(), "the pool leaves them out as well")
		})
	}
}

// checkRule holds a rule against the targets of a, as an allow, a deny and an ask rule.
// Without the rule a must be asked about.
func checkRule(t *testing.T, cfg pegboard.SessionConfig, a *actor, rule string, covers, touches bool) {
	t.Helper()
	pick := func(yes bool, then, otherwise string) string {
		if yes {
			return then
		}
		return otherwise
	}
	pool := a.pool(t, session(t, cfg))
	try := func(mode policy.Mode, set policy.RuleSet) verdict {
		require.NoError(t, pool.Session().SetPermissions(rules(t, mode, set)))
		return judge(t, pool)
	}
	require.Equal(t, "ask", try("", policy.RuleSet{}).behavior.String(), "without the rule")
	as := []string{rule}
	require.Equal(t, pick(covers, "allow", "ask"), try("", policy.RuleSet{Allow: as}).behavior.String(), "as an allow rule")
	require.Equal(t, pick(touches, "deny", "ask"), try("", policy.RuleSet{Deny: as}).behavior.String(), "as a deny rule")
	asked := try(policy.ModeBypass, policy.RuleSet{Ask: as})
	require.Equal(t, pick(touches, "ask", "allow"), asked.behavior.String(), "as an ask rule, in bypass mode")
	require.Equal(t, touches, asked.rule != "")
}

// TestRuleMatchesTargets holds rules with a pattern against the targets of a tool with
// another name.
func TestRuleMatchesTargets(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "src"), 0o700))
	require.NoError(t, linkDir(outside, filepath.Join(dir, "link")))
	require.NoError(t, linkDir(filepath.Join(dir, "src"), filepath.Join(dir, "src", "self")))
	outside, err := filepath.EvalSymlinks(outside)
	require.NoError(t, err)
	outside = filepath.ToSlash(outside)

	write := func(v string, also ...string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: policy.Write, Value: v, Aliases: also}
	}
	read := func(v string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: policy.Read, Value: v}
	}
	below := func(v string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: policy.Read, Value: v, Tree: true}
	}
	run := func(v string, inner ...string) policy.Target {
		return policy.Target{Kind: policy.Command, Access: policy.Run, Value: v, Shell: policy.ShellFacts{Nested: inner}}
	}
	exactly := func(v string) policy.Target {
		x := run(v)
		x.Shell.NoWildcards = true
		return x
	}
	named := func(kind policy.Kind, v string, also ...string) policy.Target {
		return policy.Target{Kind: kind, Value: v, Aliases: also}
	}
	type is = []policy.Target
	tests := []struct {
		name, rule string
		tool       string // empty: Maker
		acts       is
		covers     bool
		touches    bool
	}{
		{name: "written below the working directory", rule: "Edit(/src/a.go)", acts: is{write("src/a.go")}, covers: true, touches: true},
		{name: "written by an absolute name", rule: "Edit(./src)", acts: is{write(dir + "/src/a.go")}, covers: true, touches: true},
		{name: "written with dots", rule: "Edit(src/a.go)", acts: is{write("src/../src/./a.go")}, covers: true, touches: true},
		{name: "dots lead elsewhere", rule: "Edit(src)", acts: is{write("src/../b.go")}},
		{name: "bare name", rule: "Edit(a.go)", acts: is{write("src/deep/a.go")}, covers: true, touches: true},
		{name: "bare name outside", rule: "Edit(a.go)", acts: is{write(outside + "/a.go")}},
		{name: "directory and slash", rule: "Edit(src/)", acts: is{write("src/a.go")}, covers: true, touches: true},
		{name: "file system", rule: "Edit(/" + outside + ")", acts: is{write(outside + "/a.go")}, covers: true, touches: true},
		{name: "home", rule: "Edit(~/pegboard-test)", acts: is{write("~/pegboard-test/a")}, covers: true, touches: true},
		{name: "read", rule: "Read(src)", acts: is{read("src/a.go")}, covers: true, touches: true},
		{name: "read is not written", rule: "Read(src)", acts: is{write("src/a.go")}, touches: true}, // a path that may not be read may not be written
		{name: "written may be read", rule: "Edit(src)", acts: is{read("src/a.go")}, covers: true},
		{name: "an edit rule on a host", rule: "Edit(src)", acts: is{named(policy.Host, "src")}},

		{name: "through a link, by the spelling", rule: "Edit(link)", acts: is{write("link/a")}, touches: true},
		{name: "through a link, by the place", rule: "Edit(/" + outside + ")", acts: is{write("link/a")}, touches: true},
		{name: "through a link that stays", rule: "Edit(src)", acts: is{write("src/self/a")}, covers: true, touches: true},
		{name: "an other name outside", rule: "Edit(src)", acts: is{write("src/a", outside+"/a")}, touches: true},
		{name: "only an other name", rule: "Edit(src)", acts: is{write(outside+"/a", "src/a")}, touches: true},
		{name: "an other name through a link", rule: "Edit(src)", acts: is{write("src/a", "src/b", "link/a")}, touches: true},
		{name: "two names inside", rule: "Edit(src)", acts: is{write("src/a", "src/b")}, covers: true, touches: true},
		{name: "one target of two", rule: "Edit(src)", acts: is{write("src/a"), write("b")}, touches: true},
		{name: "two targets of two", rule: "Edit(src)", acts: is{write("src/a"), write("src/b")}, covers: true, touches: true},
		{name: "one and something unknown", rule: "Edit(src)", acts: is{write("src/a"), {}}, touches: true},

		{name: "something below a tree", rule: "Read(src/a.go)", acts: is{below(".")}, touches: true},
		{name: "a bare name below a tree", rule: "Read(.env)", acts: is{below("src")}, touches: true},
		{name: "beside a tree", rule: "Read(src/a.go)", acts: is{below("docs")}},
		{name: "below a tree behind a link", rule: "Read(/" + outside + "/a)", acts: is{below("link")}, touches: true},
		{name: "a tree inside", rule: "Read(src)", acts: is{below("src/deep")}, covers: true, touches: true},

		{name: "host", rule: "WebFetch(domain:Example.com)", acts: is{named(policy.Host, "example.COM.")}, covers: true, touches: true},
		{name: "another host", rule: "WebFetch(domain:example.com)", acts: is{named(policy.Host, "www.example.com")}},
		{name: "another name of the host", rule: "WebFetch(domain:example.com)", acts: is{named(policy.Host, "a.test", "example.com")}, touches: true},

		{name: "command", rule: "Bash(git status)", tool: "Bash", acts: is{run("git   status")}, covers: true, touches: true},
		{name: "command of another tool", rule: "Bash(git status)", acts: is{run("git status")}, touches: true},
		{name: "command of Monitor", rule: "Bash(git status)", tool: "Monitor", acts: is{run("git status")}, covers: true, touches: true},
		{name: "blanks inside quotes", rule: `Bash(git commit -m "a b")`, tool: "Bash", acts: is{run(`git commit -m "a  b"`)}},
		{name: "blanks before quotes", rule: `Bash(git commit -m "a b")`, tool: "Bash", acts: is{run(`git  commit -m "a b"`)}, covers: true, touches: true},
		{name: "run in turn", rule: "Bash(rm a)", tool: "Bash", acts: is{run("sudo rm a", "rm a")}, touches: true},
		{name: "one command of two", rule: "Bash(ls)", tool: "Bash", acts: is{run("ls"), run("rm a")}, touches: true},
		{name: "command and its redirect", rule: "Bash(ls)", tool: "Bash", acts: is{run("ls"), write("a")}, touches: true},

		{name: "command and more words", rule: "Bash(npm run test:*)", tool: "Bash", acts: is{run("npm run test -- -v")}, covers: true, touches: true},
		{name: "command and no more words", rule: "Bash(npm run test *)", tool: "Bash", acts: is{run("npm run test")}, covers: true, touches: true},
		{name: "a word that begins alike", rule: "Bash(npm run test:*)", tool: "Bash", acts: is{run("npm run testing")}},
		{name: "a word that may begin alike", rule: "Bash(npm run test*)", tool: "Bash", acts: is{run("npm run testing -v")}, covers: true, touches: true},
		{name: "a star in the middle", rule: "Bash(git * main)", tool: "Bash", acts: is{run("git push origin main")}, covers: true, touches: true},
		{name: "one command of two under a star", rule: "Bash(npm:*)", tool: "Bash", acts: is{run("npm test"), run("rm a")}, touches: true},
		{name: "two commands of two under a star", rule: "Bash(npm:*)", tool: "Bash", acts: is{run("npm test"), run("npm run a")}, covers: true, touches: true},
		{name: "run in turn under a star", rule: "Bash(rm:*)", tool: "Bash", acts: is{run("sudo rm a", "rm a")}, touches: true},
		{name: "under a star, of another tool", rule: "Bash(npm:*)", acts: is{run("npm test")}, touches: true},
		{name: "an exact command under a star", rule: "Bash(find:*)", tool: "Bash", acts: is{exactly("find . -delete")}, touches: true},
		{name: "an exact command spelled out", rule: "Bash(find . -delete)", tool: "Bash", acts: is{exactly("find . -delete")}, covers: true, touches: true},

		{name: "any depth", rule: "Read(./src/**)", acts: is{read("src/a/b.go")}, covers: true, touches: true},
		{name: "the tree's own directory", rule: "Read(./src/**)", acts: is{read("docs/src/b.go")}},
		{name: "a suffix", rule: "Edit(/src/*.go)", acts: is{write("src/a.go")}, covers: true, touches: true},
		{name: "a suffix, deeper", rule: "Edit(/src/*.go)", acts: is{write("src/a/b.go")}},
		{name: "a suffix at any depth", rule: "Edit(**/*.go)", acts: is{write("src/a/b.go")}, covers: true, touches: true},
		{name: "one segment, at the top", rule: "Edit(docs/**)", acts: is{write("docs/a")}, covers: true, touches: true},
		{name: "one segment, deeper", rule: "Edit(docs/**)", acts: is{write("src/docs/a")}, touches: true}, // at any depth, but not to allow
		{name: "two segments, deeper", rule: "Edit(src/docs/**)", acts: is{write("a/src/docs/a")}},
		{name: "through a link, under stars", rule: "Edit(link/**)", acts: is{write("link/a")}, touches: true},
		{name: "through a link, by stars of the place", rule: "Edit(/" + outside + "/**)", acts: is{write("link/a")}, touches: true},
		{name: "below a tree, under stars", rule: "Read(**/*.pem)", acts: is{below(".")}, touches: true},
		{name: "a tree under stars", rule: "Read(src/**)", acts: is{below("src/deep")}, covers: true, touches: true},

		{name: "sub-domain", rule: "WebFetch(domain:*.example.com)", acts: is{named(policy.Host, "a.b.example.com")}, covers: true, touches: true},
		{name: "not the domain itself", rule: "WebFetch(domain:*.example.com)", acts: is{named(policy.Host, "example.com")}},
		{name: "a domain that ends alike", rule: "WebFetch(domain:*.example.com)", acts: is{named(policy.Host, "badexample.com")}},
		{name: "every domain", rule: "WebFetch(domain:*)", acts: is{named(policy.Host, "example.com")}, covers: true, touches: true},
		{name: "one of two hosts under a star", rule: "WebFetch(domain:*.example.com)", acts: is{named(policy.Host, "a.example.com"), named(policy.Host, "b.test")}, touches: true},

		{name: "skill and what is said to it", rule: "Skill(deploy *)", tool: "Skill", acts: is{named(policy.Skill, "deploy to production")}, covers: true, touches: true},
		{name: "skill that begins alike", rule: "Skill(deploy *)", tool: "Skill", acts: is{named(policy.Skill, "deployment")}},
		{name: "agent", rule: "Agent(reviewer)", tool: "Agent", acts: is{named(policy.Agent, "reviewer")}, covers: true, touches: true},
		{name: "another agent", rule: "Agent(reviewer)", tool: "Agent", acts: is{named(policy.Agent, "writer")}},
		{name: "agent of another tool", rule: "Agent(reviewer)", acts: is{named(policy.Agent, "reviewer")}},
		{name: "by an alias", rule: "Former(x)", acts: is{named(policy.Resource, "x")}, covers: true, touches: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if home, err := os.UserHomeDir(); strings.Contains(tc.rule, "~") && (err != nil || home == "") {
				t.Skip("this user has no home directory, which the rule names")
			}
			a := actor{name: tc.tool, traits: pegboard.Traits{Targets: tc.acts}}
			if a.name == "" {
				a.name, a.aliases = "Maker", []string{"Former"}
			}
			checkRule(t, pegboard.SessionConfig{Dir: dir}, &a, tc.rule, tc.covers, tc.touches)
		})
	}
}

// TestReadingIsNotRunning: no rule that lets a file be read or written lets it be
// run.
func TestReadingIsNotRunning(t *testing.T) {
	t.Parallel()
	for _, readOnly := range []bool{false, true} {
		a := actor{name: "T", traits: pegboard.Traits{ReadOnly: readOnly, Targets: []policy.Target{
			{Kind: policy.Path, Access: policy.Run, Value: "x.sh"},
		}}}
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: t.TempDir()}))
		for _, tc := range []struct {
			rule string
			want policy.Behavior
		}{{"Read(/x.sh)", policy.Ask}, {"Edit(/x.sh)", policy.Ask}, {"T", policy.Allow}} {
			require.NoError(t, pool.Session().SetPermissions(rules(t, "", policy.RuleSet{Allow: []string{tc.rule}})))
			require.Equal(t, tc.want.String(), judge(t, pool).behavior.String(), tc.rule)
		}
		for _, rule := range []string{"Read(/x.sh)", "Edit(/x.sh)"} {
			require.NoError(t, pool.Session().SetPermissions(rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{rule}})))
			require.Equal(t, rule, judge(t, pool).rule, "denied")
		}
	}
}

// TestOpaqueNeedsARuleForTheWholeTool: no pattern covers an opaque target, and no rule
// at all does while a deny or ask pattern could be about it.
func TestOpaqueNeedsARuleForTheWholeTool(t *testing.T) {
	t.Parallel()
	command := []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "make"}}
	tests := []struct {
		name string
		tool string // empty: T
		acts []policy.Target
		set  policy.RuleSet
		want policy.Behavior
	}{
		{name: "bare allow", set: policy.RuleSet{Allow: []string{"T"}}, want: policy.Allow},
		{name: "pattern allow", set: policy.RuleSet{Allow: []string{"T(x)", "Edit(a)", "Read(a)"}}, want: policy.Ask},
		{name: "said to be opaque", acts: []policy.Target{{Value: "x"}}, set: policy.RuleSet{Allow: []string{"T(x)"}}, want: policy.Ask},
		{name: "beside what is covered", acts: []policy.Target{{Kind: policy.Resource, Value: "x"}, {}}, set: policy.RuleSet{Allow: []string{"T(x)"}}, want: policy.Ask},
		{name: "deny pattern of the tool", set: policy.RuleSet{Allow: []string{"T"}, Deny: []string{"T(x)"}}, want: policy.Ask},
		{name: "ask pattern of the tool", set: policy.RuleSet{Allow: []string{"T"}, Ask: []string{"T(x)"}}, want: policy.Ask},
		{name: "deny pattern of paths", set: policy.RuleSet{Allow: []string{"T"}, Deny: []string{"Read(.env)"}}, want: policy.Ask},
		{name: "ask pattern of hosts", set: policy.RuleSet{Allow: []string{"T"}, Ask: []string{"WebFetch(domain:a.test)"}}, want: policy.Ask},
		{name: "deny pattern of another tool", set: policy.RuleSet{Allow: []string{"T"}, Deny: []string{"Other(x)"}}, want: policy.Allow},
		{name: "deny of another tool", set: policy.RuleSet{Allow: []string{"T"}, Deny: []string{"Read", "WebFetch"}}, want: policy.Allow},
		{name: "a command hides what it reads", acts: command, set: policy.RuleSet{Allow: []string{"T"}, Deny: []string{"Read(.env)"}}, want: policy.Ask},
		{name: "but not if it is spelled out", acts: command, tool: "Bash", set: policy.RuleSet{Allow: []string{"Bash(make)"}, Deny: []string{"Read(.env)"}}, want: policy.Allow},
		{name: "a command is plain to its own tool", acts: command, set: policy.RuleSet{Allow: []string{"T"}, Deny: []string{"T(x)"}}, want: policy.Allow},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: cmp.Or(tc.tool, "T"), traits: pegboard.Traits{Targets: tc.acts}}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", tc.set)}))
			require.Equal(t, tc.want.String(), judge(t, pool).behavior.String())
		})
	}
}

// TestPatternLeavesAllowRulesOfServers: one deny pattern on files switched off the allow
// rules of every tool of a server.
func TestPatternLeavesAllowRulesOfServers(t *testing.T) {
	t.Parallel()
	file := []policy.Target{pathTo(policy.Read, "f"), {}}
	tests := []struct {
		name        string
		acts        []policy.Target
		allow       []string
		restriction string // as a deny and as an ask rule
		want        policy.Behavior
	}{
		{name: "files", restriction: "Read(./.env)", want: policy.Allow},
		{name: "hosts", restriction: "WebFetch(domain:a.test)", want: policy.Allow},
		{name: "commands", restriction: "Bash(rm:*)", want: policy.Allow},
		{name: "the tool", restriction: "mcp__srv__T(x)", want: policy.Ask},
		{name: "tools of the server", restriction: "mcp__srv__*(x)", want: policy.Ask},
		{name: "another server", restriction: "mcp__other__T(x)", want: policy.Allow},
		{name: "files of a call that names one", acts: file, restriction: "Read(./.env)", want: policy.Ask},
		{name: "hosts of a call that names a file", acts: file, restriction: "WebFetch(domain:a.test)", want: policy.Allow},
		{name: "the tool allowed", allow: []string{"mcp__srv__T"}, restriction: "Read(./.env)", want: policy.Allow},
		{name: "nothing allowed", allow: []string{"mcp__other"}, restriction: "Read(./.env)", want: policy.Ask},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			allow := tc.allow
			if allow == nil {
				allow = []string{"mcp__srv"}
			}
			a := actor{name: "T", source: "srv", traits: pegboard.Traits{Targets: tc.acts}}
			for _, set := range []policy.RuleSet{{Allow: allow, Deny: []string{tc.restriction}}, {Allow: allow, Ask: []string{tc.restriction}}} {
				require.Equal(t, tc.want.String(), judgeOnce(t, a, pegboard.SessionConfig{}, "", set))
			}
		})
	}
}

// TestUnseenIsExplained: the question said that no rule allows the call, although one did
// and only did not count.
func TestUnseenIsExplained(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	set := policy.RuleSet{Allow: []string{"T"}, Deny: []string{"Read(.env)"}}
	v := judge(t, a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", set)})))
	require.Contains(t, v.reason, `allow rule "T" does not count while deny rule "Read(.env)" could be about what cannot be seen`)
}

// TestRestrictionNeverLoosensTheUnseen: with one more deny or ask rule no call of any tool,
// with any targets, is decided more laxly, and a rule that names the tool is never ignored.
func TestRestrictionNeverLoosensTheUnseen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	values := []policy.Target{
		{}, {}, {Value: "something computed"}, pathTo(policy.Read, "f"), pathTo(policy.Write, ".env"), {Kind: policy.Host, Value: "a.test"},
		{Kind: policy.Command, Access: policy.Run, Value: "make"}, {Kind: policy.Command, Access: policy.Run, Value: "rm x", Shell: policy.ShellFacts{Simple: true}},
		{Kind: policy.Resource, Value: "x"}, {Kind: policy.Host, Value: "no host"},
	}
	asked := 0
	for seed := range effort.Of(t, uint64(3000)) {
		r := rand.New(rand.NewPCG(seed, 20))
		a := actor{name: "T", source: []string{"", "srv"}[r.IntN(2)], traits: pegboard.Traits{ReadOnly: r.IntN(2) == 0, OpenWorld: r.IntN(4) == 0}}
		for range r.IntN(3) {
			a.traits.Targets = append(a.traits.Targets, values[r.IntN(len(values))])
		}
		name, allow := "T", []string{"T"}
		if a.source != "" {
			name, allow = "mcp__srv__T", []string{[]string{"mcp__srv", "mcp__srv__T", "mcp__srv__*"}[r.IntN(3)]}
		}
		named := []string{name + "(x)", name + "(a:b)", name}
		others := []string{"Read(.env)", "Edit(/src/**)", "WebFetch(domain:a.test)", "Bash(rm:*)", "Other(x)", "mcp__other__T(x)", "Bash(make)"}
		pick := func() string { list := slices.Concat(named, others); return list[r.IntN(len(list))] }
		less := policy.RuleSet{Allow: allow, Deny: []string{pick()}, Ask: []string{pick()}}
		more, extra := less, pick()
		if r.IntN(2) == 0 {
			more.Deny = []string{less.Deny[0], extra}
		} else {
			more.Ask = []string{less.Ask[0], extra}
		}
		mode := []policy.Mode{policy.ModeDefault, policy.ModeAcceptEdits, policy.ModeBypass}[r.IntN(3)]
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir}))
		under := func(set policy.RuleSet) verdict {
			require.NoError(t, pool.Session().SetPermissions(rules(t, mode, set)))
			return judge(t, pool)
		}
		before, after := under(less), under(more)
		require.GreaterOrEqual(t, after.behavior, before.behavior, "seed %d: %+v in %s under %+v, then %q: %s / %s", seed, a, mode, less, extra, before.reason, after.reason)
		opaque := slices.ContainsFunc(a.traits.Targets, func(t policy.Target) bool { return t.Kind == policy.Opaque })
		if opaque && (slices.Contains(named, extra) || slices.Contains(named, less.Deny[0])) {
			require.NotEqual(t, policy.Allow, after.behavior, "seed %d: %+v in %s under %+v: %s", seed, a, mode, more, after.reason)
			asked++
		}
	}
	if effort.Full(t) {
		require.Greater(t, asked, 100)
	}
}

// TestParameterRules compare the input as the model wrote it, and never allow.
func TestParameterRules(t *testing.T) {
	t.Parallel()
	type input struct {
		Command    string         `json:"command,omitempty"`
		Background bool           `json:"run_in_background,omitempty"`
		Model      string         `json:"model,omitempty"`
		Count      float64        `json:"count,omitempty"`
		More       map[string]any `json:"more,omitempty"`
	}
	tests := []struct {
		name, rule, input string
		want              bool // it is about the call
	}{
		{name: "true", rule: "Bash(run_in_background:true)", input: `{"run_in_background":true}`, want: true},
		{name: "not true", rule: "Bash(run_in_background:true)", input: `{"run_in_background":false}`},
		{name: "left out", rule: "Bash(run_in_background:true)", input: `{}`},
		{name: "no input", rule: "Bash(run_in_background:*)", input: ``},
		{name: "left out, any value", rule: "Bash(run_in_background:*)", input: `{}`},
		{name: "text", rule: "Bash(model:opus)", input: `{"model":"opus"}`, want: true},
		{name: "text with an escape", rule: "Bash(model:opus)", input: `{"model":"\u006fpus"}`, want: true},
		{name: "another case", rule: "Bash(model:opus)", input: `{"model":"Opus"}`},
		{name: "blanks round the colon", rule: "Bash(model : opus)", input: `{"model":"opus"}`, want: true},
		{name: "star", rule: "Bash(model:claude-*-5)", input: `{"model":"claude-opus-5"}`, want: true},
		{name: "star that does not fit", rule: "Bash(model:claude-*-5)", input: `{"model":"claude-opus-4"}`},
		{name: "number as it is written", rule: "Bash(count:1.50)", input: `{"count":1.50}`, want: true},
		{name: "number written otherwise", rule: "Bash(count:1.5)", input: `{"count":1.50}`},
		{name: "an object", rule: "Bash(more:*x)", input: `{"more":{"a":1}}`},
		{name: "inside an object", rule: "Bash(a:1)", input: `{"more":{"a":1}}`},
		{name: "of another tool", rule: "Agent(model:opus)", input: `{"model":"opus"}`},
		{name: "by a pattern of tools", rule: "B*(model:opus)", input: `{"model":"opus"}`, want: true},
		{name: "a command with a colon is no parameter", rule: "Bash(npm:test)", input: `{"command":"npm:test"}`, want: true},
		{name: "nor is a prefix", rule: "Bash(model:*)", input: `{"model":"opus"}`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tool := pegboard.Build(pegboard.Definition[input, string]{
				Info: pegboard.Info{Name: "Bash"}, Description: "For a test.",
				Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: in.Command}}}
				},
				Call: func(ctx, input, *pegboard.Call) (string, error) { return "", nil },
			})
			s := session(t, pegboard.SessionConfig{})
			pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
			for _, set := range []policy.RuleSet{{Deny: []string{tc.rule}}, {Ask: []string{tc.rule}}} {
				require.NoError(t, s.SetPermissions(rules(t, policy.ModeBypass, set)))
				trace := pool.ExplainDecision(t.Context(), call("1", "Bash", tc.input))
				require.Equal(t, tc.want, trace.Decision.Rule != nil, trace.String())
				ex := executor(pegboard.Executor{})
				require.Equal(t, tc.want, ex.Run(t.Context(), pool, call("1", "Bash", tc.input))[0].Err != nil)
			}
			if _, err := policy.ParseRule(policy.Allow, tc.rule); err == nil && !strings.Contains(tc.name, "command") {
				require.NoError(t, s.SetPermissions(rules(t, "", policy.RuleSet{Allow: []string{tc.rule}})))
				require.Equal(t, policy.Ask, pool.Decide(t.Context(), call("1", "Bash", tc.input)).Behavior, "it never allows")
			}
		})
	}
}

// A deny rule about a parameter was seen not to match, so an opaque target does not make
// it count.
func TestParameterRuleIsNotAboutAnOpaqueTarget(t *testing.T) {
	t.Parallel()
	type input struct {
		To string `json:"to"`
	}
	tool := pegboard.Build(pegboard.Definition[input, string]{Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Call: func(ctx, input, *pegboard.Call) (string, error) { return "", nil }})
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"T"}, Deny: []string{"T(to:production)"}})})
	require.Equal(t, "allow", registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "T", `{"to":"test"}`)).Behavior.String())
}

// TestRuleUnderEverySpellingOfTheDirectory: a working directory that is itself
// a link has two names, and a rule means both.
func TestRuleUnderEverySpellingOfTheDirectory(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, linkDir(place, link))
	for _, spelling := range []string{"a.go", filepath.Join(link, "a.go"), filepath.Join(place, "a.go")} {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: spelling}}}}
		for _, rule := range []string{"Edit(a.go)", "Edit(./a.go)", "Edit(/a.go)"} {
			checkRule(t, pegboard.SessionConfig{Dir: link}, &a, rule, true, true)
		}
	}
}

// TestDenyRuleThroughALink: a deny rule that is spelled through a link means the
// place it leads to, by whatever name that is touched.
func TestDenyRuleThroughALink(t *testing.T) {
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
	require.NoError(t, os.MkdirAll(at("disk/me/keys"), 0o700))
	require.NoError(t, linkDir(at("disk"), at("home")))
	t.Setenv("HOME", at("home/me"))
	t.Setenv("USERPROFILE", at("home/me"))
	for _, rule := range []string{"Read(~/keys)", "Read(/" + filepath.ToSlash(at("home/me/keys")) + ")", "Edit(~/keys)"} {
		for _, path := range []string{"~/keys/id", at("home/me/keys/id"), at("disk/me/keys/id"), "keys/id"} {
			t.Run(rule+" "+path, func(t *testing.T) {
				a := reading(policy.Target{Value: path})
				if rule[0] == 'E' {
					a.traits.Targets[0].Access = policy.Write
				}
				pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: at("disk/me")}))
				require.NoError(t, pool.Session().SetPermissions(rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{rule}})))
				require.Equal(t, rule, judge(t, pool).rule)
			})
		}
	}
}

// TestAllowRuleBelowAHomeThatIsALink: the home is where the host says it is, so an
// allow rule means both its names.
func TestAllowRuleBelowAHomeThatIsALink(t *testing.T) {
	place, link := t.TempDir(), filepath.Join(t.TempDir(), "me")
	require.NoError(t, linkDir(place, link))
	t.Setenv("HOME", link)
	t.Setenv("USERPROFILE", link)
	for _, path := range []string{"~/notes/a", filepath.Join(link, "notes", "a"), filepath.Join(place, "notes", "a")} {
		a := reading(policy.Target{Value: path})
		checkRule(t, pegboard.SessionConfig{Dir: t.TempDir()}, &a, "Read(~/notes)", true, true)
	}
}

// TestAllowRuleDoesNotFollowALink: the path of an allow rule may have become a link
// since the rule was written.
func TestAllowRuleDoesNotFollowALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, linkDir(outside, filepath.Join(dir, "link")))
	a := reading(policy.Target{Value: "link/f"})
	pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", policy.RuleSet{Allow: []string{"Read(/link)"}})}))
	require.Equal(t, policy.Ask, judge(t, pool).behavior)
}

// TestRulesSeeWhereOtherNamesLead: every name of a target counts at its real
// place too.
func TestRulesSeeWhereOtherNamesLead(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, linkDir(outside, filepath.Join(dir, "link")))
	a := reading(policy.Target{Value: "f", Aliases: []string{"link/f"}})
	pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir}))
	require.Equal(t, policy.Ask, judge(t, pool).behavior, "one name leads outside")

	rule := "Read(/" + filepath.ToSlash(outside) + ")"
	require.NoError(t, pool.Session().SetPermissions(rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{rule}})))
	require.Equal(t, rule, judge(t, pool).rule)
}

// Deny and ask rules look at a guess where its link leads, as they do for other targets.
func TestDenyRuleSeesAGuessThroughALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	guess := pathTo(policy.Read, "link/secret")
	guess.Shell.Guess = true
	a := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{guess}}}
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", policy.RuleSet{Deny: []string{"Read(/" + outside + "/secret)"}}))
}

// TestPlacesOfRules: a sandbox must learn where the files of a rule are, and whether they
// may be anywhere else.
func TestPlacesOfRules(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	in := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	for _, tc := range []struct {
		rule, place string
		exact       bool
	}{
		{rule: "Read(./secrets/**)", place: in("secrets"), exact: true},
		{rule: "Read(secrets/**)", place: in("secrets")},
		{rule: "Read(./secrets)", place: in("secrets"), exact: true},
		{rule: "Read(a/b)", place: in("a", "b"), exact: true},
		{rule: "Read(.env)", place: in(".env")},
		{rule: "Read(*.pem)"},
		{rule: "Read(./keys/*.pem)", place: in("keys")},
		{rule: "Read(./**)", place: in(), exact: true},
		{rule: "Edit(~/.bashrc)", place: filepath.Join(home, ".bashrc"), exact: true},
		{rule: "Edit(//etc/**)", place: "/etc", exact: true},
		{rule: "Read"},
		{rule: "Bash(cat:*)"},
		{rule: "WebFetch(domain:example.com)"},
		{rule: "T(./secrets/**)"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Dir: dir, Home: home})
			require.NoError(t, s.SetPermissions(rules(t, "", policy.RuleSet{Deny: []string{tc.rule}})))
			places, exact := s.Permissions().Rules()[0].Places()
			require.Equal(t, filepath.ToSlash(tc.place), filepath.ToSlash(strings.Join(places, " ")))
			require.Equal(t, tc.exact, exact)
		})
	}
}

// TestPlacesAfterAMove: a deny rule is about the old directory and the new one.
func TestPlacesAfterAMove(t *testing.T) {
	t.Parallel()
	dir := nested(t)
	s := session(t, pegboard.SessionConfig{Dir: filepath.Join(dir, "p"), Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Read(./a)", "Read(//etc)", "Read(*.pem)", "Bash(ls)", "T(./a)"}, Allow: []string{"Read(./a)"}})})
	require.NoError(t, s.SetDir("tree"))
	home, tree := filepath.Join(dir, "p", "a"), filepath.Join(dir, "p", "tree", "a")
	for i, want := range [][]string{{home, tree}, {"/etc"}, nil, nil, nil, {home}} {
		r := s.Permissions().Rules()[i]
		places, exact := r.Places()
		require.Equal(t, want, places, r.String())
		require.Equal(t, want != nil, exact, r.String())
	}
}

const (
	yes = policy.Yes
	no  = policy.No
)

// withFacts returns p with rules on facts.
func withFacts(t testing.TB, p policy.Permissions, facts ...policy.FactRule) policy.Permissions {
	t.Helper()
	p, err := p.WithFactRules(facts...)
	require.NoError(t, err)
	return p
}

// TestFactRules: which calls a rule on facts decides. A call is asked about in a mode that
// allows nothing by itself.
func TestFactRules(t *testing.T) {
	t.Parallel()
	type (
		fact   = policy.FactRule
		traits = pegboard.Traits
		target = policy.Target
	)
	const deny, ask, allow = policy.Deny, policy.Ask, policy.Allow
	thing := target{Kind: policy.Resource, Access: policy.Read, Value: "x"}
	line := func(verify error) target {
		return target{Kind: policy.Command, Access: policy.Run, Value: "git log", Shell: policy.ShellFacts{ReadOnly: true, Simple: true, VerifyReadOnly: func() error { return verify }}}
	}
	host := target{Kind: policy.Host, Access: policy.Read, Value: "h.test"}
	guess := host
	guess.Shell.Guess = true
	reads := traits{ReadOnly: true, Targets: []target{thing}}
	writes := traits{Targets: []target{thing}}
	kills := traits{Destructive: true, Targets: []target{thing}}
	far := traits{ReadOnly: true, OpenWorld: true, Targets: []target{thing}}
	opaque := traits{}
	acts := func(readOnly bool, ts ...target) traits { return traits{ReadOnly: readOnly, Targets: ts} }
	tests := []struct {
		name   string
		rule   fact
		trusts []string
		traits traits
		source string
		set    policy.RuleSet
		tool   string
		mode   policy.Mode
		want   policy.Behavior // Undecided: not by the rule
	}{
		{name: "allow what reads", rule: fact{Behavior: allow, ReadOnly: yes}, traits: reads, want: allow},
		{name: "allow what reads, and it writes", rule: fact{Behavior: allow, ReadOnly: yes}, traits: writes},
		{name: "allow what reads, and it says both", rule: fact{Behavior: allow, ReadOnly: yes}, traits: traits{ReadOnly: true, Destructive: true, Targets: []target{thing}}},
		{name: "allow what reads far away", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: yes}, traits: far, want: allow},
		{name: "allow what reads here, and it reads far away", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: no}, traits: far},
		{name: "allow what reads here", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: no}, traits: reads, want: allow},
		{name: "allow what reads here, and it names a host", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: no}, traits: acts(true, host)},
		{name: "allow what reads here, and it may be about a host", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: no}, traits: acts(true, thing, guess), want: allow},
		{name: "allow what reads, and a file is written", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, thing, pathTo(policy.Write, "f"))},
		{name: "allow what reads, and a file is read elsewhere", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, pathTo(policy.Read, "/elsewhere/f")), want: allow},
		{name: "allow what reads, and it names nothing", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true), want: allow},
		{name: "allow what reads, and nobody sees what", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, target{}), want: allow},
		{name: "allow what reads, and nobody sees whether it is denied", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, target{}), set: policy.RuleSet{Deny: []string{"Read(secret)"}}},
		{name: "allow what reads, and a value is unclear", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, target{Kind: policy.Host, Access: policy.Read, Value: "a b"})},
		{name: "allow a command that reads", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, line(nil)), want: allow},
		{name: "allow a command that turns out not to read only", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, line(errors.New("a filter")))},
		{name: "allow what is destructive", rule: fact{Behavior: allow, Destructive: yes}, traits: kills, want: allow},
		{name: "allow what is destructive, and a command writes elsewhere", rule: fact{Behavior: allow, Destructive: yes},
			traits: traits{Destructive: true, Targets: []target{{Kind: policy.Command, Access: policy.Run, Value: "make", Shell: policy.ShellFacts{Simple: true}}, pathTo(policy.Write, "/elsewhere/f")}}},
		{name: "allow, and a deny rule", rule: fact{Behavior: allow, ReadOnly: yes}, traits: reads, set: policy.RuleSet{Deny: []string{"T(x)"}}},
		{name: "allow, and an ask rule", rule: fact{Behavior: allow, ReadOnly: yes}, traits: reads, set: policy.RuleSet{Ask: []string{"T(x)"}}},
		{name: "allow in mode deny", rule: fact{Behavior: allow, ReadOnly: yes}, traits: reads, mode: policy.ModeDeny, want: allow},
		{name: "allow in auto mode what is far away and could be anything", rule: fact{Behavior: allow, OpenWorld: yes}, traits: traits{OpenWorld: true, Targets: []target{thing}}, tool: "Bash", mode: policy.ModeAuto},
		{name: "allow in auto mode what only reads", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: yes}, traits: far, tool: "Bash", mode: policy.ModeAuto, want: allow},
		{name: "allow in auto mode what is far away", rule: fact{Behavior: allow, OpenWorld: yes}, traits: traits{OpenWorld: true, Targets: []target{thing}}, mode: policy.ModeAuto, want: allow},

		{name: "ask about what is far away", rule: fact{Behavior: ask, OpenWorld: yes}, traits: far, set: policy.RuleSet{Allow: []string{"T"}}, want: ask},
		{name: "ask about what is far away, by its host", rule: fact{Behavior: ask, OpenWorld: yes}, traits: acts(true, host), set: policy.RuleSet{Allow: []string{"T"}}, want: ask},
		{name: "ask about what is far away, and it is here", rule: fact{Behavior: ask, OpenWorld: yes}, traits: reads, set: policy.RuleSet{Allow: []string{"T"}}},
		{name: "ask in bypass mode", rule: fact{Behavior: ask, Destructive: yes}, traits: kills, mode: policy.ModeBypass, want: ask},
		{name: "deny what is destructive", rule: fact{Behavior: deny, Destructive: yes}, traits: kills, set: policy.RuleSet{Allow: []string{"T"}}, want: deny},
		{name: "deny what is destructive, and it is not", rule: fact{Behavior: deny, Destructive: yes}, traits: writes},
		{name: "deny in bypass mode", rule: fact{Behavior: deny, ReadOnly: no}, traits: opaque, mode: policy.ModeBypass, want: deny},
		{name: "deny what writes, and a file is written", rule: fact{Behavior: deny, ReadOnly: no}, traits: acts(true, pathTo(policy.Write, "f")), want: deny},
		{name: "deny what writes, and it turns out not to read only", rule: fact{Behavior: deny, ReadOnly: no}, traits: acts(true, line(errors.New("a filter"))), want: deny},
		{name: "deny what writes, and it reads", rule: fact{Behavior: deny, ReadOnly: no}, traits: acts(true, line(nil))},
		{name: "deny what writes here", rule: fact{Behavior: deny, ReadOnly: no, OpenWorld: no}, traits: traits{OpenWorld: true}},

		{name: "attached/allow what reads", rule: fact{Behavior: allow, ReadOnly: yes}, traits: reads, source: "srv"},
		{name: "attached/allow what its source says reads", rule: fact{Behavior: allow, ReadOnly: yes, ToolSource: "srv"}, traits: reads, source: "srv", want: allow},
		{name: "attached/allow what another source says reads", rule: fact{Behavior: allow, ReadOnly: yes, ToolSource: "other"}, traits: reads, source: "srv"},
		{name: "attached/allow what a trusted source says reads", rule: fact{Behavior: allow, ReadOnly: yes}, trusts: []string{"other", "srv"}, traits: reads, source: "srv", want: allow},
		{name: "attached/allow what a trusted source says reads, and it writes", rule: fact{Behavior: allow, ReadOnly: yes}, trusts: []string{"other", "srv"}, traits: writes, source: "srv"},
		{name: "attached/allow what an untrusted source says reads", rule: fact{Behavior: allow, ReadOnly: yes}, trusts: []string{"other", "", "srv2"}, traits: reads, source: "srv"},
		{name: "attached/a rule for a source is not about built-in tools", rule: fact{Behavior: deny, ReadOnly: yes, ToolSource: "srv"}, traits: reads},
		{name: "attached/ask about what is far away, which it may be", rule: fact{Behavior: ask, OpenWorld: yes}, traits: reads, source: "srv", set: policy.RuleSet{Allow: []string{"mcp__srv"}}, want: ask},
		{name: "attached/deny what writes, which it may do", rule: fact{Behavior: deny, ReadOnly: no}, traits: reads, source: "srv", want: deny},
		{name: "attached/deny what its source says writes", rule: fact{Behavior: deny, ReadOnly: no, ToolSource: "srv"}, traits: reads, source: "srv"},
		{name: "attached/deny what is destructive, and it says so", rule: fact{Behavior: deny, Destructive: yes}, trusts: []string{"srv"}, traits: kills, source: "srv", want: deny},
		{name: "attached/deny what is destructive, and it says no", rule: fact{Behavior: deny, Destructive: yes}, trusts: []string{"srv"}, traits: writes, source: "srv"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			name := tc.tool
			if name == "" {
				name = "T"
			}
			a := actor{name: name, source: tc.source, traits: tc.traits, silent: true}
			mode := tc.mode
			if mode == "" {
				mode = policy.ModeDontAsk // reads inside run, by no rule
			}
			s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Classifier: undecided})
			pool := a.pool(t, s)
			tc.rule.Source = policy.SourceUser
			require.NoError(t, s.SetPermissions(withFacts(t, rules(t, mode, tc.set), tc.rule).WithTrustedSources(tc.trusts...)))
			ex := executor(pegboard.Executor{})
			c := call("1", names(pool)[0], ``)
			d := ex.Run(t.Context(), pool, c)[0].Decision
			x := pool.ExplainDecision(t.Context(), c).Decision
			require.Equal(t, x.FactRule, d.FactRule)
			if tc.want == policy.Undecided {
				require.Nil(t, d.FactRule, d.Reason)
				return
			}
			require.NotNil(t, d.FactRule, d.Reason)
			require.Equal(t, tc.rule, *d.FactRule)
			require.Nil(t, d.Rule)
			require.Contains(t, d.Reason, tc.want.String()+` rule on calls that are "`+tc.rule.String()+`" from userSettings covers it`)
			require.Equal(t, tc.want == allow, d.Behavior == allow)
			require.Equal(t, tc.want == deny, d.Behavior == deny && d.By == policy.ByRule)
		})
	}
}

// TestFactRulesThatAreWrong cannot be meant.
func TestFactRulesThatAreWrong(t *testing.T) {
	t.Parallel()
	good := policy.FactRule{Behavior: policy.Deny, Destructive: yes}
	for name, tc := range map[string]struct {
		rule policy.FactRule
		says string
	}{
		"zero":                           {policy.FactRule{}, "the behavior is undecided"},
		"no behavior":                    {policy.FactRule{ReadOnly: yes}, "a rule allows, asks or denies"},
		"unknown behavior":               {policy.FactRule{Behavior: 9, ReadOnly: yes}, "a rule allows, asks or denies"},
		"no fact":                        {policy.FactRule{Behavior: policy.Deny, ToolSource: "srv"}, "it names no fact"},
		"unknown fact":                   {policy.FactRule{Behavior: policy.Deny, ReadOnly: 3}, "there is no fact 3"},
		"reads and destroys":             {policy.FactRule{Behavior: policy.Deny, ReadOnly: yes, Destructive: yes}, "no call is read-only and destructive"},
		"allow what is said by silence":  {policy.FactRule{Behavior: policy.Allow, Destructive: no, OpenWorld: no}, "an allow rule needs a FactYes"},
		"a source that is no text":       {policy.FactRule{Behavior: policy.Deny, ReadOnly: no, ToolSource: "a\nb"}, "control character"},
		"allow by the silence of others": {policy.FactRule{Behavior: policy.Allow, Destructive: no, ToolSource: "srv"}, "an allow rule needs a FactYes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := policy.Permissions{}.WithFactRules(good, tc.rule)
			require.ErrorContains(t, err, tc.says)
			require.Equal(t, policy.Permissions{}, p, "none is added")
		})
	}
}

// TestFactRulesOfPermissions are immutable, in the order in which they win.
func TestFactRulesOfPermissions(t *testing.T) {
	t.Parallel()
	a := policy.FactRule{Behavior: policy.Allow, ReadOnly: yes}
	q := policy.FactRule{Behavior: policy.Ask, OpenWorld: yes}
	d := policy.FactRule{Behavior: policy.Deny, Destructive: yes}
	p := withFacts(t, policy.Permissions{}, a, q)
	more := withFacts(t, p, d)
	require.Equal(t, []policy.FactRule{q, a}, p.FactRules())
	require.Equal(t, []policy.FactRule{d, q, a}, more.FactRules())
	more.FactRules()[0].Behavior = policy.Allow
	require.Equal(t, []policy.FactRule{d, q, a}, more.FactRules())
	kept, err := more.Apply(setMode(policy.ModePlan), allowRule(policy.SourceSession, "X", ""))
	require.NoError(t, err)
	require.Equal(t, more.FactRules(), kept.FactRules())
	require.Empty(t, rules(t, "", policy.RuleSet{}).FactRules())
}

// TestFactRulesOfForks only narrow.
func TestFactRulesOfForks(t *testing.T) {
	t.Parallel()
	allowReads := policy.FactRule{Behavior: policy.Allow, ReadOnly: yes}
	denyFar := policy.FactRule{Behavior: policy.Deny, OpenWorld: yes}
	s := session(t, pegboard.SessionConfig{Permissions: withFacts(t, rules(t, policy.ModeDeny, policy.RuleSet{}), allowReads)})
	_, err := s.Fork(pegboard.SessionConfig{Permissions: withFacts(t, policy.Permissions{}, policy.FactRule{Behavior: policy.Allow, Destructive: yes})})
	require.ErrorContains(t, err, `cannot add the allow rule on facts "destructive"`)
	fork := forked(t, s, pegboard.SessionConfig{Permissions: withFacts(t, policy.Permissions{}, denyFar, allowReads)})
	require.Equal(t, []policy.FactRule{denyFar, allowReads}, fork.Permissions().FactRules())
	require.Equal(t, []policy.FactRule{allowReads}, s.Permissions().FactRules())
	far := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, OpenWorld: true}}
	near := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}}
	require.Equal(t, "allow", judge(t, far.pool(t, s)).behavior.String())
	require.Equal(t, "deny", judge(t, far.pool(t, fork)).behavior.String())
	require.Equal(t, "allow", judge(t, near.pool(t, fork)).behavior.String())
	require.Error(t, fork.SetPermissions(withFacts(t, policy.Permissions{}, policy.FactRule{Behavior: policy.Allow, OpenWorld: yes})))
	require.ErrorContains(t, fork.SetPermissions(policy.Permissions{}.WithTrustedSources("srv")), `cannot trust the source "srv"`)
	require.NoError(t, s.SetPermissions(rules(t, policy.ModeDeny, policy.RuleSet{})))
	require.Equal(t, "deny", judge(t, near.pool(t, fork)).behavior.String(), "it goes with its parent's")
}

// TestTrustedSources are immutable, sorted, and those of the parent in a fork.
func TestTrustedSources(t *testing.T) {
	t.Parallel()
	p := policy.Permissions{}.WithTrustedSources("b", "a", "b")
	q := p.WithTrustedSources("c", "a")
	require.Equal(t, []string{"a", "b"}, p.TrustedSources())
	require.Equal(t, []string{"a", "b", "c"}, q.TrustedSources())
	q.TrustedSources()[0] = "z"
	require.Equal(t, []string{"a", "b", "c"}, q.TrustedSources())
	s := session(t, pegboard.SessionConfig{Permissions: q})
	fork := forked(t, s, pegboard.SessionConfig{Permissions: p})
	require.Equal(t, q.TrustedSources(), fork.Permissions().TrustedSources())
	require.NoError(t, s.SetPermissions(policy.Permissions{}))
	require.Empty(t, fork.Permissions().TrustedSources())
}

// TestFactRulesAreExplained with the others, and shown where decisions are.
func TestFactRulesAreExplained(t *testing.T) {
	t.Parallel()
	p := withFacts(t, rules(t, policy.ModeDontAsk, policy.RuleSet{Deny: []string{"Other"}, Allow: []string{"Edit(f)"}}),
		policy.FactRule{Behavior: policy.Deny, Destructive: yes}, policy.FactRule{Behavior: policy.Ask, OpenWorld: yes, Source: policy.SourceManaged},
		policy.FactRule{Behavior: policy.Allow, ReadOnly: yes, OpenWorld: no}, policy.FactRule{Behavior: policy.Allow, ReadOnly: yes, ToolSource: "srv"})
	explain := func(a actor) (policy.Explanation, *pegboard.Pool) {
		a.name = "T"
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: p}))
		return pool.ExplainDecision(t.Context(), call("1", names(pool)[0], ``)), pool
	}
	thing := policy.Target{Kind: policy.Resource, Value: "x", Access: policy.Read}
	x, _ := explain(actor{traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{thing}}})
	require.Equal(t, `it would read x
- deny rule "Other" is about something else
- deny rule on calls that are "destructive" is about other calls
- ask rule on calls that are "open-world" from policySettings is about other calls
- allow rule "Edit(f)" does not cover it (read x)
allow: allow rule on calls that are "read-only, not open-world" covers it (read x)
= allow: allow rule on calls that are "read-only, not open-world" covers it
`, x.String())
	seen := 0
	for _, step := range x.Steps {
		if step.FactRule != nil {
			seen++
			step.FactRule.Behavior = policy.Deny // a copy
		}
	}
	require.Equal(t, 3, seen)
	x.Decision.FactRule.Behavior = policy.Deny

	x, pool := explain(actor{traits: pegboard.Traits{ReadOnly: true, OpenWorld: true, Targets: []policy.Target{thing}}})
	require.Contains(t, x.String(), `ask: ask rule on calls that are "open-world" from policySettings is about it`)
	require.Contains(t, x.String(), "deny: mode dontAsk refuses what would be asked about")
	require.Equal(t, policy.Ask, x.Decision.FactRule.Behavior)

	var log bytes.Buffer
	ex := executor(pegboard.Executor{OnEvent: pegboard.LogEvents(slog.New(slog.NewTextHandler(&log, nil)))})
	o := ex.Run(t.Context(), pool, call("1", "T", ``))[0]
	require.Equal(t, policy.SourceManaged, o.Decision.FactRule.Source)
	require.Contains(t, log.String(), "open-world")
}

// TestFactRuleThatAsksNobody: the rule is in the decision although nobody answered.
func TestFactRuleThatAsksNobody(t *testing.T) {
	t.Parallel()
	rule := policy.FactRule{Behavior: policy.Ask, ReadOnly: no}
	s := session(t, pegboard.SessionConfig{Permissions: withFacts(t, rules(t, policy.ModeBypass, policy.RuleSet{}), rule)})
	o := run(t, registryOf(t, inert("T")), s, call("1", "T", ``))
	require.ErrorIs(t, o.Err, pegboard.ErrNoApprover)
	require.Equal(t, &rule, o.Decision.FactRule)
}

// TestFactRulesWhileACallRuns decide what it checks: anew, but not what lies below a tree
// for which the user has answered.
func TestFactRulesWhileACallRuns(t *testing.T) {
	t.Parallel()
	denyFar := policy.FactRule{Behavior: policy.Deny, OpenWorld: yes}
	askWrites := policy.FactRule{Behavior: policy.Ask, ReadOnly: no}
	dir := t.TempDir()
	tree := policy.Target{Kind: policy.Path, Access: policy.Write, Value: "sub", Tree: true}
	asked, later := 0, false
	var s *pegboard.Session
	a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{tree}}, call: func(ctx ctx, c *pegboard.Call) error {
		require.NoError(t, c.Check(ctx, pathTo(policy.Write, "sub/a")))
		require.Equal(t, 1, asked, "the user has answered for the tree")
		err := c.Check(ctx, policy.Target{Kind: policy.Host, Access: policy.Read, Value: "h.test"})
		require.ErrorIs(t, err, pegboard.ErrDenied)
		require.ErrorContains(t, err, "open-world")
		require.NoError(t, c.Check(ctx, pathTo(policy.Write, "f")))
		require.Equal(t, 2, asked, "this is another file")
		if later {
			require.NoError(t, s.SetPermissions(withFacts(t, s.Permissions(), policy.FactRule{Behavior: policy.Ask, Destructive: no})))
			require.NoError(t, c.Check(ctx, pathTo(policy.Write, "sub/b")))
			require.Equal(t, 3, asked, "nobody has asked for this rule")
		}
		return nil
	}}
	for _, later = range []bool{false, true} {
		asked = 0
		s = session(t, pegboard.SessionConfig{Dir: dir, Permissions: withFacts(t, rules(t, policy.ModeAcceptEdits, policy.RuleSet{}), denyFar, askWrites),
			Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
				asked++
				return policy.Decision{Behavior: policy.Allow}, nil
			}})
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Err)
	}
}

// TestFactRulesForSourcesThatAreNotThere are listed, with near names.
func TestFactRulesForSourcesThatAreNotThere(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	for _, source := range []string{"github", "left"} {
		_, err := reg.Attach(source, inert("T"))
		require.NoError(t, err)
	}
	reg.Detach("left")
	facts := func(source string) policy.FactRule {
		return policy.FactRule{Behavior: policy.Deny, ReadOnly: no, ToolSource: source, Source: policy.SourceUser}
	}
	s := session(t, pegboard.SessionConfig{Permissions: withFacts(t, policy.Permissions{}, facts("github"), facts("left"), facts("githob"), facts(""))})
	problems := reg.AssemblePool(s, pegboard.PoolConfig{}).RuleProblems()
	require.Len(t, problems, 1)
	require.Equal(t, "githob", problems[0].FactRule.ToolSource)
	require.Equal(t, []string{"github"}, problems[0].Near)
	require.Equal(t, `deny rule on calls that are "not read-only, of githob" from userSettings: there is no source githob; near names: github`, problems[0].String())
}

// factRule returns a random rule on facts.
func (d dice) factRule(b policy.Behavior) policy.FactRule {
	for {
		fact := func() policy.Fact { return one(d, policy.Any, policy.Any, yes, no) }
		r := policy.FactRule{Behavior: b, ReadOnly: fact(), Destructive: fact(), OpenWorld: fact(), ToolSource: one(d, "", "", "srv", "other")}
		if _, err := (policy.Permissions{}).WithFactRules(r); err == nil {
			return r
		}
	}
}

// TestFactRulesNeverLoosen: on top of random permissions a deny or ask rule on facts never
// makes a decision laxer, and an allow rule overrides neither a denial nor a rule that asks,
// nor the need for a person.
func TestFactRulesNeverLoosen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stricter, laxer, stood := 0, 0, 0
	for seed := range effort.Of(t, uint64(3000)) {
		d := dice{rand.New(rand.NewPCG(seed, 41)), []string{dir, dir, filepath.Dir(dir)}}
		a := d.actor()
		a.traits.Destructive = d.IntN(3) == 0
		p := d.policy(t)
		if d.IntN(2) == 0 {
			p = p.WithTrustedSources("srv")
		}
		if d.IntN(2) == 0 {
			p = withFacts(t, p, d.factRule(one(d, policy.Allow, policy.Ask, policy.Deny)))
		}
		s := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})
		pool := a.pool(t, s)
		under := func(p policy.Permissions) (verdict, *policy.FactRule) {
			require.NoError(t, s.SetPermissions(p))
			x := pool.ExplainDecision(t.Context(), call("1", names(pool)[0], ``))
			v := judge(t, pool)
			require.Equal(t, v.behavior == policy.Allow, x.Decision.Behavior == policy.Allow, "%s", x)
			return v, x.Decision.FactRule
		}
		base, byFact := under(p)
		for _, b := range []policy.Behavior{policy.Deny, policy.Ask} {
			r := d.factRule(b)
			got, _ := under(withFacts(t, p, r))
			require.GreaterOrEqual(t, got.behavior, base.behavior, "seed %d: %+v\nunder %v and %s %s\n%s\n%s", seed, a.traits, p, b, r, base.reason, got.reason)
			if got.behavior > base.behavior {
				stricter++
			}
		}
		r := d.factRule(policy.Allow)
		got, _ := under(withFacts(t, p, r))
		at := []any{"seed %d: %+v\nunder %v and allow %s\n%s\n%s", seed, a.traits, p, r, base.reason, got.reason}
		require.LessOrEqual(t, got.behavior, base.behavior, at...)
		if base.behavior > policy.Allow && (base.behavior == policy.Deny && p.Mode() != policy.ModeDontAsk && p.Mode() != policy.ModeDeny ||
			base.rule != "" || byFact != nil || a.user || cautious(&a) || a.own.Behavior >= policy.Ask) {
			require.Equal(t, base.behavior, got.behavior, at...)
			stood++
		} else if got.behavior < base.behavior {
			laxer++
		}
	}
	if effort.Full(t) {
		require.Greater(t, min(stricter, laxer, stood), 20)
	}
}

// TestFactRulesOfForksNeverLoosen: a fork with rules on facts of its own is decided at least
// as strictly as its parent.
func TestFactRulesOfForksNeverLoosen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for seed := range effort.Of(t, uint64(1500)) {
		d := dice{rand.New(rand.NewPCG(seed, 42)), []string{dir, dir, filepath.Dir(dir)}}
		a := d.actor()
		a.traits.Destructive = d.IntN(3) == 0
		parent := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})
		above := a.pool(t, parent)
		allowed := d.factRule(policy.Allow)
		require.NoError(t, parent.SetPermissions(withFacts(t, d.policy(t), allowed, d.factRule(policy.Ask)).WithTrustedSources(one(d, "srv", "other"))))
		child := forked(t, parent, pegboard.SessionConfig{Permissions: withFacts(t, policy.Permissions{}, allowed, d.factRule(one(d, policy.Ask, policy.Deny)))})
		under := a.pool(t, child)
		require.GreaterOrEqual(t, settledBehavior(t, under), settledBehavior(t, above), "seed %d", seed)
		require.NoError(t, parent.SetPermissions(withFacts(t, d.policy(t), d.factRule(policy.Deny))))
		require.GreaterOrEqual(t, settledBehavior(t, under), settledBehavior(t, above), "seed %d, later", seed)
	}
}
