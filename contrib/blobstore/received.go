package blobstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf8"
)

// received is a result that was read to its end, as far as it is kept.
type received struct {
	memory []byte   // the beginning
	file   *os.File // the rest, or nil
	named  bool     // the file has to be removed
	kept   int64    // bytes of the result that are kept
	note   string   // behind them, if it was cut
	digest []byte   // of the call and all bytes
}

// receive reads a result to its end.
func receive(ctx context.Context, callID string, r io.Reader, o Options) (*received, error) {
	in := &received{}
	sum := sha256.New()
	fmt.Fprintf(sum, "%d:%s:", len(callID), callID)
	buffer := make([]byte, 64<<10)
	var total int64
	for {
		if ctx.Err() != nil {
			in.close()
			return nil, context.Cause(ctx)
		}
		n, err := r.Read(buffer)
		sum.Write(buffer[:n])
		total += int64(n)
		if keep := min(int64(n), o.kept()-in.kept); keep > 0 {
			if err := in.keep(buffer[:keep], o); err != nil {
				in.close()
				return nil, err
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			in.close()
			return nil, err
		}
	}
	in.digest = sum.Sum(nil)
	if total > in.kept {
		if err := in.cut(total); err != nil {
			in.close()
			return nil, err
		}
	}
	return in, nil
}

// keep adds bytes, the first in memory and the others in the file.
func (in *received) keep(b []byte, o Options) error {
	in.kept += int64(len(b))
	if room := o.Memory - int64(len(in.memory)); in.file == nil && int64(len(b)) <= room {
		if size := int64(len(in.memory) + len(b)); size > int64(cap(in.memory)) { // append alone would make more garbage
			in.memory = slices.Grow(in.memory, int(min(max(size, 2*int64(cap(in.memory))), o.Memory))-len(in.memory))
		}
		in.memory = append(in.memory, b...)
		return nil
	}
	if in.file == nil {
		var err error
		if in.file, err = os.CreateTemp(o.Temp, "pegboard-result-*"); err != nil {
			return fmt.Errorf("temporary file for a result: %w", err)
		}
		in.named = os.Remove(in.file.Name()) != nil // without a name, nothing is left of it if the process is killed
	}
	if _, err := in.file.Write(b); err != nil {
		return fmt.Errorf("temporary file for a result: %w", err)
	}
	return nil
}

// cut ends the kept bytes with a whole character and a note.
func (in *received) cut(total int64) error {
	end := make([]byte, min(in.kept, utf8.UTFMax))
	if _, err := in.reader().(io.ReaderAt).ReadAt(end, in.kept-int64(len(end))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for back := 1; back <= len(end); back++ {
		if last := end[len(end)-back:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				in.kept -= int64(back)
			}
			break
		}
	}
	in.note = fmt.Sprintf("\n[cut here: only the first %d of %d bytes were kept]\n", in.kept, total)
	return nil
}

// size is how many bytes are sent.
func (in *received) size() int64 { return in.kept + int64(len(in.note)) }

// reader returns a reader of the bytes that are kept. It may be called several times.
func (in *received) reader() io.Reader { return io.NewSectionReader(in, 0, in.kept) }

// content returns a reader of all that is sent.
func (in *received) content() io.Reader {
	return io.MultiReader(in.reader(), bytes.NewReader([]byte(in.note)))
}

// ReadAt reads the bytes that are kept.
func (in *received) ReadAt(b []byte, from int64) (n int, err error) {
	if from < int64(len(in.memory)) {
		n = copy(b, in.memory[from:])
		b, from = b[n:], from+int64(n)
	}
	if len(b) == 0 {
		return n, nil
	}
	if in.file == nil {
		return n, io.EOF
	}
	more, err := in.file.ReadAt(b, from-int64(len(in.memory)))
	return n + more, err
}

// close removes the temporary file.
func (in *received) close() {
	if in.file != nil {
		_ = in.file.Close()
		if in.named {
			_ = os.Remove(in.file.Name())
		}
	}
}
