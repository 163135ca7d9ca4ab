package mailbox_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/mailbox"
)

// all is a limit that no test reaches.
const all = math.MaxInt

// A letter is a message of the tests.
type letter struct {
	From   string
	Number int
}

func (l letter) json() json.RawMessage {
	return fmt.Appendf(nil, `{"From":%q,"Number":%d}`, l.From, l.Number)
}

func readLetter(t *testing.T, message json.RawMessage) (l letter) {
	t.Helper()
	require.NoError(t, json.Unmarshal(message, &l))
	return l
}

// openDir returns the mailboxes of a directory, which are closed with the test.
func openDir(t *testing.T, dir string) *mailbox.Boxes {
	t.Helper()
	b, err := mailbox.Open(dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// kinds make mailboxes.
var kinds = map[string]func(t *testing.T) *mailbox.Boxes{
	"memory":    func(*testing.T) *mailbox.Boxes { return mailbox.New() },
	"directory": func(t *testing.T) *mailbox.Boxes { t.Helper(); return openDir(t, t.TempDir()) },
}

// take returns the messages of a mailbox as texts, and requires that there is no problem.
func take(t *testing.T, b *mailbox.Boxes, box string) (texts []string) {
	t.Helper()
	messages, problems := b.Take(box, all)
	require.Empty(t, problems)
	for _, m := range messages {
		texts = append(texts, string(m))
	}
	return texts
}

// filesOf returns the names of what is below a directory.
func filesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			names = append(names, filepath.Base(path))
		}
		return err
	}))
	return names
}

// A tally counts which messages were taken, and checks their order.
type tally struct {
	mu   sync.Mutex
	seen map[letter]int
	last map[[2]string]int // the highest number of a sender in a mailbox
}

func newTally() *tally { return &tally{seen: map[letter]int{}, last: map[[2]string]int{}} }

// add counts messages that were taken from a mailbox.
func (y *tally) add(t *testing.T, box string, messages []json.RawMessage) {
	t.Helper()
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, m := range messages {
		l := readLetter(t, m)
		y.seen[l]++
		require.Equal(t, 1, y.seen[l], "%+v", l)
		way := [2]string{l.From, box}
		require.Greater(t, l.Number, y.last[way], "%v", way)
		y.last[way] = l.Number
	}
}
