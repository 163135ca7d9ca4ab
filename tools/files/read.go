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
	// MaxTokens is how many tokens of text one call shows, line numbers
	// included. Of a longer file the first lines are shown; lines that a call
	// asked for are refused, with a range that fits. At least one line is shown.
	// 0 means DefaultMaxTokens.
	MaxTokens int
	// Tokens counts the tokens of a text. It is given one line or one cell at a
	// time, and the sum counts; it must be safe for concurrent use. Nil means an
	// estimate: one token for four ASCII characters, one for each other.
	Tokens func(text []byte) int
	// MaxImageBytes is the largest image file that is decoded; 0 means
	// DefaultMaxImageBytes.
	MaxImageBytes int64
	// MaxImagePixels is how many pixels an image may have to be decoded, which
	// takes up to 8 bytes of memory for each. 0 means DefaultMaxImagePixels.
	MaxImagePixels int
	// MaxImageEdge is how many pixels wide or high an image is shown. Larger
	// ones are made smaller. 0 means DefaultMaxImageEdge.
	MaxImageEdge int
	// PDF shows PDF documents. Nil means that they are refused, with advice.
	PDF PDF
	// MaxPDFBytes is the largest document that is shown; 0 means
	// DefaultMaxPDFBytes.
	MaxPDFBytes int64
	// MaxPDFPages is how many pages a document may have, shown or not; 0 means
	// DefaultMaxPDFPages.
	MaxPDFPages int
	// NoUnchanged shows a text again even if the conversation has it.
	NoUnchanged bool
	// Line puts a line and its number together for the model. The form is
	// documented nowhere else; nil means the number in six columns, a tab, the
	// text.
	Line func(n int, text string) string
}

// The defaults of [ReadOptions].
const (
	DefaultMaxLines       = 2000       // from reports of users of the best-known harness
	DefaultMaxLineLength  = 2000       // likewise
	DefaultMaxTokens      = 25_000     // likewise
	DefaultMaxBytes       = 256 << 10  // our choice
	DefaultMaxImageBytes  = 20 << 20   // our choice: photographs are smaller
	DefaultMaxImagePixels = 50_000_000 // our choice: 200 MB once decoded
	DefaultMaxImageEdge   = 1568       // our choice, after the public documents of a model API: it makes larger images smaller itself
)

type readInput struct {
	FilePath string `json:"file_path" jsonschema:"minLength=1" jsonschema_description:"The absolute path of the file. A relative one is taken from the working directory."`
	Offset   int    `json:"offset,omitempty" jsonschema:"minimum=1" jsonschema_description:"The number of the first line to show (default 1); in a notebook, of the first cell"`
	Limit    int    `json:"limit,omitempty" jsonschema:"minimum=1" jsonschema_description:"How many lines or cells to show, if the default is too many or too few"`
	Pages    string `json:"pages,omitempty" jsonschema_description:"Which pages of a PDF document to show, 20 at most: \"3\", \"1-5\" or \"10-\". Needed if it has more than 10."`
}

// hasRange reports whether the call says which lines or cells it wants.
func (in readInput) hasRange() bool { return in.Offset > 0 || in.Limit > 0 }

// Read returns the tool that shows a file.
//
// A text comes with its lines numbered. Of a long one the rest is never read.
// UTF-16 with a byte order mark is decoded, other encodings than UTF-8 are not;
// a text has no NUL in its first 8 KiB. Other files are binary and refused,
// unless they are one of these:
//
//   - A Jupyter notebook (.ipynb, 100 MiB at most) comes cell by cell. One that
//     is damaged comes as text.
//   - A PNG, JPEG, GIF or WebP image comes as it is if it is upright, neither
//     edge exceeds MaxImageEdge, and it has 500 KB or less. Otherwise, as do BMP
//     and TIFF, it is turned as its EXIF data say, made smaller, and encoded
//     anew, as JPEG if it still has more than 500 KB. Of an animation the first
//     picture is left then.
//   - A PDF document is shown by [ReadOptions.PDF], 20 pages in a call.
//
// An empty file and an offset past the end give a notice, not an error. If the
// same session asks for the same part of an unchanged text or notebook again,
// it gets a short notice, and the text if it insists. What it has seen is
// remembered for the tools that edit.
func Read(o ReadOptions) pegboard.Tool {
	o = o.withDefaults()
	return pegboard.Build(pegboard.Definition[readInput, ReadOutput]{
		Info:        pegboard.Info{Name: "Read", MaxResult: -1}, // it has limits of its own, and reads what was stored
		Description: o.description(),
		Inspect: func(in readInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{
				Targets:     []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: in.FilePath}},
				Concurrency: pegboard.Shared,
				ReadOnly:    true,
			}
		},
		Validate: func(_ context.Context, in readInput, _ *pegboard.Call) error {
			if in.Pages != "" {
				if _, err := parsePages(in.Pages); err != nil {
					return err
				}
			}
			return checkNoNUL("file_path", in.FilePath)
		},
		Call:   o.read,
		Result: readResult,
	})
}

func (o ReadOptions) withDefaults() ReadOptions {
	o.MaxLines = orDefault(o.MaxLines, DefaultMaxLines)
	o.MaxLineLength = orDefault(o.MaxLineLength, DefaultMaxLineLength)
	o.MaxBytes = orDefault(o.MaxBytes, DefaultMaxBytes)
	o.MaxTokens = orDefault(o.MaxTokens, DefaultMaxTokens)
	o.MaxImageBytes = orDefault(o.MaxImageBytes, DefaultMaxImageBytes)
	o.MaxImagePixels = orDefault(o.MaxImagePixels, DefaultMaxImagePixels)
	o.MaxImageEdge = orDefault(o.MaxImageEdge, DefaultMaxImageEdge)
	o.MaxPDFBytes = orDefault(o.MaxPDFBytes, DefaultMaxPDFBytes)
	o.MaxPDFPages = orDefault(o.MaxPDFPages, DefaultMaxPDFPages)
	return o
}

// description is what the model knows of the tool.
func (o *ReadOptions) description() string {
	text := fmt.Sprintf("Reads a file. A text comes with its lines numbered, %d lines and %d tokens at most unless limit says otherwise; "+
		"the rest is reached with offset. Lines are cut at %d characters. PNG, JPEG, GIF and WebP images are shown. "+
		"Of a Jupyter notebook the cells are shown, with their ids and outputs. ", o.MaxLines, o.MaxTokens, o.MaxLineLength)
	if o.PDF != nil {
		text += fmt.Sprintf("Of a PDF document the pages are shown, %d at most in one call. ", maxPagesPerCall)
	}
	return text + "Directories are not read: list them with Glob."
}

func (o ReadOptions) read(ctx context.Context, in readInput, c *pegboard.Call) (ReadOutput, error) {
	t, err := decidedTarget(c)
	if err != nil {
		return ReadOutput{}, err
	}
	f, err := realpath.Open(t.Real())
	if err != nil {
		return ReadOutput{}, explainRead(c, t, err)
	}
	defer func() { _ = f.Close() }()
	out, err := o.readByType(ctx, f, t.Value, in)
	if err != nil {
		if ctx.Err() == nil && !errors.As(err, new(*adviceError)) {
			err = explainRead(c, t, err)
		}
		return ReadOutput{}, err
	}
	return o.recordView(c.Session(), t, out), nil
}

// readByType returns what f is.
func (o ReadOptions) readByType(ctx context.Context, f *os.File, path string, in readInput) (ReadOutput, error) {
	fi, err := f.Stat()
	if err != nil {
		return ReadOutput{}, err
	}
	head := make([]byte, sniffBytes)
	n, err := io.ReadFull(io.NewSectionReader(f, 0, sniffBytes), head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ReadOutput{}, err
	}
	head = head[:n]
	kind, e := mediaTypeOf(head), encodingOf(head)
	_, isImage := imageFormats[kind]
	switch {
	case kind == mimePDF:
		return o.readPDF(ctx, io.NewSectionReader(f, 0, fi.Size()), path, in)
	case in.Pages != "":
		return ReadOutput{}, notPDFError(path)
	case isImage:
		img, err := o.readImage(f, path, kind, fi.Size())
		return ReadOutput{Type: "image", File: img}, err
	case !e.isText(head):
		return ReadOutput{}, binaryFileError(path, kind, fi.Size())
	case isNotebook(path) && n > 0:
		return o.readNotebook(ctx, f, path, in)
	}
	return o.readTextFile(ctx, f, path, e, in)
}

// sniffBytes is how much of a file decides what it is.
const sniffBytes = 8 << 10

// readTextFile returns the part of the text f that in asks for.
func (o ReadOptions) readTextFile(ctx context.Context, f *os.File, path string, e encoding, in readInput) (ReadOutput, error) {
	fi, err := f.Stat() // before anything is read: what changes later differs from it
	if err != nil {
		return ReadOutput{}, err
	}
	l, err := e.lineReader(f)
	if err != nil {
		return ReadOutput{}, err
	}
	text, err := o.readPage(ctx, l, in, fi.Size())
	if err != nil {
		return ReadOutput{}, err
	}
	text.FilePath = path
	if e.isUTF16() {
		text.text = fmt.Sprintf("[The file is %s text, decoded here.]\n", e.name) + text.text
	}
	seen := text.view(fi, l.shown)
	return ReadOutput{Type: "text", File: text, view: seen}, nil
}

// mediaTypeOf returns the media type of what begins with head, as far as it matters.
func mediaTypeOf(head []byte) string {
	switch kind := http.DetectContentType(head); {
	case kind == "image/bmp" && bytes.IndexByte(head, 0) < 0:
		return "text/plain" // which begins with BM
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		return "image/tiff"
	default:
		return kind
	}
}

// binaryFileError refuses a binary file.
func binaryFileError(path, kind string, size int64) error {
	if strings.HasPrefix(kind, "text/") {
		kind = "application/octet-stream"
	}
	return &adviceError{text: fmt.Sprintf("%s is a binary file (%s, %d bytes), which Read does not show. Use a program that understands it.", path, kind, size)}
}
