package webtext_test

import (
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/webtext"
)

// update writes the Markdown of the pages anew: go test -run TestMarkdownOfPages -update.
var update = flag.Bool("update", false, "write the Markdown of testdata/pages")

// wordsOf finds the words that a page names, in comments of its own, as kept and as left out.
var wordsOf = regexp.MustCompile(`(?s)<!-- (keep|drop): (.*?) -->`)

func TestMarkdownOfPages(t *testing.T) {
	t.Parallel()
	base, err := url.Parse("https://pages.example/docs/page.html")
	require.NoError(t, err)
	pages, err := filepath.Glob("testdata/pages/*.html")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(pages), 40)
	for _, name := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".html"), func(t *testing.T) {
			t.Parallel()
			page, err := os.ReadFile(name)
			require.NoError(t, err)
			text, err := webtext.Decode("text/html; charset=utf-8", page).Markdown(t.Context(), base)
			require.NoError(t, err)
			named := wordsOf.FindAllStringSubmatch(string(page), -1)
			require.NotEmpty(t, named)
			for _, words := range named {
				require.Equal(t, words[1] == "keep", strings.Contains(text, words[2]), "%s %q in\n%s", words[1], words[2], text)
			}
			golden := strings.TrimSuffix(name, ".html") + ".md"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(text+"\n"), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), text+"\n")
		})
	}
}
