package tooltest

import (
	"bytes"
	"io"
	"strconv"
)

// numberedLines is a long text of which every 32 KiB are different. It is made as it is
// read.
type numberedLines struct {
	left  int64 // bytes to come
	block int64
	text  []byte // of a block, which begins with its number
	rest  []byte // of text, not read so far
}

func (l *numberedLines) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, io.EOF
	}
	if l.text == nil {
		l.text = bytes.Repeat([]byte("and so on, in line after line..\n"), 1<<10)
	}
	if len(l.rest) == 0 {
		l.block++
		l.rest = l.text
		strconv.AppendInt(l.text[:0], l.block, 10)
	}
	n := copy(p[:min(int64(len(p)), l.left)], l.rest)
	l.rest, l.left = l.rest[n:], l.left-int64(n)
	return n, nil
}
