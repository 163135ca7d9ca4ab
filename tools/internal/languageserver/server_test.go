package languageserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/reference"
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

// TestServerSeesTheDisk changes files between two requests of gopls that it has not open.
func TestServerSeesTheDisk(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{
		"a.go":     "package a\n\nimport \"example.org/a/b\"\n\nfunc F() int { return b.G() }\n",
		"b/b.go":   "package b\n\nfunc G() int { return 1 }\n",
		"c/c.go":   "package c\n\nimport \"example.org/a/b\"\n\nvar X = b.G()\n",
		"c/d/d.go": "package d\n",
	})
	s := serverFor(t, gopls(t), dir)
	file := filepath.Join(dir, "a.go")
	definition := func(line, column int) string {
		t.Helper()
		found, err := s.Definition(t.Context(), file, languageserver.Position{Line: line, Column: column})
		require.NoError(t, err)
		require.Len(t, found, 1)
		return show(dir, found[0])
	}
	references := func() (all []string) {
		t.Helper()
		found, err := s.References(t.Context(), file, languageserver.Position{Line: 5, Column: 25})
		require.NoError(t, err)
		for _, l := range found {
			all = append(all, show(dir, l))
		}
		return all
	}
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}

	require.Equal(t, "b/b.go:3:6", definition(5, 25))
	require.ElementsMatch(t, []string{"b/b.go:3:6", "a.go:5:25", "c/c.go:5:11"}, references())
	write("b/b.go", "package b\n\n// G is one.\n\n\nfunc G() int { return 1 }\n")
	require.Equal(t, "b/b.go:6:6", definition(5, 25))
	write("c/c.go", "package c\n\nimport \"example.org/a/b\"\n\nvar Y, X = b.G(), b.G()\n")
	require.ElementsMatch(t, []string{"b/b.go:6:6", "a.go:5:25", "c/c.go:5:14", "c/c.go:5:21"}, references())
	require.NoError(t, os.Rename(filepath.Join(dir, "b/b.go"), filepath.Join(dir, "b/moved.go")))
	require.Equal(t, "b/moved.go:6:6", definition(5, 25))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "c")))
	require.ElementsMatch(t, []string{"b/moved.go:6:6", "a.go:5:25"}, references())
	write("e/f/f.go", "package f\n\nimport \"example.org/a/b\"\n\nvar Z = b.G()\n")
	require.ElementsMatch(t, []string{"b/moved.go:6:6", "a.go:5:25", "e/f/f.go:5:11"}, references())
	write("a.go", "package a\n\n\nimport \"example.org/a/b\"\n\nfunc F() int { return b.G() }\n")
	require.Equal(t, "b/moved.go:6:6", definition(6, 25))
	require.NoError(t, os.Remove(file))
	_, err := s.Definition(t.Context(), file, languageserver.Position{Line: 6, Column: 25})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestServerTexts asks about files of all kinds.
func TestServerTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, data string
		file       string // empty means a.x
		at         languageserver.Position
		want       string // of the position that the server gets, or of the error
		is         error
	}{
		{name: "emoji", data: "a 😀 b\n", at: languageserver.Position{Line: 1, Column: 5}, want: `{"line":0,"character":5}`},
		{name: "windows line ends", data: "a\r\nb\r\n", at: languageserver.Position{Line: 2, Column: 2}, want: `{"line":1,"character":1}`},
		{name: "byte order mark", data: "\xef\xbb\xbfab", at: languageserver.Position{Line: 1, Column: 2}, want: `{"line":0,"character":1}`},
		{name: "UTF-16", data: "\xff\xfea\x00b\x00", at: languageserver.Position{Line: 1, Column: 3}, want: `{"line":0,"character":2}`},
		{name: "UTF-16 of the other order", data: "\xfe\xff\x00a\x00b", at: languageserver.Position{Line: 1, Column: 2}, want: `{"line":0,"character":1}`},
		{name: "empty", at: languageserver.Position{Line: 1, Column: 1}, want: `{"line":0,"character":0}`},
		{name: "line 0", data: "a\n", want: "lines and columns are counted from 1"},
		{name: "behind the last line", data: "a\n", at: languageserver.Position{Line: 3, Column: 1}, want: "there is no line 3: the file has 1 lines"},
		{name: "behind the line", data: "a\n", at: languageserver.Position{Line: 1, Column: 3}, want: "there is no column 3: line 1 has 1 characters"},
		{name: "Latin-1", data: "caf\xe9", at: first, is: languageserver.ErrNotText},
		{name: "binary", data: "a\x00b", at: first, is: languageserver.ErrNotText},
		{name: "50 MiB", data: strings.Repeat("x", 50<<20), at: first, is: languageserver.ErrTooLarge},
		{name: "directory", file: "d.x", at: first, is: languageserver.ErrNotFile},
		{name: "does not exist", file: "no.x", at: first, is: os.ErrNotExist},
		{name: "another language", file: "a.y", at: first, is: languageserver.ErrLanguage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{on: onDefinition(func(r *fakeRun, m message) { r.answer(m, `null`) })}
			with(t, f, nil, func(b bubble) {
				t, s, file := b.t, b.server, b.file
				require.NoError(t, os.WriteFile(file, []byte(tt.data), 0o600))
				require.NoError(t, os.Mkdir(filepath.Join(filepath.Dir(file), "d.x"), 0o700))
				if tt.file != "" {
					file = filepath.Join(filepath.Dir(file), tt.file)
				}
				_, err := s.Definition(t.Context(), file, tt.at)
				asked := f.params(t, "textDocument/definition")
				switch {
				case tt.is != nil:
					require.ErrorIs(t, err, tt.is)
					require.Empty(t, asked)
				case err != nil:
					require.ErrorContains(t, err, tt.want)
					require.Empty(t, asked)
				default:
					require.Contains(t, asked[0], `"position":`+tt.want)
				}
			})
		})
	}
}

// TestServerDocuments opens more files than stay open, and changes some.
func TestServerDocuments(t *testing.T) {
	t.Parallel()
	f := &fake{on: onDefinition(func(r *fakeRun, m message) { r.answer(m, `null`) })}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		name := func(i int) string { return filepath.Join(filepath.Dir(file), fmt.Sprintf("f%d.x", i)) }
		write := func(i int, text string) {
			require.NoError(t, os.WriteFile(name(i), []byte(text), 0o600))
			old := time.Now().Add(-time.Duration(i+len(text)) * time.Hour)
			require.NoError(t, os.Chtimes(name(i), old, old))
		}
		ask := func(i int) {
			_, err := s.Definition(t.Context(), name(i), first)
			require.NoError(t, err)
		}
		for i := range languageserver.MaxDocuments + 10 {
			write(i, "x")
		}
		for i := range languageserver.MaxDocuments + 10 {
			ask(i)
		}
		require.Equal(t, languageserver.MaxDocuments+10, f.count("textDocument/didOpen"))
		require.Equal(t, 10, f.count("textDocument/didClose"))
		require.Zero(t, f.count("textDocument/didChange"))
		ask(20)
		write(30, "changed")
		ask(20)
		require.Equal(t, 1, f.count("textDocument/didChange"), "of a file that was not asked about")
		require.Equal(t, 1, f.count("textDocument/didSave"))
		require.NoError(t, os.Remove(name(40)))
		ask(20)
		require.Equal(t, 11, f.count("textDocument/didClose"))
		var told struct{ Changes []struct{ Type int } }
		watched := f.params(t, "workspace/didChangeWatchedFiles")
		require.NoError(t, json.Unmarshal([]byte(watched[len(watched)-1]), &told))
		require.Equal(t, []struct{ Type int }{{Type: 3}}, told.Changes)
	})
}

// TestServerDiagnose waits for what a server publishes.
func TestServerDiagnose(t *testing.T) {
	t.Parallel()
	publish := func(version string) func(*fakeRun, message) {
		return func(r *fakeRun, m message) {
			var p struct {
				TextDocument struct {
					URI     string
					Version int
				}
			}
			_ = json.Unmarshal(m.Params, &p)
			switch {
			case m.Method == "textDocument/definition":
				r.answer(m, `null`)
			case m.Method == "textDocument/didChange" && version != "never":
				of := ""
				if version == "with" {
					of = fmt.Sprintf(`,"version":%d`, p.TextDocument.Version)
				}
				r.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":%q%s,"diagnostics":[{"range":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}},"severity":1,"code":7,"source":"x","message":"broken"}]}}`, p.TextDocument.URI, of))
			}
		}
	}
	for _, tt := range []struct {
		name  string
		fresh bool
	}{{name: "with", fresh: true}, {name: "without", fresh: true}, {name: "never"}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{on: publish(tt.name)}
			with(t, f, nil, func(b bubble) {
				t, s, file := b.t, b.server, b.file
				found, fresh, err := s.Diagnose(t.Context(), file)
				require.NoError(t, err)
				require.False(t, fresh, "no process is started")
				require.Empty(t, found)
				require.Zero(t, f.starts)
				_, err = s.Definition(t.Context(), file, first)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(file, []byte("a 😀 c\nmore\n"), 0o600))
				ctx, cancel := newTimeout(t, 2*time.Second)
				defer cancel()
				found, fresh, err = s.Diagnose(ctx, file)
				require.NoError(t, err)
				require.Equal(t, tt.fresh, fresh)
				if tt.fresh {
					require.Equal(t, []languageserver.Diagnostic{{
						Range:    languageserver.Range{Start: languageserver.Position{Line: 1, Column: 4}, End: languageserver.Position{Line: 1, Column: 5}},
						Severity: languageserver.Error, Code: "7", Source: "x", Message: "broken",
					}}, found)
					found, known := s.Published(file)
					require.True(t, known)
					require.Len(t, found, 1)
				}
				synctest.Wait()
			})
		})
	}
}

var first = languageserver.Position{Line: 1, Column: 1}

// bubble is what a test of a server needs in its bubble of time.
type bubble struct {
	t      *testing.T
	server *languageserver.Server
	file   string
}

// with runs body in a bubble with a server that f plays and a file of one line.
func with(t *testing.T, f *fake, change func(*languageserver.Config), body func(b bubble)) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.x")
	require.NoError(t, os.WriteFile(file, []byte("a 😀 b\n"), 0o600))
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(file, old, old))
	synctest.Test(t, func(t *testing.T) {
		c := languageserver.Config{Name: "fake", Command: []string{"fake"}, Languages: map[string]string{".x": "x"}}
		if change != nil {
			change(&c)
		}
		pool := languageserver.NewPoolWith(f.serve)
		s, err := pool.Server(c, dir)
		require.NoError(t, err)
		body(bubble{t: t, server: s, file: file})
		require.NoError(t, pool.Close(t.Context()))
		_, err = s.Definition(t.Context(), file, first)
		require.ErrorIs(t, err, languageserver.ErrClosed)
		_, err = pool.Server(c, dir)
		require.ErrorIs(t, err, languageserver.ErrClosed)
	})
}

// onDefinition answers definitions.
func onDefinition(f func(r *fakeRun, m message)) func(*fakeRun, message) {
	return func(r *fakeRun, m message) {
		if m.Method == "textDocument/definition" {
			f(r, m)
		}
	}
}

// TestServerFaults asks servers that break the protocol. Each fault is an error that names it,
// and costs no more than the second start.
func TestServerFaults(t *testing.T) {
	t.Parallel()
	write := func(text string) func(*fakeRun, message) {
		return onDefinition(func(r *fakeRun, _ message) { _, _ = r.output.Write([]byte(text)) })
	}
	for _, tt := range []struct {
		name string
		on   func(*fakeRun, message)
		want string
	}{
		{name: "no header", on: write("{\"jsonrpc\":\"2.0\"}\n\n"), want: "which is no header"},
		{name: "an endless header", on: write("Content-Length: 1\r\nX: " + strings.Repeat("x", 20_000)), want: "a header that begins with"},
		{name: "a length of 2 GiB", on: write("Content-Length: 2147483648\r\n\r\n"), want: "a message of 2147483648 bytes"},
		{name: "a negative length", on: write("Content-Length: -1\r\n\r\n"), want: "a message of -1 bytes"},
		{name: "no JSON", on: write("Content-Length: 3\r\n\r\n{{{"), want: "invalid"},
		{name: "dies in a request", on: onDefinition(func(r *fakeRun, _ message) {
			_, _ = r.errors.Write([]byte("panic: out of cheese\n"))
			r.ended = true
		}), want: "it ended; its last output: panic: out of cheese"},
		{name: "asks back without an end", on: func(r *fakeRun, m message) {
			switch {
			case m.Method == "textDocument/definition", m.Method == "" && r.stop.Err() == nil:
				r.write(`{"jsonrpc":"2.0","id":7,"method":"workspace/workspaceFolders"}`)
			}
		}, want: "it asks back without an end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{on: tt.on}
			with(t, f, nil, func(b bubble) {
				t, s, file := b.t, b.server, b.file
				_, err := s.Definition(t.Context(), file, first)
				var crash *languageserver.CrashError
				require.ErrorAs(t, err, &crash)
				require.False(t, crash.Gone)
				require.ErrorContains(t, err, tt.want)
				require.Equal(t, 2, f.starts)
			})
		})
	}
}

// TestServerStrayAnswers asks a server that answers twice and for nobody.
func TestServerStrayAnswers(t *testing.T) {
	t.Parallel()
	f := &fake{on: onDefinition(func(r *fakeRun, m message) {
		r.write(`{"jsonrpc":"2.0","id":4711,"result":null}`)
		r.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}`)
		for range 2 {
			r.answer(m, `[{"uri":"untitled:Untitled-1","range":{"start":{"line":3,"character":4},"end":{"line":3,"character":5}}}]`)
		}
	})}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		for range 3 {
			found, err := s.Definition(t.Context(), file, first)
			require.NoError(t, err)
			require.Equal(t, []languageserver.Location{{URI: "untitled:Untitled-1", Range: languageserver.Range{
				Start: languageserver.Position{Line: 4, Column: 5}, End: languageserver.Position{Line: 4, Column: 6},
			}}}, found)
		}
		require.Equal(t, 1, f.starts)
	})
}

// TestServerRestarts crashes a server at each request.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	f := &fake{on: onDefinition(func(r *fakeRun, m message) {
		if r.start == 6 {
			r.answer(m, `[]`)
			return
		}
		_, _ = fmt.Fprintln(r.errors, "crash", r.start)
		r.ended = true
	})}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		ask := func() error {
			_, err := s.Definition(t.Context(), file, first)
			return err
		}
		require.ErrorContains(t, ask(), "crash 2")
		require.ErrorContains(t, ask(), "crash 4")
		var crash *languageserver.CrashError
		require.ErrorAs(t, ask(), &crash)
		require.True(t, crash.Gone)
		require.ErrorContains(t, crash, "4 times in 5m0s")
		require.ErrorContains(t, crash, "its last output: crash 4")
		require.Equal(t, 4, f.starts)
		time.Sleep(5*time.Minute + time.Second)
		require.NoError(t, ask(), "the fifth process crashes, the sixth answers")
		require.Equal(t, 6, f.starts)
		require.Equal(t, 6, f.count("textDocument/didOpen"), "documents are opened again")
	})
}

// TestServerIsLate asks a server that never answers, and is busy.
func TestServerIsLate(t *testing.T) {
	t.Parallel()
	f := &fake{on: onDefinition(func(r *fakeRun, _ message) {
		r.write(`{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"kind":"begin","title":"Loading packages"}}}`)
	})}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		var titles []string
		defer s.Watch(func(title string) { titles = append(titles, title) })()
		begin := time.Now()
		_, err := s.Definition(t.Context(), file, first)
		var late *languageserver.TimeoutError
		require.ErrorAs(t, err, &late)
		require.Equal(t, 30*time.Second, time.Since(begin))
		require.Equal(t, []string{"Loading packages"}, late.Progress)
		synctest.Wait()
		require.Equal(t, []string{"Loading packages"}, titles)
		require.Equal(t, []string{`{"id":2}`}, f.params(t, "$/cancelRequest"))
		require.Equal(t, 1, f.starts)
	})
}

// TestServerOfACanceledCall cancels a request.
func TestServerOfACanceledCall(t *testing.T) {
	t.Parallel()
	f := &fake{}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		cause := errors.New("the user")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer time.AfterFunc(time.Second, func() { cancel(cause) }).Stop()
		_, err := s.Definition(ctx, file, first)
		require.ErrorIs(t, err, cause)
		synctest.Wait()
		require.Equal(t, 1, f.count("$/cancelRequest"))
	})
}

// TestServerDoesNotStart asks servers that do not complete the handshake.
func TestServerDoesNotStart(t *testing.T) {
	t.Parallel()
	f := &fake{on: func(r *fakeRun, m message) {
		if m.Method == "initialize" {
			_, _ = fmt.Fprintln(r.errors, "waiting for a licence")
			<-r.stop.Done()
		}
	}}
	with(t, f, func(c *languageserver.Config) { c.Begin = 10 * time.Second }, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		begin := time.Now()
		_, err := s.Definition(t.Context(), file, first)
		var failed *languageserver.StartError
		require.ErrorAs(t, err, &failed)
		require.ErrorContains(t, err, "it did not answer in time")
		require.ErrorContains(t, err, "waiting for a licence")
		require.Equal(t, 10*time.Second, time.Since(begin))
		require.False(t, s.Running())
	})
}

// TestServerIsIdle waits until a server is shut down, and asks it again.
func TestServerIsIdle(t *testing.T) {
	t.Parallel()
	f := &fake{on: onDefinition(func(r *fakeRun, m message) { r.answer(m, `null`) })}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		for starts := 1; starts <= 3; starts++ {
			_, err := s.Definition(t.Context(), file, first)
			require.NoError(t, err)
			time.Sleep(29 * time.Minute)
			require.True(t, s.Running())
			_, err = s.Definition(t.Context(), file, first)
			require.NoError(t, err)
			require.Equal(t, starts, f.starts)
			time.Sleep(30*time.Minute + time.Second)
			synctest.Wait()
			require.False(t, s.Running())
			require.Equal(t, starts, f.count("exit"))
		}
	})
}

// TestServerRequests lets a server ask for each thing.
func TestServerRequests(t *testing.T) {
	t.Parallel()
	answers := map[string]string{}
	ask := []struct{ method, params, want string }{
		{method: "workspace/configuration", params: `{"items":[{"section":"a.b"},{"section":"a"},{"section":"z"},{}]}`, want: `[1,{"b":1},null,{"a":{"b":1}}]`},
		{method: "client/registerCapability", params: `{"registrations":[{"id":"1","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"[{**"},{"globPattern":7}]}}]}`, want: `null`},
		{method: "window/workDoneProgress/create", params: `{"token":1}`, want: `null`},
		{method: "window/showMessageRequest", params: `{"type":1,"message":"x","actions":[{"title":"Delete all"}]}`, want: `null`},
		{method: "window/showDocument", params: `{"uri":"https://example.org"}`, want: `{"success":false}`},
		{method: "workspace/applyEdit", params: `{"edit":{}}`, want: `{"applied":false,"failureReason":"this client only reads"}`},
		{method: "custom/run", params: `{}`, want: `error`},
	}
	f := &fake{on: func(r *fakeRun, m message) {
		switch {
		case m.Method == "textDocument/definition":
			for i, a := range ask {
				r.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"ask %d","method":%q,"params":%s}`, i, a.method, a.params))
			}
		case m.Method == "" && len(m.Error) > 0:
			answers[string(m.ID)] = "error"
		case m.Method == "":
			answers[string(m.ID)] = string(m.Result)
		}
	}}
	settings := func(c *languageserver.Config) { c.Settings, c.Request = []byte(`{"a":{"b":1}}`), time.Second }
	with(t, f, settings, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		_, err := s.Definition(t.Context(), file, first)
		require.Error(t, err)
		synctest.Wait()
		for i, a := range ask {
			require.Equal(t, a.want, answers[fmt.Sprintf(`"ask %d"`, i)], a.method)
		}
	})
}

// TestServerDoesNotRead asks a server that stops reading. A call ends in time, and the pool
// can be closed.
func TestServerDoesNotRead(t *testing.T) {
	t.Parallel()
	f := &fake{on: func(r *fakeRun, m message) {
		if m.Method == "textDocument/didOpen" {
			<-r.stop.Done()
		}
	}}
	with(t, f, nil, func(b bubble) {
		t, s, file := b.t, b.server, b.file
		begin := time.Now()
		_, err := s.Definition(t.Context(), file, first)
		var late *languageserver.TimeoutError
		require.ErrorAs(t, err, &late)
		require.Equal(t, 30*time.Second, time.Since(begin))
		require.Equal(t, 1, f.starts)
	})
}

// gopls returns the configuration of a server that is installed.
func gopls(t *testing.T) languageserver.Config {
	t.Helper()
	return languageserver.Config{Name: "gopls", Command: reference.Args(t, reference.Gopls), Languages: map[string]string{".go": "go"}}
}

const moduleA = "package a\n\n// Greeter greets.\ntype Greeter interface{ Greet() string }\n\ntype English struct{}\n\nfunc (English) Greet() string { /* 😀 */ return hello() }\n\nfunc hello() string { return \"hello\" }\n"

// module writes a module and returns its directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	files["go.mod"] = "module example.org/a\n\ngo 1.26\n"
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func TestServerGopls(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{"a.go": moduleA})
	file := filepath.Join(dir, "a.go")
	pool := languageserver.NewPool()
	defer func() { require.NoError(t, pool.Close(t.Context())) }()
	s, err := pool.Server(gopls(t), dir)
	require.NoError(t, err)
	at := func(line, column int) languageserver.Position {
		return languageserver.Position{Line: line, Column: column}
	}
	in := func(line, from, to int) []languageserver.Location {
		return []languageserver.Location{{URI: "file://" + file, Path: file, Range: languageserver.Range{Start: at(line, from), End: at(line, to)}}}
	}

	found, err := s.Definition(t.Context(), file, at(8, 48))
	require.NoError(t, err)
	require.Equal(t, in(10, 6, 11), found)
	found, err = s.References(t.Context(), file, at(10, 6))
	require.NoError(t, err)
	require.Equal(t, append(in(10, 6, 11), in(8, 48, 53)...), found)
	found, err = s.Implementation(t.Context(), file, at(4, 6))
	require.NoError(t, err)
	require.Equal(t, in(6, 6, 13), found)
	hover, err := s.Hover(t.Context(), file, at(4, 6))
	require.NoError(t, err)
	require.Contains(t, hover.Text, "Greeter greets.")
	symbols, err := s.DocumentSymbols(t.Context(), file)
	require.NoError(t, err)
	require.Len(t, symbols, 4)
	require.Equal(t, "Greet", symbols[0].Children[0].Name)
	symbols, err = s.WorkspaceSymbols(t.Context(), "", "English")
	require.NoError(t, err)
	require.Equal(t, in(6, 6, 13)[0].Path, symbols[0].Location.Path)
	items, err := s.PrepareCallHierarchy(t.Context(), file, at(10, 6))
	require.NoError(t, err)
	require.Equal(t, "hello", items[0].Name)
	calls, err := s.IncomingCalls(t.Context(), file, at(10, 6))
	require.NoError(t, err)
	require.Equal(t, in(8, 48, 53), calls[0].Places)
	calls, err = s.OutgoingCalls(t.Context(), file, at(8, 17))
	require.NoError(t, err)
	require.Equal(t, "hello", calls[0].Item.Name)
	require.Equal(t, in(8, 48, 53), calls[0].Places)
}

// TestHoverOfNestedLists nests lists around a long text, each of which could be scanned anew.
func TestHoverOfNestedLists(t *testing.T) {
	nested := `{"contents":` + strings.Repeat("[", 5000) + `"` + strings.Repeat("a", 1<<20) + `"` + strings.Repeat("]", 5000) + `}`
	began := time.Now()
	with(t, &fake{on: func(r *fakeRun, m message) {
		if m.Method == "textDocument/hover" {
			r.answer(m, nested)
		}
	}}, nil, func(b bubble) {
		_, err := b.server.Hover(b.t.Context(), b.file, first)
		var refused *languageserver.ResponseError
		require.ErrorAs(b.t, err, &refused)
	})
	require.Less(t, time.Since(began), time.Minute)
}

// TestLocationsOfManyFilesEndInTime names two large files in turn, so that more would be read
// than the time of the request allows.
func TestLocationsOfManyFilesEndInTime(t *testing.T) {
	dir := t.TempDir()
	var found []string
	for i := range 5 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), bytes.Repeat([]byte("a\n"), 8<<20), 0o600))
		found = append(found, fmt.Sprintf(`{"uri":"file://%s/%d","range":{"start":{"line":%d,"character":0}}}`, filepath.ToSlash(dir), i, 8<<20-1))
	}
	answer := "[" + strings.Repeat(strings.Join(found, ",")+",", 10_000) + found[0] + "]"
	f := &fake{on: onDefinition(func(r *fakeRun, m message) { r.answer(m, answer) })}
	pool := languageserver.NewPoolWith(f.serve)
	s, err := pool.Server(languageserver.Config{Name: "fake", Command: []string{"fake"}, Languages: map[string]string{".x": "x"}, Request: time.Second}, dir)
	require.NoError(t, err)
	file := filepath.Join(dir, "a.x")
	require.NoError(t, os.WriteFile(file, []byte("a"), 0o600))
	began := time.Now()
	_, err = s.Definition(t.Context(), file, first)
	var late *languageserver.TimeoutError
	require.ErrorAs(t, err, &late)
	require.Less(t, time.Since(began), time.Minute)
	require.NoError(t, pool.Close(t.Context()))
}

// TestStartBelowALargeRootEndsInTime starts a server for the whole machine, which is the root of
// a file in its top directory.
func TestStartBelowALargeRootEndsInTime(t *testing.T) {
	pool := languageserver.NewPoolWith((&fake{}).serve)
	s, err := pool.Server(languageserver.Config{
		Name: "fake", Command: []string{"fake"}, Languages: map[string]string{"e": "any"}, Begin: time.Nanosecond,
	}, filepath.VolumeName(t.TempDir())+string(filepath.Separator))
	require.NoError(t, err)
	began := time.Now()
	file := filepath.Join(t.TempDir(), "a.e")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = s.Definition(t.Context(), file, first)
	var late *languageserver.StartError
	require.ErrorAs(t, err, &late)
	require.Less(t, time.Since(began), time.Minute)
	require.NoError(t, pool.Close(t.Context()))
}

func TestHoverIsCut(t *testing.T) {
	with(t, &fake{on: func(r *fakeRun, m message) {
		if m.Method == "textDocument/hover" {
			r.answer(m, `{"contents":"`+strings.Repeat("a", 1<<20)+`"}`)
		}
	}}, nil, func(b bubble) {
		found, err := b.server.Hover(b.t.Context(), b.file, first)
		require.NoError(b.t, err)
		require.Len(b.t, found.Text, 256<<10+len("…"))
	})
}

// TestServerPatterns registers patterns of files that the server wants to know of.
func TestServerPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, pattern string // DIR stands for the root
		told          []string
	}{
		{name: "none", pattern: `"[{**"`},
		{name: "below the root", pattern: `"**/*.y"`, told: []string{"a.y", "b/c.y"}},
		{name: "alternatives", pattern: `"**/*.{y,z}"`, told: []string{"a.y", "b/c.y", "b/d.z"}},
		{name: "name", pattern: `"a.y"`, told: []string{"a.y"}},
		{name: "absolute", pattern: `"DIR/b/*"`, told: []string{"b/c.y", "b/d.z"}},
		{name: "relative to an address", pattern: `{"baseUri":"file://DIR/b","pattern":"*.y"}`, told: []string{"b/c.y"}},
		{name: "relative to a folder", pattern: `{"baseUri":{"uri":"file://DIR/b","name":"b"},"pattern":"**/*.z"}`, told: []string{"b/d.z"}},
		{name: "relative to nothing", pattern: `{"baseUri":7,"pattern":"**"}`},
		{name: "relative to an address of no file", pattern: `{"baseUri":"untitled:x","pattern":"**"}`},
		{name: "relative to another tree", pattern: `{"baseUri":"file://DIR/../elsewhere","pattern":"**"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registered := false
			f := &fake{}
			with(t, f, nil, func(b bubble) {
				t, s, file := b.t, b.server, b.file
				dir := filepath.Dir(file)
				pattern := strings.ReplaceAll(tt.pattern, "DIR", filepath.ToSlash(dir))
				var waiting message
				f.on = func(r *fakeRun, m message) {
					switch {
					case m.Method == "textDocument/definition" && !registered:
						registered, waiting = true, m
						r.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"w","method":"client/registerCapability","params":{"registrations":[{"id":"1","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":%s}]}}]}}`, pattern))
					case m.Method == "textDocument/definition":
						r.answer(m, `null`)
					case m.Method == "" && string(m.ID) == `"w"`:
						r.answer(waiting, `null`)
					}
				}
				require.NoError(t, os.Mkdir(filepath.Join(dir, "b"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "b/d.z"), nil, 0o600))
				ask := func() {
					_, err := s.Definition(t.Context(), file, first)
					require.NoError(t, err)
				}
				ask()
				ask() // finds the files that the pattern matches
				require.Empty(t, f.params(t, "workspace/didChangeWatchedFiles"), "nothing has changed")
				for _, name := range []string{"a.y", "b/c.y", "b/d.z"} {
					require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("new"), 0o600))
				}
				ask()
				told := strings.Join(f.params(t, "workspace/didChangeWatchedFiles"), "\n")
				require.Equal(t, len(tt.told), strings.Count(told, `"uri"`), told)
				for _, name := range tt.told {
					require.Contains(t, told, filepath.ToSlash(filepath.Join(dir, name)))
				}
				synctest.Wait()
			})
		})
	}
}
