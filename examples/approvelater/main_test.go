package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDays runs the days in this process, one after the other; each makes a session of its own.
func TestDays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out bytes.Buffer
	for _, day := range []string{"ask", "publish", "announce"} {
		require.NoError(t, oneDay(t.Context(), day, dir, &out))
	}
	require.Equal(t, `-- first process --
  Changelog: changes of 1.2
  Publish: Waits for an answer
  Announce: Waits for an answer
  open: may it publish Publish/1.2?
  open: may it announce Announce/1.2?
  the history lacks 3 results, and waits
-- next process, the user has answered about Publish --
  Changelog: changes of 1.2
  Publish: published 1.2
  Announce: Waits for an answer
  open: may it announce Announce/1.2?
  the history lacks 3 results, and waits
-- next process, the user has answered about Announce --
  Changelog: changes of 1.2
  Publish: published 1.2
  Announce: Denied: Not on a Friday.
  model: I have 3 results. Version 1.2 is published, and not announced.
`, out.String())
	require.Error(t, oneDay(t.Context(), "never", dir, &out))
}
