package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// The defaults of [ReadOptions].
const (
	DefaultMaxLines      = 2000      // from reports of users of the best-known harness
	DefaultMaxLineLength = 2000      // likewise
	DefaultMaxBytes      = 256 << 10 // our choice
	DefaultMaxImageBytes = 5 << 20   // the most that the best-known model API takes
)

// ReadOptions change [Read]. The zero value works.
type ReadOptions struct {
	// MaxLines is how many lines are shown if a call does not say; 0 means
	// DefaultMaxLines.
	MaxLines int
	// MaxLineLength is how many characters of a line are shown; 0 means
	// DefaultMaxLineLength.
	MaxLineLength int
	// MaxBytes is how much text one call shows, line numbers included. At least
	// one line is shown. 0 means DefaultMaxBytes.
	MaxBytes int
	// MaxImageBytes is the largest image that is shown; 0 means
	// DefaultMaxImageBytes.
	MaxImageBytes int64
	// Line puts a line and its number together for the model. The form is
	// documented nowhere else; nil means the number in six columns, a tab, the
	// text.
	Line func(n int, text string) string
}

type readInput struct {
	FilePath string `json:"file_path" jsonschema:"minLength=1" jsonschema_description:"The absolute path of the file. A relative one is taken from the working directory."`
	Offset   int    `json:"offset,omitempty" jsonschema:"minimum=1" jsonschema_description:"The number of the first line to show (default 1)"`
	Limit    int    `json:"limit,omitempty" jsonschema:"minimum=1" jsonschema_description:"How many lines to show, if the default is too many or too few"`
}

// ReadOutput is what a host gets as Result.Data of [Read].
type ReadOutput struct {
	Type string `json:"type"` // "text" or "image"
	File any    `json:"file"` // a TextFile or an ImageFile
}

// TextFile is a part of a text.
type TextFile struct {
	FilePath string `json:"filePath"` // absolute
	// Content is the lines as they are shown, without their numbers. Line ends
	// are "\n"; a byte order mark is left out.
	Content    string `json:"content"`
	NumLines   int    `json:"numLines"`
	StartLine  int    `json:"startLine"`
	TotalLines int    `json:"totalLines"`        // -1: too long to be counted
	Partial    bool   `json:"partial,omitempty"` // lines follow the last one shown

	text string // for the model
}

// ImageFile is an image as it stands in the file.
type ImageFile struct {
	FilePath     string `json:"filePath"` // absolute
	Data         []byte `json:"base64"`
	MIME         string `json:"type"`
	OriginalSize int64  `json:"originalSize"` // in bytes
}

// Read returns the tool that shows a file: a text with its lines numbered, a
// PNG, JPEG, GIF or WebP image as it is. Of a long text the rest is never read.
// An empty file and an offset past the end give a notice, not an error. A text
// in another encoding than UTF-8 counts as binary if it has a NUL in its first
// 8 KiB, as UTF-16 has; binary files are refused.
func Read(o ReadOptions) pegboard.Tool {
	o.MaxLines = orDefault(o.MaxLines, DefaultMaxLines)
	o.MaxLineLength = orDefault(o.MaxLineLength, DefaultMaxLineLength)
	o.MaxBytes = orDefault(o.MaxBytes, DefaultMaxBytes)
	o.MaxImageBytes = orDefault(o.MaxImageBytes, DefaultMaxImageBytes)
	return pegboard.Build(pegboard.Definition[readInput, ReadOutput]{
		Info: pegboard.Info{Name: "Read"},
		Description: fmt.Sprintf("Reads a file. A text comes with its lines numbered, %d lines at most unless limit says otherwise; "+
			"the rest is reached with offset. Lines are cut at %d characters. PNG, JPEG, GIF and WebP images are shown. "+
			"Directories are not read: list them with Glob.", o.MaxLines, o.MaxLineLength),
		Inspect: func(in readInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{
				Targets:     []pegboard.Target{{Kind: pegboard.Path, Access: pegboard.Read, Value: in.FilePath}},
				Concurrency: pegboard.Shared,
				ReadOnly:    true,
			}
		},
		Validate: func(_ context.Context, in readInput, _ *pegboard.Call) error {
			return noNUL("file_path", in.FilePath)
		},
		Call:   o.read,
		Result: readResult,
	})
}

func (o ReadOptions) read(ctx context.Context, in readInput, c *pegboard.Call) (ReadOutput, error) {
	t, err := decided(c)
	if err != nil {
		return ReadOutput{}, err
	}
	f, err := realpath.Open(t.Real())
	if err != nil {
		return ReadOutput{}, explain(c, t, err)
	}
	defer func() { _ = f.Close() }()
	out, err := o.show(ctx, f, t.Value, in)
	if err != nil && ctx.Err() == nil && !errors.As(err, new(*adviceError)) {
		return ReadOutput{}, explain(c, t, err)
	}
	return out, err
}

// sniffed is how much of a file decides what it is.
const sniffed = 8 << 10

// show returns the text or the image that f is.
func (o ReadOptions) show(ctx context.Context, f *os.File, path string, in readInput) (ReadOutput, error) {
	fi, err := f.Stat()
	if err != nil {
		return ReadOutput{}, err
	}
	l := newLines(f)
	head, err := l.r.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return ReadOutput{}, err
	}
	switch kind := http.DetectContentType(head); {
	case kind == "image/png" || kind == "image/jpeg" || kind == "image/gif" || kind == "image/webp":
		img, err := o.readImage(l.r, path, kind, fi.Size())
		return ReadOutput{Type: "image", File: img}, err
	case kind == "application/pdf" || bytes.IndexByte(head, 0) >= 0 || isUTF16(head):
		return ReadOutput{}, binary(path, kind, fi.Size(), head)
	}
	if bytes.HasPrefix(head, []byte("\uFEFF")) {
		_, _ = l.r.Discard(len("\uFEFF")) // cannot fail: it was peeked at
	}
	text, err := o.readText(ctx, l, in, fi.Size())
	text.FilePath = path
	return ReadOutput{Type: "text", File: text}, err
}

func (o ReadOptions) readImage(r io.Reader, path, kind string, size int64) (ImageFile, error) {
	data, err := io.ReadAll(io.LimitReader(r, o.MaxImageBytes+1))
	if err != nil {
		return ImageFile{}, err
	}
	if int64(len(data)) > o.MaxImageBytes {
		return ImageFile{}, &adviceError{text: fmt.Sprintf("%s is an image (%s) of %d bytes, more than the %d that can be shown. Make a smaller copy of it and read that.",
			path, kind, size, o.MaxImageBytes)}
	}
	return ImageFile{FilePath: path, Data: data, MIME: kind, OriginalSize: int64(len(data))}, nil
}

// isUTF16 knows a UTF-16 text by its byte order mark.
func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF})
}

func binary(path, kind string, size int64, head []byte) error {
	if isUTF16(head) {
		return &adviceError{text: fmt.Sprintf("%s is UTF-16 text of %d bytes, which Read does not decode. Convert a copy to UTF-8, as with iconv -f UTF-16 -t UTF-8, and read that.", path, size)}
	}
	if strings.HasPrefix(kind, "text/plain") {
		kind = "application/octet-stream"
	}
	return &adviceError{text: fmt.Sprintf("%s is a binary file (%s, %d bytes), which Read does not show. Use a program that understands it.", path, kind, size)}
}

// readResult is what the model is shown.
func readResult(out ReadOutput) *pegboard.Result {
	r := &pegboard.Result{Data: out}
	switch f := out.File.(type) {
	case TextFile:
		r.Parts = []pegboard.Part{{Text: f.text}}
	case ImageFile:
		r.Parts = []pegboard.Part{{MIME: f.MIME, Data: f.Data}}
	}
	return r
}
