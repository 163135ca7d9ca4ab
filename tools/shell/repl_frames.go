package shell

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// maxReply is how many bytes a reply of a driver may have. The drivers refuse to
// send more than 16 MiB.
const maxReply = 17 << 20

// maxFrame is how many bytes a frame may have.
const maxFrame = 4096

// errBadReply says that an interpreter sent what no driver sends.
var errBadReply = errors.New("its replies could not be read")

// frames takes the output of an interpreter apart: what code and its child
// processes print, and the replies of the driver between.
//
// A reply is one or more frames. A frame is the token, "." in the last of a reply
// and "+" in the others, a piece of JSON in ASCII, and a newline. The token is
// different in every process and nobody can guess it. A frame is written at once
// and is small enough for the system not to mix it with what others write, so that
// it may stand anywhere in their output, also within a line.
type frames struct {
	token   []byte
	onText  func([]byte) // gets what is no frame; must not keep it
	onReply func(reply)

	rest    []byte // the beginning of what may be a frame
	partial []byte // the pieces of a reply whose last is missing
}

// write takes a piece of output. After an error, which wraps errReplies, the
// output makes no sense.
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

// passText passes on what is no frame.
func (f *frames) passText(p []byte) {
	if len(p) > 0 {
		f.onText(p)
	}
}

// parseFrame takes what stands between a token and the end of its line.
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

// overlap returns how many bytes at the end of p could be the beginning of token.
func overlap(p, token []byte) int {
	for n := min(len(p), len(token)-1); n > 0; n-- {
		if bytes.HasSuffix(p, token[:n]) {
			return n
		}
	}
	return 0
}
