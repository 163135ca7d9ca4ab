package code_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/code"
)

// denied is a module with a file that its session may not read.
func denied() map[string]string {
	return map[string]string{
		"go.mod":    goMod,
		"secret.go": "// Package a keeps the token tomato.\npackage a\n\nfunc Secret() int { return open() }\n",
		"open.go":   "package a\n\nfunc open() int { return 1 }\n\nfunc other() int { return open() }\n",
		"use.go":    "package a\n\nfunc Use() int { return Secret() + other() }\n",
		"b/b.go":    "package b\n\nimport \"example.org/a\"\n\nvar B = a.Use()\n",
	}
}

// TestLSPShowsNothingOfADeniedFunction asks in a file that may be read about a function in one
// that may not.
func TestLSPShowsNothingOfADeniedFunction(t *testing.T) {
	t.Parallel()
	permissions, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Deny: []string{"Read(secret.go)"}})
	require.NoError(t, err)
	g := newGround(t, code.Options{Servers: []code.Server{gopls(t)}}, pegboard.SessionConfig{Permissions: permissions}, denied())

	text := g.ask(t, "outgoingCalls", "use.go", 3, 25).Result.Text()
	require.Contains(t, text, "1 location left out")
	require.NotContains(t, text, "open")
	require.Equal(t, "open.go\n  3:6: function open | func open() int { return 1 } (called in open.go at 5:27)",
		g.ask(t, "outgoingCalls", "use.go", 3, 36).Result.Text())

	for _, at := range []struct {
		file            string
		line, character int
	}{
		{"use.go", 1, 9}, // the package clause
		{"b/b.go", 3, 10},
		{"b/b.go", 5, 9},
	} {
		require.NotContains(t, g.ask(t, "hover", at.file, at.line, at.character).Result.Text(), "tomato", at)
	}
}
