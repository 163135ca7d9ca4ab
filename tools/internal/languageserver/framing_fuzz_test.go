package languageserver_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/creachadair/jrpc2/channel"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// FuzzFraming reads what a server writes, and reads what was written in the framing of jrpc2.
func FuzzFraming(f *testing.F) {
	for _, seed := range []string{
		"Content-Length: 2\r\n\r\n{}", "content-length:2\n\n{}Content-Length: 0\r\n\r\n", "Content-Type: x\r\nContent-Length: 3\r\n\r\n[1]",
		"Content-Length: -1\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n", "Content-Length: 5\r\n\r\n{}", "\r\n\r\n", "no header\n", "Content-Length: 2",
	} {
		f.Add([]byte(seed), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw, message []byte) {
		all, err := languageserver.Messages(raw)
		require.Error(t, err)
		size := 0
		for _, m := range all {
			size += len(m)
		}
		require.LessOrEqual(t, size, len(raw))

		var framed bytes.Buffer
		sender := channel.LSP(bytes.NewReader(nil), nopCloser{&framed})
		require.NoError(t, sender.Send(message))
		require.NoError(t, sender.Send(raw))
		all, err = languageserver.Messages(framed.Bytes())
		require.Len(t, all, 2)
		require.True(t, bytes.Equal(message, all[0]))
		require.True(t, bytes.Equal(raw, all[1]))
		require.Error(t, err, "of the end")

		written, err := languageserver.Framed(message)
		require.NoError(t, err)
		got, err := channel.LSP(bytes.NewReader(written), nopCloser{io.Discard}).Recv()
		require.True(t, err == nil || errors.Is(err, io.EOF))
		require.True(t, bytes.Equal(message, got))
	})
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestFramingWithoutReader sends messages that are never read.
func TestFramingWithoutReader(t *testing.T) {
	t.Parallel()
	sent, err := languageserver.Unread(1 << 20)
	require.ErrorContains(t, err, "it does not read its input")
	require.LessOrEqual(t, sent, 17, "16 MiB wait, and the last one is refused")
}
