package pegboard_test

import (
	"cmp"
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
		{name: "the newer server of two, by its shorter name", has: []tool{{"git__hub", "wipe"}, {"git", "hub"}}, rule: "mcp__git", all: []string{"mcp__git__hub"}},
		{name: "a pattern for the newer server", has: []tool{{"git__hub", "wipe"}, {"git", "hub"}}, rule: "mcp__git__*", all: []string{"mcp__git__hub"}},
		{name: "a pattern for tools of the older server", has: []tool{{"git__hub", "wipe"}, {"git", "hub__x"}}, rule: "mcp__git__hub__*", want: []string{"mcp__git__hub__wipe"}, all: []string{"mcp__git__hub__wipe", "mcp__git__hub__x"}},
		{name: "the very name at its source", has: []tool{{"my.server", "wi.pe"}}, rule: "mcp__my.server__wi.pe", want: []string{"mcp__my_server__wi_pe"}, all: []string{"mcp__my_server__wi_pe"}},
		{name: "the very name at its source beside one that folds alike", has: []tool{{"my.server", "wipe"}, {"my_server", "read"}}, rule: "mcp__my.server__wipe", all: []string{"mcp__my_server__wipe"}},
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
