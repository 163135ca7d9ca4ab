package languageserver

import (
	"bytes"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// maxDocument limits the bytes of a file that is read.
const maxDocument = 16 << 20

// readText returns the text of a file, without its byte order mark.
func readText(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|realpath.Nonblock, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", &os.PathError{Op: "read", Path: path, Err: ErrNotFile}
	}
	var text bytes.Buffer
	text.Grow(int(min(info.Size(), maxDocument)) + bytes.MinRead) // for one read, and that of the end
	_, err = text.ReadFrom(io.LimitReader(file, maxDocument+1))
	data := text.Bytes()
	if err == nil && len(data) > maxDocument {
		err = ErrTooLarge
	}
	if err == nil {
		data, err = decodeText(data)
	}
	if err != nil {
		return "", &os.PathError{Op: "read", Path: path, Err: err}
	}
	return string(data), nil
}

// decodeText returns the text of a file as UTF-8.
func decodeText(data []byte) ([]byte, error) {
	order, wide := unicode.LittleEndian, bytes.HasPrefix(data, []byte("\xff\xfe"))
	if bytes.HasPrefix(data, []byte("\xfe\xff")) {
		order, wide = unicode.BigEndian, true
	}
	if wide {
		text, err := unicode.UTF16(order, unicode.ExpectBOM).NewDecoder().Bytes(data)
		if err != nil {
			return nil, ErrNotText
		}
		return text, nil
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, ErrNotText
	}
	return data, nil
}

// lineOf returns a line of a text, counted from 0 and without its end. It reports false if
// the text has no such line. After the last line end there is an empty line.
func lineOf(text string, line int) (string, bool) {
	if line < 0 {
		return "", false
	}
	for range line {
		_, rest, more := strings.Cut(text, "\n")
		if !more {
			return "", false
		}
		text = rest
	}
	found, _, ended := strings.Cut(text, "\n")
	if ended {
		found = strings.TrimSuffix(found, "\r")
	}
	return found, true
}

// lineCount returns the number of lines. The empty one after the last line end does not count.
func lineCount(text string) int {
	count := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		count++
	}
	return count
}

// A textLines finds the lines of a text, quickly if they are asked for in ascending order.
type textLines struct {
	text string
	line int // that at starts
	at   int
}

// find is lineOf.
func (l *textLines) find(line int) (string, bool) {
	if line < l.line {
		l.line, l.at = 0, 0
	}
	found, ok := lineOf(l.text[l.at:], line-l.line)
	if !ok {
		return "", false
	}
	for l.line < line {
		l.at += strings.IndexByte(l.text[l.at:], '\n') + 1
		l.line++
	}
	return found, true
}
