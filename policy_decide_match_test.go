package pegboard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestTreeIsSearchedOnceForAllRules: a tree may be large, and the rules many.
func TestTreeIsSearchedOnceForAllRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var rule []string
	for i := range 100 {
		rule = append(rule, fmt.Sprintf("Read(secret%d)", i))
	}
	for _, tc := range []struct {
		name  string
		files []string
		more  bool // there may be more files
		want  string
		rule  string
	}{
		{name: "nothing denied", files: []string{"a", "b"}, want: "allow"},
		{name: "one of them", files: []string{"a", "secret70", "b"}, want: "deny", rule: "Read(secret70)"},
		{name: "the first rule that is about a file", files: []string{"secret70", "secret7", "b"}, want: "deny", rule: "Read(secret7)"},
		{name: "perhaps more", files: []string{"a"}, more: true, want: "deny", rule: "Read(secret0)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			searches := 0
			tree := pathTo(policy.Read, ".")
			tree.Tree = true
			tree.Shell = policy.ShellFacts{FromCommand: "look", Holds: func(visit func(string) bool) bool {
				searches++
				for _, name := range tc.files {
					if !visit(dir + "/" + name) {
						return false
					}
				}
				return !tc.more
			}}
			command := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "look", Shell: policy.ShellFacts{Simple: true, ReadOnly: true}}
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{command, tree}}}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", policy.RuleSet{Deny: rule})}))
			got := judge(t, pool)
			require.Equal(t, tc.want, got.behavior.String(), got.reason)
			require.Equal(t, tc.rule, got.rule)
			require.Equal(t, 1, searches)
		})
	}
}

// TestFoundFileIsNamedWithAdvice: who is refused a tree learns which file in it a rule is about,
// and how to leave it out. A name that a shell or a pattern reads otherwise is not put into the
// advice.
func TestFoundFileIsNamedWithAdvice(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, rule, file string
		leaveOut         string
		want             string
	}{
		{name: "advice", rule: "Read(.env)", file: ".env", leaveOut: "--exclude=NAME", want: "/.env is there; to leave it out, add --exclude=.env to the command"},
		{name: "letters and digits", rule: "Read(*_Z-9z)", file: "aA0_Z-9z", leaveOut: "-NAME -not NAME", want: "/aA0_Z-9z is there; to leave it out, add -aA0_Z-9z -not aA0_Z-9z to the command"},
		{name: "no way to leave it out", rule: "Read(.env)", file: ".env", want: "/.env is there"},
		{name: "a blank", rule: "Read(*.env)", file: "a b.env", leaveOut: "--exclude=NAME", want: "/a b.env is there"},
		{name: "a wildcard", rule: "Read(*.env)", file: "a*.env", leaveOut: "--exclude=NAME", want: "/a*.env is there"},
		{name: "beside a letter", rule: "Read(*.env)", file: "[.env", leaveOut: "--exclude=NAME", want: "/[.env is there"},
		{name: "behind the letters", rule: "Read(*.env)", file: "{.env", leaveOut: "--exclude=NAME", want: "/{.env is there"},
		{name: "behind the digits", rule: "Read(*.env)", file: ":.env", leaveOut: "--exclude=NAME", want: "/:.env is there"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tree := pathTo(policy.Read, ".")
			tree.Tree = true
			tree.Shell = policy.ShellFacts{FromCommand: "look", LeaveOut: tc.leaveOut, Holds: func(visit func(string) bool) bool { return visit(dir + "/" + tc.file) }}
			command := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "look", Shell: policy.ShellFacts{Simple: true, ReadOnly: true}}
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{command, tree}}}
			for _, set := range []policy.RuleSet{{Deny: []string{tc.rule}}, {Ask: []string{tc.rule}}} {
				got := judge(t, a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", set)})))
				require.Equal(t, len(set.Deny) > 0, got.behavior == policy.Deny, got.reason)
				require.True(t, strings.HasSuffix(got.reason, "covers read "+dir+" and below: "+dir+tc.want), got.reason)
			}
		})
	}
}

// TestTreeThatIsReadAfterAnotherCommand: a file that a rule is about and that is not there could
// be made by another command of the line first.
func TestTreeThatIsReadAfterAnotherCommand(t *testing.T) {
	t.Parallel()
	command := func(value string, facts policy.ShellFacts) policy.Target {
		facts.Simple = true
		return policy.Target{Kind: policy.Command, Access: policy.Run, Value: value, Shell: facts}
	}
	written := func(value string) policy.Target {
		target := pathTo(policy.Write, value)
		target.Shell.FromCommand = "put"
		return target
	}
	put := command("put", policy.ShellFacts{EditsOnly: true})
	for _, tc := range []struct {
		name   string
		reads  func(string) bool
		file   string // that is there
		before []policy.Target
		want   policy.Behavior
	}{
		{name: "nothing before", want: policy.Allow},
		{name: "one that only reads", before: []policy.Target{command("ls", policy.ShellFacts{ReadOnly: true})}, want: policy.Allow},
		{name: "one that may do anything", before: []policy.Target{command("make", policy.ShellFacts{})}, want: policy.Ask},
		{name: "one that edits another file", before: []policy.Target{put, written("other")}, want: policy.Allow},
		{name: "one that makes the file", before: []policy.Target{put, written("a/secret")}, want: policy.Deny},
		{name: "something unseen", before: []policy.Target{{Value: "a computed name"}}, want: policy.Ask},
		{name: "the file is there", file: "a/secret", want: policy.Deny},
		{name: "the file is left out", file: "a/secret", reads: func(name string) bool { return name != "secret" }, want: policy.Allow},
		{name: "the file is not left out", file: "a/secret", reads: func(name string) bool { return name == "secret" }, want: policy.Deny},
		{name: "another file", file: "a/other", want: policy.Allow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tc.file != "" {
				name := filepath.Join(dir, tc.file)
				require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
				require.NoError(t, os.WriteFile(name, nil, 0o600))
			}
			tree := pathTo(policy.Read, ".")
			tree.Tree, tree.Shell = true, policy.ShellFacts{FromCommand: "look", Reads: tc.reads}
			look := command("look", policy.ShellFacts{ReadOnly: true})
			a := actor{name: "Bash", traits: pegboard.Traits{Targets: append(tc.before, look, tree)}}
			set := policy.RuleSet{Deny: []string{"Read(secret)"}, Allow: []string{"Bash(look)", "Bash(make)", "Bash(put)", "Bash(ls)", "Edit(./**)"}}
			got := judge(t, a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", set)})))
			require.Equal(t, tc.want.String(), got.behavior.String(), got.reason)
		})
	}
}
