//go:build unix

package mailbox_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/mailbox"
)

// A witness reads what processes say that they have done, until they are killed.
type witness struct {
	sent, confirmed map[letter]bool
	told            map[letter]int
	last            map[string]int // the highest number of a sender that was told
}

// run runs a process that exchanges messages, and kills it at a random moment.
func (w *witness) run(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleName+"="+exchanging, dirName+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Equal(t, "ready", lines.Text())
	kill := time.AfterFunc(rand.N(40*time.Millisecond), func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	again := map[letter]bool{} // told by this process
	for lines.Scan() {
		var word string
		var l letter
		if n, err := fmt.Sscan(lines.Text(), &word, &l.From, &l.Number); n != 3 || err != nil {
			require.NotContains(t, lines.Text(), "error")
			continue // cut by the kill
		}
		switch word {
		case "sent":
			w.sent[l] = true
		case "told":
			w.tell(t, l)
			require.False(t, again[l], "%+v was told twice by one process", l)
			again[l] = true
		case "confirmed":
			w.confirmed[l] = true
		}
	}
	require.ErrorContains(t, cmd.Wait(), "killed")
}

// tell counts a message. One that was confirmed is not told again, and only one that was told in
// the moment of the kill is told out of its order.
func (w *witness) tell(t *testing.T, l letter) {
	t.Helper()
	require.False(t, w.confirmed[l], "%+v was confirmed", l)
	if w.told[l]++; w.told[l] == 1 {
		require.Equal(t, w.last[l.From]+1, l.Number, "the order of %s", l.From)
		w.last[l.From] = l.Number
	}
}

// TestKilled kills processes that send and take, again and again. No message is lost, and none
// is told twice except in the moment of telling.
func TestKilled(t *testing.T) {
	t.Parallel()
	w := &witness{sent: map[letter]bool{}, confirmed: map[letter]bool{}, told: map[letter]int{}, last: map[string]int{}}
	dir := t.TempDir()
	for range effort.Of(t, 150) {
		w.run(t, dir)
	}
	b, err := mailbox.Open(dir, nil)
	require.NoError(t, err)
	messages, problems := b.Take("ann", all)
	require.Empty(t, problems)
	for _, m := range messages {
		w.tell(t, readLetter(t, m))
	}
	require.NoError(t, b.Confirm("ann"))
	require.NoError(t, b.Close())
	require.NotEmpty(t, w.sent)
	for l := range w.sent {
		require.Positive(t, w.told[l], "%+v was lost", l)
	}
	for _, name := range filesOf(t, dir) {
		require.True(t, strings.HasSuffix(name, ".tmp"), name)
	}
	t.Logf("%d sent, %d told, %d left at the end", len(w.sent), len(w.told), len(messages))
}
