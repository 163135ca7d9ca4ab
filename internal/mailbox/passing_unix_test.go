//go:build unix

package mailbox_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/mailbox"
)

// TestMessageIsTriedThreeTimes: a message that cannot be read now keeps back those behind it, and
// is told once. After three tries it is set aside and told, and those behind it are read.
func TestMessageIsTriedThreeTimes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := openDir(t, dir)
	require.NoError(t, b.Put("ann", json.RawMessage(`"two"`)))
	long := filepath.Join(dir, "ann", strings.Repeat("0", 247)) // the name of a message that is taken has more than 255 bytes
	require.NoError(t, os.WriteFile(long+".msg", []byte(`"one"`), 0o600))
	for try := 1; try <= 3; try++ {
		require.True(t, b.Has("ann"))
		messages, problems := b.Take("ann", all)
		require.Len(t, problems, []int{1, 0, 1}[try-1], "try %d", try)
		if try < 3 {
			require.Empty(t, messages)
			continue
		}
		require.Equal(t, []json.RawMessage{json.RawMessage(`"two"`)}, messages)
		require.Equal(t, long+".corrupt", problems[0].Path)
		require.ErrorIs(t, problems[0], syscall.ENAMETOOLONG)
		kept, err := os.ReadFile(problems[0].Path)
		require.NoError(t, err)
		require.Equal(t, `"one"`, string(kept))
	}
	require.NoError(t, b.Confirm("ann"))
	require.False(t, b.Has("ann"))
}

// TestPassingReasonKeepsTheOrder: a message that can be read again is the first.
func TestPassingReasonKeepsTheOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := openDir(t, dir)
	require.NoError(t, b.Put("ann", json.RawMessage(`"two"`)))
	name := filepath.Join(dir, "ann", strings.Repeat("0", 247))
	require.NoError(t, os.WriteFile(name+".msg", []byte(`"one"`), 0o600))
	for range 2 {
		messages, _ := b.Take("ann", all)
		require.Empty(t, messages)
	}
	require.NoError(t, os.Rename(name+".msg", name[:len(name)-50]+".msg"))
	require.Equal(t, []string{`"one"`, `"two"`}, take(t, b, "ann"))
}

// TestJSONThatIsNoMessage is set aside with its bytes, and told once.
func TestJSONThatIsNoMessage(t *testing.T) {
	t.Parallel()
	none := errors.New("it has no writer")
	b, err := mailbox.Open(t.TempDir(), func(message []byte) error {
		if string(message) == `{"a":1}` {
			return none
		}
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, b.Put("ann", json.RawMessage(`{"a":1}`)))
	require.NoError(t, b.Put("ann", json.RawMessage(`{"b":2}`)))
	messages, problems := b.Take("ann", all)
	require.Equal(t, []json.RawMessage{json.RawMessage(`{"b":2}`)}, messages)
	require.Len(t, problems, 1)
	require.ErrorIs(t, problems[0], none)
	require.NoError(t, b.Confirm("ann"))
	kept, err := os.ReadFile(problems[0].Path)
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, string(kept))
	require.NoError(t, b.Close())
}
