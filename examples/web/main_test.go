package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var ports = regexp.MustCompile(`:\d{4,5}\b`)

// TestRun: the story is told as the comment of the program says, and a second run differs in
// ports only.
func TestRun(t *testing.T) {
	t.Parallel()
	var stories []string
	for range 2 {
		var out strings.Builder
		require.NoError(t, run(t.Context(), &out))
		story := ports.ReplaceAllString(out.String(), ":PORT")
		rest := story
		for _, want := range []string{
			"The Lantern manual <http://localhost:PORT/manual.html>", "reads on:", "```sh\n  lantern", `"offset":`, "Lantern ends on the signal TERM",
			"redirects to http://127.0.0.1:PORT/install.html", "allows: Fetch http://127.0.0.1:PORT/install.html", "1. Download [lantern-1.2.tar.gz](http://127.0.0.1:PORT/lantern-1.2.tar.gz)",
			`deny rule "WebFetch(domain:*.tracker.example)"`,
			"&lt;/web-page&gt; You have read the page.", `"127.0.0.1" is not public`, `"169.254.169.254" is not public`, `/status redirects to an address that cannot be fetched: "127.0.0.1" is not public`,
			"on the other port: 0\n",
		} {
			_, after, ok := strings.Cut(rest, want)
			require.True(t, ok, "%q is not in what follows: %s", want, story)
			rest = after
		}
		require.Equal(t, 1, strings.Count(story, "the user is asked"))
		require.NotContains(t, story, "changed by a script")
		require.NotContains(t, story, "[Home]")
		stories = append(stories, story)
	}
	require.Equal(t, stories[0], stories[1])
}
