package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A transcript is the file with the conversation of an agent: a line for each message.
type transcript struct {
	file *os.File
	size int64 // of the whole lines
}

// openTranscript opens the file of an agent that is about to run, which is made if it is missing.
// The rest of a line that a program was writing when it died is cut off.
func openTranscript(path string) (*transcript, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(file)
	t := &transcript{file: file, size: int64(bytes.LastIndexByte(data, '\n') + 1)}
	if err == nil {
		err = t.cut()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return t, nil
}

// cut makes the file end with its last whole line.
func (t *transcript) cut() error {
	if err := t.file.Truncate(t.size); err != nil {
		return err
	}
	_, err := t.file.Seek(t.size, io.SeekStart)
	return err
}

// add writes messages, all or none of them.
func (t *transcript) add(messages []json.RawMessage) error {
	var lines bytes.Buffer
	for _, m := range messages {
		if err := json.Compact(&lines, m); err != nil {
			return err
		}
		lines.WriteByte('\n')
	}
	n, err := t.file.Write(lines.Bytes())
	if err != nil {
		return errors.Join(err, t.cut())
	}
	t.size += int64(n)
	return nil
}

// close closes the file.
func (t *transcript) close() error { return t.file.Close() }

// readTranscript returns the messages in a file. A last line that is not whole does not count: the
// program died while it wrote it. Each agent has a file, also one without messages.
func readTranscript(path string) ([]json.RawMessage, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %w", errCorrupt, errNoFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var messages []json.RawMessage
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return messages, nil
		}
		if !json.Valid(line) {
			return nil, fmt.Errorf("%w: line %d of %s is not JSON", errCorrupt, n, path)
		}
		messages = append(messages, json.RawMessage(line))
		data = rest
	}
}

var (
	// errCorrupt says that a file holds something else than it should.
	errCorrupt = errors.New("unreadable file")
	// errNoFile says that a pipe, a link or a directory stands where a file should be.
	errNoFile = errors.New("it is no regular file")
)
