package pattern_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// TestProtectedNames compares the list with that in Claude Code's documentation of
// permission modes.
func TestProtectedNames(t *testing.T) {
	t.Parallel()
	const directories = `.git .config/git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .claude`
	const files = `.gitconfig .gitmodules .bashrc .bash_profile .bash_login .bash_aliases .bash_logout .zshrc .zprofile .zshenv .zlogin .zlogout
		.profile .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs bunfig.toml .bunfig.toml .bazelrc .bazelversion
		.bazeliskrc .pre-commit-config.yaml lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml gradle-wrapper.properties
		maven-wrapper.properties .devcontainer.json .ripgreprc pyrightconfig.json .mcp.json .claude.json`
	for _, name := range strings.Fields(directories + " " + files) {
		for _, path := range []string{"/a/" + name, "/" + name, "/a/b/" + strings.ToUpper(name), "/a/" + name + "/x"} {
			what, ok := pattern.Protected(pattern.Linux, path)
			require.True(t, ok, path)
			require.Equal(t, name, what, path)
		}
		_, ok := pattern.Protected(pattern.Linux, "/a/x"+name)
		require.False(t, ok, name)
		_, ok = pattern.Protected(pattern.Linux, "/a/"+name+"x")
		require.False(t, ok, name)
	}
}

func TestProtected(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path string
		platform   pattern.Platform
		want       string // empty: free
	}{
		{name: "free", path: "/a/src/main.go"},
		{name: "the root", path: "/"},
		{name: "a work tree", path: "/a/.claude/worktrees/b/x"},
		{name: "all work trees", path: "/a/.claude/worktrees"},
		{name: "beside the work trees", path: "/a/.claude/settings.json", want: ".claude"},
		{name: "in a work tree", path: "/a/.claude/worktrees/b/.git/config", want: ".git"},
		{name: "work trees in another spelling", path: "/a/.CLAUDE/worktrees/b", want: ".claude"},
		{name: "git in .config", path: "/home/a/.config/git/config", want: ".config/git"},
		{name: "git alone", path: "/a/git/config"},
		{name: ".config alone", path: "/a/.config/x/git"},
		{name: "begins alike", path: "/a/.github/x.md"},
		{name: "ends alike", path: "/a/x.git/config"},
		{name: "an invisible character", path: "/a/.g\u200cit/config", want: ".git"},
		{name: "an invisible mark of order", path: "/a/.gi\ufefft/config", want: ".git"},
		{name: "long s", path: "/a/.huſky/x", want: ".husky"},
		{name: "dotless i", path: "/a/.ıdea/x"},
		{name: "Windows", platform: pattern.Windows, path: `C:\a\.git\hooks`, want: ".git"},
		{name: "Windows, a dot at the end", platform: pattern.Windows, path: `C:\a\.git.\hooks`, want: ".git"},
		{name: "Windows, a stream", platform: pattern.Windows, path: `C:\a\.git::$INDEX_ALLOCATION\x`, want: ".git"},
		{name: "a backslash elsewhere", path: `/a/.git\hooks`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			what, ok := pattern.Protected(tc.platform, tc.path)
			require.Equal(t, tc.want, what)
			require.Equal(t, tc.want != "", ok)
		})
	}
}
