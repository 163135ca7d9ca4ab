package shell

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// maxReply is the maximum size of a driver's reply in bytes. The drivers refuse to
// send more than 16 MiB.
const maxReply = 17 << 20

// maxFrame is the maximum size of a frame in bytes.
const maxFrame = 4096

// errBadReply ends an interpreter that sends an invalid frame or reply.
var errBadReply = errors.New("its replies could not be read")

// frames separates the output of an interpreter into the text that code and its child
// processes print and the replies of the driver.
//
// A reply is one or more frames. A frame is the token, "." in the last frame of a
// reply and "+" in the others, a piece of JSON in ASCII, and a newline. Each process
// has its own random token, so printed text cannot imitate it. A frame is written
// with one system call and is small enough that the system does not mix it with the
// output of other processes. It may stand anywhere in their output, also inside a
// line.
type frames struct {
	token   []byte
	onText  func([]byte) // called with text that belongs to no frame; must not keep it
	onReply func(reply)

	rest    []byte // the beginning of a possible frame
	partial []byte // the pieces of an incomplete reply
}

// write handles a piece of output. An error wraps errBadReply; the output after it
// cannot be interpreted.
func (f *frames) write(p []byte) error {
	if len(f.rest) > 0 {
		p = append(f.rest, p...)
		f.rest = nil
	}
	for {
		at := bytes.Index(p, f.token)
		if at < 0 {
			keep := overlap(p, f.token)
			f.passText(p[:len(p)-keep])
			f.rest = bytes.Clone(p[len(p)-keep:])
			return nil
		}
		f.passText(p[:at])
		p = p[at:]
		end := bytes.IndexByte(p, '\n')
		if end > maxFrame || end < 0 && len(p) > maxFrame {
			return fmt.Errorf("%w: a frame has no end", errBadReply)
		}
		if end < 0 {
			f.rest = bytes.Clone(p)
			return nil
		}
		if err := f.parseFrame(p[len(f.token):end]); err != nil {
			return err
		}
		p = p[end+1:]
	}
}

// passText passes on text that belongs to no frame.
func (f *frames) passText(p []byte) {
	if len(p) > 0 {
		f.onText(p)
	}
}

// parseFrame handles the bytes between a token and the end of its line.
func (f *frames) parseFrame(p []byte) error {
	if len(p) == 0 || p[0] != '.' && p[0] != '+' {
		return fmt.Errorf("%w: a frame has no mark", errBadReply)
	}
	if len(f.partial)+len(p) > maxReply {
		return fmt.Errorf("%w: one is larger than %d bytes", errBadReply, maxReply)
	}
	f.partial = append(f.partial, p[1:]...)
	if p[0] == '+' {
		return nil
	}
	var r reply
	if err := json.Unmarshal(f.partial, &r); err != nil {
		return fmt.Errorf("%w: %w", errBadReply, err)
	}
	if !r.valid() {
		return fmt.Errorf("%w: one is not a beginning, an end or a call", errBadReply)
	}
	f.partial = nil
	f.onReply(r)
	return nil
}

// overlap returns how many bytes at the end of p may be the beginning of token.
func overlap(p, token []byte) int {
	for n := min(len(p), len(token)-1); n > 0; n-- {
		if bytes.HasSuffix(p, token[:n]) {
			return n
		}
	}
	return 0
}
