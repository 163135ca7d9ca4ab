package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/settings"
)

// BenchmarkSettings loads 200 settings files, each with rules, hooks, variables and keys of a
// host, and looks whether one has changed. No peer has a case. There is a heap, as in
// BenchmarkDecide.
func BenchmarkSettings(b *testing.B) {
	heap := make([]byte, 256<<20)
	defer runtime.KeepAlive(heap)
	files := settingsFiles(b)
	b.Run("Settings200/pegboard-load", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			loaded, err := files.Load(b.Context())
			if err != nil || len(loaded.Rules) != 200 {
				b.Fatal(len(loaded.Rules), err)
			}
		}
	})
	b.Run("Settings200/pegboard-reload", func(b *testing.B) {
		loaded, err := files.Load(b.Context())
		require.NoError(b, err)
		b.ReportAllocs()
		for b.Loop() {
			if files.Changed(loaded) {
				b.Fatal("nothing has changed")
			}
		}
	})
}

// settingsFiles makes 197 managed files, and one each for the user, the project and the local
// settings, of about 2 KiB.
func settingsFiles(b *testing.B) settings.Files {
	b.Helper()
	home, dir := b.TempDir(), b.TempDir()
	f := settings.Locate(dir, home)
	f.Trusted = true
	f.Managed = []string{filepath.Join(home, "managed-settings.d")}
	paths := []string{f.User, f.Project, f.Local}
	for i := range 200 - len(paths) {
		paths = append(paths, filepath.Join(f.Managed[0], fmt.Sprintf("%03d.json", i)))
	}
	for i, path := range paths {
		text := "{\n  \"permissions\": {\n    \"allow\": ["
		for n := range 20 {
			text += fmt.Sprintf("\n      \"Bash(program%d run%d *)\",", i, n)
		}
		text += fmt.Sprintf(`
      "Edit(src%d/**)"],
    "deny": ["Read(secret%d/**)", "Bash(tool%d delete:*)"]
  },
  "env": {"SHARED": "%d", "OWN_%d": "value"},
  "model": "model-%d",
  "statusLine": {"type": "command", "command": "status %d"},
  "hooks": {
    "PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "check %d"}]}],
    "PostToolUse": [{"matcher": "^mcp__server%d__.*", "hooks": [{"type": "command", "command": "log %d", "timeout": 5}]}]
  }
}
`, i, i, i, i, i, i, i, i, i, i)
		require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
	}
	old := time.Now().Add(-time.Hour) // as most files are
	for _, path := range append(paths, f.Managed...) {
		require.NoError(b, os.Chtimes(path, old, old))
	}
	return f
}
