package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// onePage shows each PDF document as one page of text.
type onePage struct{}

func (onePage) Pages(context.Context, *io.SectionReader) (int, error) { return 1, nil }

func (onePage) Show(_ context.Context, doc *io.SectionReader, _, _ int) ([]pegboard.Part, error) {
	return []pegboard.Part{{Text: fmt.Sprintf("The report, of %d bytes.", doc.Size())}}, nil
}

// TestTranscripts replays conversations with the tools of this package. Each text for the model is
// compared byte by byte, and what a text advises is done; PEGBOARD_UPDATE=1 writes the texts anew.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	var other string
	site := serveHere(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/report":
			_, _ = io.WriteString(w, "%PDF-1.7\n")
		case "/archive":
			_, _ = io.WriteString(w, "PK\x03\x04")
		case "/moved":
			http.Redirect(w, r, "http://"+other+"/new", http.StatusMovedPermanently)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("A line of thirty characters..\n", 4))
		default:
			_, _ = io.WriteString(w, "The new page.")
		}
	})
	_, port, err := net.SplitHostPort(site)
	require.NoError(t, err)
	other = "localhost:" + port
	replayer := tooltest.Replayer{
		Tools: []pegboard.Tool{
			web.Fetch(web.FetchOptions{Reach: []string{site, other}, PageSize: 100}), files.Read(files.ReadOptions{PDF: onePage{}}),
		},
		Names: map[string]*regexp.Regexp{"stored": regexp.MustCompile(`/\S*\.(?:pdf|zip)\b`)},
	}
	names := strings.NewReplacer("$SITE", site, "$OTHER", other)
	back := strings.NewReplacer(site, "$SITE", other, "$OTHER")
	paths, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		transcript, err := tooltest.ParseTranscript(names.Replace(string(text)))
		require.NoError(t, err)
		got, err := replayer.Replay(t.Context(), transcript)
		require.NoError(t, err)
		again := back.Replace(got.String())
		if os.Getenv("PEGBOARD_UPDATE") != "" {
			require.NoError(t, os.WriteFile(path, []byte(again), 0o600))
			continue
		}
		require.Equal(t, string(text), again)
	}
}
