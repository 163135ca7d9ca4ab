package agents_test

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/mailbox"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestLimitOfMessagesCountsTheirText: not what the file has around it, nor how characters are escaped.
func TestLimitOfMessagesCountsTheirText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, character, read string }{ // read is what the model sees of it, if that differs
		{name: "letters", character: "m"},
		{name: "quotes", character: `"`},
		{name: "controls", character: "\x01", read: `\x01`},
		{name: "marks", character: "<"},
		{name: "characters of three bytes", character: "€"},
	}
	for _, tt := range tests {
		for _, dir := range []string{"", t.TempDir()} {
			t.Run(fmt.Sprintf("%s, on disk %t", tt.name, dir != ""), func(t *testing.T) {
				t.Parallel()
				const most = 1 << 20
				read := make(chan string, 1)
				loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
					parts, err := a.Next(ctx, agents.Usage{})
					if err != nil {
						return agents.Reply{}, err
					}
					read <- userText(parts)
					return agents.Reply{Text: "Done."}, a.Append(userMessage(parts))
				}
				h := newHouse(t, pegboard.SessionConfig{}, loop, func(o *agents.Options) { o.Dir = dir }, look())
				require.NoError(t, h.call(t, map[string]any{"name": "scout"}).Err)
				<-read // its task
				text := strings.Repeat(tt.character, most/len(tt.character))
				require.NoError(t, h.send(t, "scout", text).Err)
				select {
				case told := <-read:
					if !strings.Contains(told, strings.Repeat(cmp.Or(tt.read, tt.character), most/len(tt.character))) {
						require.Fail(t, "the message was read in part")
					}
				case <-time.After(time.Minute):
					require.Fail(t, "the message was not read")
				}
				require.ErrorIs(t, h.send(t, "scout", text+"more").Err, mailbox.ErrTooLong)
			})
		}
	}
}

// TestJSONThatIsNoLetterIsKept: it is set aside with its bytes, the receiver is told once, and the
// messages behind it are read.
func TestJSONThatIsNoLetterIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	boxes, err := mailbox.Open(filepath.Join(dir, "mail"), nil)
	require.NoError(t, err)
	foreign := []string{`{"a":1}`, `[]`, `"text"`, `{"from":"main","sent":"2026-01-02T03:04:05Z","type":"bribe"}`, `{"from":7}`}
	for _, text := range foreign {
		require.NoError(t, boxes.Put(agents.MainName, []byte(text)))
	}
	require.NoError(t, boxes.Put(agents.MainName, []byte(`{"from":"agent-x","sent":"2026-01-02T03:04:05Z","text":"hello"}`)))
	require.NoError(t, boxes.Close())
	h := newHouse(t, pegboard.SessionConfig{}, says("x"), func(o *agents.Options) { o.Dir = dir }, look())
	h.pool()
	told := strings.Join(h.news(), "\n")
	require.Equal(t, len(foreign), strings.Count(told, "could not be read"), told)
	require.Contains(t, told, "hello")
	require.Empty(t, h.news())
	aside, err := filepath.Glob(filepath.Join(dir, "mail", agents.MainName, "*.corrupt"))
	require.NoError(t, err)
	var kept []string
	for _, path := range aside {
		kept = append(kept, readFile(t, path))
	}
	require.ElementsMatch(t, foreign, kept)
}
