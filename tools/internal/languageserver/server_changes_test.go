package languageserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// TestServerIsToldOfChanges changes files that are not open in every way, and asks: the server
// must be told before it answers, with notices of the kernel and without.
func TestServerIsToldOfChanges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(dir, outside string) error
		want   string // in the notification
	}{
		{name: "written in place", want: `"file://DIR/b/b.x","type":2`, change: func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, "b/b.x"), []byte("other"), 0o600)
		}},
		{name: "replaced", want: `"file://DIR/b/b.x","type":2`, change: func(dir, outside string) error {
			return os.Rename(filepath.Join(outside, "target.x"), filepath.Join(dir, "b/b.x"))
		}},
		{name: "created", want: `"file://DIR/b/new.x","type":1`, change: func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, "b/new.x"), nil, 0o600)
		}},
		{name: "created in a new folder", want: `"file://DIR/n/m/new.x","type":1`, change: func(dir, _ string) error {
			if err := os.MkdirAll(filepath.Join(dir, "n/m"), 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "n/m/new.x"), nil, 0o600)
		}},
		{name: "removed", want: `"file://DIR/b/b.x","type":3`, change: func(dir, _ string) error {
			return os.Remove(filepath.Join(dir, "b/b.x"))
		}},
		{name: "folder removed", want: `"file://DIR/b/b.x","type":3`, change: func(dir, _ string) error {
			return os.RemoveAll(filepath.Join(dir, "b"))
		}},
		{name: "folder renamed", want: `"file://DIR/c/b.x","type":1`, change: func(dir, _ string) error {
			return os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "c"))
		}},
		{name: "folder moved in", want: `"file://DIR/c/in.x","type":1`, change: func(dir, outside string) error {
			return os.Rename(filepath.Join(outside, "c"), filepath.Join(dir, "c"))
		}},
		{name: "target of a link", want: `"file://DIR/link.x","type":2`, change: func(_, outside string) error {
			return os.WriteFile(filepath.Join(outside, "target.x"), []byte("other"), 0o600)
		}},
		{name: "second name", want: `"file://DIR/second.x","type":2`, change: func(_, outside string) error {
			return os.WriteFile(filepath.Join(outside, "first.x"), []byte("other"), 0o600)
		}},
	} {
		for _, notices := range []bool{true, false} {
			name := tt.name
			if !notices {
				name += ", without notices"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := &fake{on: onDefinition(func(r *fakeRun, m message) { r.answer(m, `null`) })}
				outside := t.TempDir()
				old := func(path, text string) {
					require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
					require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
					hour := time.Now().Add(-time.Hour)
					require.NoError(t, os.Chtimes(path, hour, hour))
				}
				old(filepath.Join(outside, "target.x"), "target")
				old(filepath.Join(outside, "first.x"), "first")
				old(filepath.Join(outside, "c/in.x"), "in")
				with(t, f, nil, func(b bubble) {
					t, s, file := b.t, b.server, b.file
					dir := filepath.Dir(file)
					old(filepath.Join(dir, "b/b.x"), "b")
					require.NoError(t, os.Symlink(filepath.Join(outside, "target.x"), filepath.Join(dir, "link.x")))
					require.NoError(t, os.Link(filepath.Join(outside, "first.x"), filepath.Join(dir, "second.x")))
					ask := func() {
						_, err := s.Definition(t.Context(), file, first)
						require.NoError(t, err)
					}
					ask()
					if !notices {
						languageserver.WithoutNotices(s)
					}
					for range 3 {
						ask()
					}
					require.Empty(t, f.params(t, "workspace/didChangeWatchedFiles"))
					require.NoError(t, tt.change(dir, outside))
					asked := f.count("textDocument/definition")
					ask()
					told := f.params(t, "workspace/didChangeWatchedFiles")
					require.Len(t, told, 1)
					require.Contains(t, strings.ReplaceAll(told[0], dir, "DIR"), tt.want)
					require.Greater(t, f.count("textDocument/definition"), asked+1, "it is asked again")
					synctest.Wait()
				})
			})
		}
	}
}

// TestServerWithNotices asks often without a change: no file is compared.
func TestServerWithNotices(t *testing.T) {
	t.Parallel()
	f := &fake{on: onDefinition(func(r *fakeRun, m message) { r.answer(m, `null`) })}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		ask := func() {
			_, err := s.Definition(t.Context(), file, first)
			require.NoError(t, err)
		}
		ask()
		before := languageserver.Compared(s)
		time.Sleep(time.Second)
		for range 10 {
			ask()
		}
		if !languageserver.HasNotices(s) {
			require.Greater(t, languageserver.Compared(s), before)
			return
		}
		require.Equal(t, before, languageserver.Compared(s))
		time.Sleep(time.Minute)
		ask()
		require.Greater(t, languageserver.Compared(s), before, "not every change is noticed")
	})
}
