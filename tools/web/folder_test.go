package web_test

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/web"
)

// handbook is a small site of documents.
var handbook = fstest.MapFS{
	"README.md":             {Data: []byte("---\nowner: team\n---\n```sh\n# not a title\n```\n# The handbook #\n\nHow we build and release the program.\n")},
	"release/checklist.md":  {Data: []byte("# Release checklist\n\nTag the commit, then publish the binaries. Roll back with `rollback v1`.\n")},
	"release/signing.txt":   {Data: []byte("Binaries are signed with the key of the build machine.\r\nVerify a signature before you publish.\r\n")},
	"guide/errors.html":     {Data: []byte("<html><head><title>Error &amp; retry</title><script>var hidden = 'retry';</script></head><body><nav>Home Imprint</nav><h1>Errors</h1><p>A request is <b>retried</b> twice with a pause.</p></body></html>")},
	"guide/old page?.HTM":   {Data: []byte("<html><head><meta charset=windows-1252><title>Caf\xe9</title></head><body><p>Un caf\xe9 cr\xe8me.</p></body></html>")},
	"guide/unicode.md":      {Data: []byte("# 発行\n\n署名を確認してから公開します。\n")},
	"guide/picture.txt":     {Data: []byte("\x89PNG\r\n\x1a\n\x00\x00retry")},
	"guide/code.go":         {Data: []byte("package retry")},
	".git/notes.md":         {Data: []byte("# retry hidden")},
	"guide/.draft.md":       {Data: []byte("# retry hidden")},
	"guide/empty.md":        {Data: nil},
	"guide/deep/nested.txt": {Data: []byte(strings.Repeat("filler words stand here. ", 400) + "The quokka hides at the end.")},
}

func TestFolder(t *testing.T) {
	t.Parallel()
	backend, err := web.Folder(handbook)
	require.NoError(t, err)
	tests := []struct {
		name, query string
		want        []string // titles and addresses
		snippet     string   // the first contains it
	}{
		{name: "Markdown", query: "rollback", want: []string{"Release checklist file:///release/checklist.md"}, snippet: "Roll back with `rollback v1`"},
		{name: "text", query: "verify signature", want: []string{"signing.txt file:///release/signing.txt"}, snippet: "Verify a signature before you publish."},
		{name: "HTML without scripts", query: "retry requests", want: []string{"Error & retry file:///guide/errors.html"}, snippet: "retried"},
		{name: "what is not the page's text", query: "imprint hidden"},
		{name: "another encoding, and an address with a question mark", query: "café", want: []string{"Café file:///guide/old%20page%3F.HTM"}, snippet: "Un café crème."},
		{name: "a title below a code block", query: "handbook", want: []string{"The handbook file:///README.md"}, snippet: "How we build"},
		{name: "Japanese", query: "署名", want: []string{"発行 file:///guide/unicode.md"}, snippet: "署名を確認"},
		{name: "a long text", query: "quokka", want: []string{"nested.txt file:///guide/deep/nested.txt"}, snippet: "The quokka hides at the end."},
		{name: "two, the better first", query: "tag binaries", want: []string{"Release checklist file:///release/checklist.md", "signing.txt file:///release/signing.txt"}, snippet: "publish the binaries"},
		{name: "the name of a file", query: "checklist", want: []string{"Release checklist file:///release/checklist.md"}},
		{name: "a file name that is not the title", query: "unicode", want: []string{"発行 file:///guide/unicode.md"}},
		{name: "nothing", query: "zeppelin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hits, err := backend.Search(t.Context(), web.Query{Text: tt.query, Limit: 10})
			require.NoError(t, err)
			var got []string
			for _, h := range hits {
				got = append(got, h.Title+" "+h.URL)
				require.True(t, utf8.ValidString(h.Snippet))
			}
			require.Equal(t, tt.want, got)
			if len(hits) > 0 {
				require.Contains(t, hits[0].Snippet, tt.snippet)
			}
		})
	}
}

func TestFolderPages(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{}
	for i := range 25 {
		fsys[fmt.Sprintf("%02d.md", i)] = &fstest.MapFile{Data: []byte("# Page\n\nthe same words")}
	}
	backend, err := web.Folder(fsys)
	require.NoError(t, err)
	seen := map[string]bool{}
	for page, want := range []int{10, 10, 5, 0} {
		hits, err := backend.Search(t.Context(), web.Query{Text: "words", Page: page, Limit: 10})
		require.NoError(t, err)
		require.Len(t, hits, want)
		for _, h := range hits {
			require.False(t, seen[h.URL], h.URL)
			seen[h.URL] = true
		}
	}
	for _, q := range []web.Query{{Text: "words", Page: -1, Limit: 1}, {Text: "words"}, {Text: "words", Page: math.MaxInt, Limit: math.MaxInt}} {
		hits, err := backend.Search(t.Context(), q)
		require.NoError(t, err)
		require.Empty(t, hits)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = backend.Search(ctx, web.Query{Text: "words", Limit: 1})
	require.ErrorIs(t, err, context.Canceled)
}

func TestFolderAt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a b.md"), []byte("# Inside\n"), 0o600))
	outside := filepath.Join(t.TempDir(), "secret.md")
	require.NoError(t, os.WriteFile(outside, []byte("# Inside too\n"), 0o600))
	if err := os.Symlink(outside, filepath.Join(dir, "link.md")); err != nil {
		t.Skip("this system makes no symbolic links: ", err)
	}
	for base, want := range map[string]string{
		"https://docs.example.com":                      "https://docs.example.com/a%20b.md",
		"https://docs.example.com/x%2Fy/":               "https://docs.example.com/x/y/a%20b.md",
		(&url.URL{Scheme: "file", Path: "/s"}).String(): "file:///s/a%20b.md",
	} {
		u, err := url.Parse(base)
		require.NoError(t, err)
		backend, err := web.FolderAt(os.DirFS(dir), u)
		require.NoError(t, err)
		hits, err := backend.Search(t.Context(), web.Query{Text: "inside", Limit: 10})
		require.NoError(t, err)
		require.Len(t, hits, 1, "the link leads outside")
		require.Equal(t, want, hits[0].URL)
	}
}

func TestFolderThatCannotBeIndexed(t *testing.T) {
	t.Parallel()
	_, err := web.Folder(nil)
	require.Error(t, err)
	_, err = web.FolderAt(handbook, nil)
	require.Error(t, err)
	_, err = web.Folder(os.DirFS(filepath.Join(t.TempDir(), "absent")))
	require.ErrorIs(t, err, os.ErrNotExist)
}
