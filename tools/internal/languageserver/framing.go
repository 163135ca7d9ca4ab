package languageserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard/internal/outbox"
)

const (
	maxMessage = 64 << 20
	maxHeader  = 8 << 10
	maxWaiting = 16 << 20
)

// A framing carries messages with the header of the protocol, as channel.LSP does. In
// addition it limits the size of messages, and Send never blocks: jrpc2 sends while it
// holds the lock that a cancellation needs.
type framing struct {
	reader io.ReadCloser
	buffer *bufio.Reader
	out    *outbox.Outbox
	// notify is called with each message, in order. It reports whether it has dealt with it.
	notify func(message []byte) bool

	mu  sync.Mutex
	err error // why nothing is sent any more
}

func newFraming(r io.ReadCloser, w io.WriteCloser, notify func([]byte) bool) *framing {
	return &framing{reader: r, buffer: bufio.NewReader(r), out: outbox.New(w, maxWaiting), notify: notify}
}

// Send queues a message.
func (f *framing) Send(message []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	err := f.out.Send(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(message), message))
	if errors.Is(err, outbox.ErrFull) {
		return f.shut(errDeaf)
	}
	return nil // a server that cannot be written to has ended, which its output tells, too
}

// Recv returns the next message that notify leaves.
func (f *framing) Recv() ([]byte, error) {
	for {
		message, err := f.read()
		if err != nil {
			f.mu.Lock()
			defer f.mu.Unlock()
			return nil, f.shut(err)
		}
		if !f.notify(message) {
			return message, nil
		}
	}
}

// Close ends both directions and does not wait.
func (f *framing) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.shut(io.EOF)
	return nil
}

// shut ends both directions, and returns why. The caller holds f.mu.
func (f *framing) shut(err error) error {
	if f.err == nil {
		f.err = err
		_ = f.out.Close(err)
		_ = f.reader.Close() // of a pipe in memory
	}
	return f.err
}

// read reads a message.
func (f *framing) read() ([]byte, error) {
	size, err := f.readHeader()
	if err != nil {
		return nil, err
	}
	message := make([]byte, size)
	if _, err := io.ReadFull(f.buffer, message); err != nil {
		return nil, errEnded
	}
	return message, nil
}

// readHeader returns the length of the message that follows.
func (f *framing) readHeader() (int, error) {
	size, length := -1, 0
	for {
		line, err := f.readLine(maxHeader - length)
		switch length += len(line); {
		case errors.Is(err, io.EOF) && length == 0:
			return 0, errEnded
		case err != nil:
			return 0, err
		case line == "" && size >= 0:
			return size, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return 0, fmt.Errorf("%w: it printed %q, which is no header", errFraming, shorten(line, 200))
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || size < 0 || size > maxMessage {
				return 0, fmt.Errorf("%w: a message of %s bytes, at most %d may be sent", errFraming, shorten(strings.TrimSpace(value), 40), maxMessage)
			}
		}
	}
}

// readLine reads a line of at most that many bytes, without its end.
func (f *framing) readLine(limit int) (string, error) {
	var line []byte
	for {
		c, err := f.buffer.ReadByte()
		switch {
		case err != nil && len(line) > 0:
			return "", fmt.Errorf("%w: it ended after %q", errFraming, shorten(string(line), 200))
		case err != nil:
			return "", io.EOF
		case c == '\n':
			return strings.TrimSuffix(string(line), "\r"), nil
		case len(line) >= limit:
			return "", fmt.Errorf("%w: a header that begins with %q", errFraming, shorten(string(line), 200))
		}
		line = append(line, c)
	}
}

// shorten cuts a text of the server after that many bytes.
func shorten(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit] + "…"
	}
	return strings.ToValidUTF8(s, "�")
}
