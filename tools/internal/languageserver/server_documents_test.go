package languageserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

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
