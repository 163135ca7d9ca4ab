package pattern_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

func TestTrusted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path, want string // want is empty: free
		platform   pattern.Platform
	}{
		{path: "/a/.cursor/mcp.json", want: ".cursor"},
		{path: "/a/.CURSOR/rules/x", want: ".cursor"},
		{path: "/a/b/opencode.json", want: "opencode.json"}, {path: "/a/.agents/skills/x/SKILL.md", want: ".agents"},
		{path: "/a/CLAUDE.md", want: "CLAUDE.md"},
		{path: "/a/docs/claude.md"},
		{path: "/a/docs/agents.md"},
		{path: "/a/docs/agents.md", platform: pattern.Darwin, want: "agents.md"},
		{path: "/a/.github/workflows/ci.yml", want: ".github/workflows"},
		{path: "/a/.github/README.md"},
		{path: "/a/workflows/ci.yml"},
		{path: "/a/x.code-workspace", want: "x.code-workspace"},
		{path: "/a/.venv/bin/activate", want: ".venv"},
		{path: "/a/venv/bin/activate", want: "venv/bin"},
		{path: "/a/venv/README.md"},
		{path: "/a/lib/python3.11/site-packages/x.pth", want: "x.pth"},
		{path: "/a/models/best.pth"},
		{path: "/a/node_modules/.bin/x", want: "node_modules/.bin"},
		{path: "/a/lint-staged.config.js", want: "lint-staged.config.js"},
		{path: "/a/.nvmrc", want: ".nvmrc"}, {path: "/a/.python-version", want: ".python-version"}, {path: "/a/.openhands/setup.sh", want: ".openhands"}, {path: "/a/.theia/tasks.json", want: ".theia"},
		{path: "/a/gradlew", want: "gradlew"}, {path: "/a/b/mvnw", want: "mvnw"}, {path: "/a/.docker/config.json", want: ".docker/config.json"}, {path: "/a/.docker/Dockerfile"},
		{path: "/a/.gitignore"}, {path: "/a/.editorconfig"}, {path: "/a/.env"}, {path: "/a/package.json"}, {path: "/a/Makefile"}, {path: "/a/.eslintrc.json"}, {path: "/a/Dockerfile"},
		{path: "/"},
	}
	for _, tc := range tests {
		what, ok := pattern.Trusted(tc.platform, tc.path)
		require.Equal(t, tc.want, what, tc.path)
		require.Equal(t, tc.want != "", ok, tc.path)
	}
}

func TestTrustedInHome(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/home/a/.vimrc": true, "/home/a/.config/x/y": true, "/home/a/bin/x": true, "/home/a/Library/LaunchAgents/x": true,
		"/home/a/src/.hidden": false, "/home/a": false, "/home/ab/.vimrc": false, "/home/a/notes.txt": false, "/.vimrc": false, "/home/.x": false,
	} {
		_, ok := pattern.TrustedInHome(pattern.Linux, "/home/a", path)
		require.Equal(t, want, ok, path)
	}
	_, ok := pattern.TrustedInHome(pattern.Linux, "/", "/.vimrc")
	require.True(t, ok)
	_, ok = pattern.TrustedInHome(pattern.Linux, "", "/src/x")
	require.False(t, ok)
}
