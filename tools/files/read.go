package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

// ReadOptions configure [Read]. The zero value is valid. The limits of a session, see
// [pegboard.KeyFileLimits], hold in place of MaxTokens and MaxBytes.
type ReadOptions struct {
	// MaxLines is the number of lines that a call shows if it has no limit of its own.
	// 0 means DefaultMaxLines.
	MaxLines int
	// MaxLineLength is the maximum number of characters shown of a line. 0 means
	// DefaultMaxLineLength.
	MaxLineLength int
	// MaxBytes is the maximum size of the text that a call shows, in bytes, including
	// line numbers. A call shows at least one line. 0 means DefaultMaxBytes.
	MaxBytes int
	// MaxTokens is the maximum number of tokens that a call shows, including line
	// numbers. If a file is longer, Read shows its first lines; if the call itself
	// names a range of lines that is longer, Read returns an error with a range that
	// fits. A call shows at least one line. 0 means DefaultMaxTokens.
	MaxTokens int
	// Tokens returns the number of tokens in a text. Read calls it for one line or one
	// cell at a time and adds the results. It must be safe for concurrent use. Nil
	// means an estimate: one token for four ASCII characters, and one for each other
	// character.
	Tokens func(text []byte) int
	// MaxImageBytes is the maximum size of an image file that is decoded, in bytes. 0
	// means DefaultMaxImageBytes.
	MaxImageBytes int64
	// MaxImagePixels is the maximum number of pixels of an image that is decoded.
	// Decoding takes up to 8 bytes of memory per pixel. 0 means DefaultMaxImagePixels.
	MaxImagePixels int
	// MaxImageEdge is the maximum width and height of an image as shown, in pixels.
	// Larger images are scaled down. 0 means DefaultMaxImageEdge.
	MaxImageEdge int
	// PDF renders PDF documents. Nil means that Read refuses them with advice, or passes
	// them on to a model that takes documents.
	PDF PDF
	// MaxPDFBytes is the maximum size of a PDF document, in bytes. 0 means
	// DefaultMaxPDFBytes.
	MaxPDFBytes int64
	// MaxPDFPages is the maximum number of pages in a PDF document, whether they are
	// shown or not. 0 means DefaultMaxPDFPages.
	MaxPDFPages int
	// NoUnchanged makes Read show a text again even if it is in the conversation
	// already.
	NoUnchanged bool
	// Line formats a line with its number for the model. Nil means the number in six
	// columns, a tab and the text; no public documentation specifies this form.
	Line func(n int, text string) string

	documents bool       // the model takes documents
	code      codeReader // zero unless code made the call
}

// The defaults of [ReadOptions].
const (
	DefaultMaxLines       = 2000       // as in Claude Code, by reports of its users
	DefaultMaxLineLength  = 2000       // likewise
	DefaultMaxTokens      = 25_000     // likewise
	DefaultMaxBytes       = 256 << 10  // 256 KiB, our choice
	DefaultMaxImageBytes  = 20 << 20   // 20 MiB, our choice: photographs are smaller
	DefaultMaxImagePixels = 50_000_000 // our choice: 200 MB of memory when decoded
	DefaultMaxImageEdge   = 1568       // pixels; our choice, after Anthropic's documentation of images: the API scales larger images down
)

// A readInput is the input of Read. Without a PDF it is a plainReadInput, which has the same
// fields.
type readInput struct {
	FilePath string `json:"file_path" jsonschema:"minLength=1" jsonschema_description:"The absolute path of the file. A relative one is taken from the working directory."`
	Offset   int    `json:"offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"The number of the first line to show (default 1); in a notebook, of the first cell"`
	// ByteOffset is an offset within the line Offset.
	ByteOffset int64  `json:"byte_offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"Where in the line that offset names to begin, in bytes counted from 0: for a line that was cut. Then only this line is shown unless limit says otherwise."`
	Limit      int    `json:"limit,omitempty" jsonschema:"minimum=0" jsonschema_description:"How many lines or cells to show, if the default is too many or too few"`
	Pages      string `json:"pages,omitempty" jsonschema_description:"Which pages of a PDF document to show, 20 at most: \"3\", \"1-5\" or \"10-\". Needed if it has more than 10."`
}

// A plainReadInput is a readInput without pages, which need a PDF.
type plainReadInput struct {
	FilePath   string `json:"file_path" jsonschema:"minLength=1" jsonschema_description:"The absolute path of the file. A relative one is taken from the working directory."`
	Offset     int    `json:"offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"The number of the first line to show (default 1); in a notebook, of the first cell"`
	ByteOffset int64  `json:"byte_offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"Where in the line that offset names to begin, in bytes counted from 0: for a line that was cut. Then only this line is shown unless limit says otherwise."`
	Limit      int    `json:"limit,omitempty" jsonschema:"minimum=0" jsonschema_description:"How many lines or cells to show, if the default is too many or too few"`
	Pages      string `json:"-"`
}

// hasRange reports whether the call names a range of lines or cells.
func (in readInput) hasRange() bool { return in.Offset > 0 || in.Limit > 0 || in.ByteOffset > 0 }

func (in readInput) lines(c *pegboard.Call) pegboard.Lines {
	what, unit, first := c.ShortPath(in.FilePath), "line", orDefault(in.Offset, 1)
	if isNotebook(in.FilePath) {
		unit = "cell"
	}
	switch {
	case in.Pages != "":
		what += ", pages " + in.Pages
	case in.Limit == 1:
		what += fmt.Sprintf(", %s %d", unit, first)
	case in.Limit > 1:
		what += fmt.Sprintf(", %ss %d to %d", unit, first, first+min(in.Limit-1, math.MaxInt-first))
	case first > 1:
		what += fmt.Sprintf(", from %s %d", unit, first)
	}
	return pegboard.Lines{Before: "Read " + what, While: "Reading " + what}
}

// Read returns the tool that shows a file.
//
// Text is shown with line numbers. A call reads the file up to the last line that it
// shows, and up to 8 MiB more to count the lines after it. Text is UTF-8 or, with a
// byte order mark, UTF-16, and has no NUL in its first 8 KiB. Read refuses other files
// as binary, except for these:
//
//   - A Jupyter notebook (.ipynb, at most 100 MiB) is shown by cell. An invalid
//     notebook is shown as text.
//   - A PNG, JPEG, GIF or WebP image is shown unchanged if it is upright, neither edge
//     exceeds MaxImageEdge, and it has at most 500 KB. Other images, and all BMP and
//     TIFF images, are rotated as their EXIF data say, scaled down, and encoded again,
//     as JPEG if they still exceed 500 KB. Only the first frame of an animation is left
//     then.
//   - A PDF document is shown by [ReadOptions].PDF, up to 20 pages in a call; for a model
//     that takes documents ([pegboard.FileLimits].Documents) as a document of these pages if
//     PDF is a [PDFCutter]. Without a PDF such a model gets the whole document, unless it is
//     cut off or encrypted, or says that it has more than MaxPDFPages pages, and the input
//     has no property pages.
//
// A line over MaxLineLength is cut; the note at its end says with which byte_offset the
// next call shows more of it.
//
// For an empty file and for an offset past the end, the result is a notice and not an
// error. If a session reads the same part of an unchanged text or notebook again, and the
// model still has the first result, the result is a short notice; if it repeats the call, or
// a script makes it, the result is the text. Read
// records what the session has seen, for the tools that edit.
func Read(o ReadOptions) pegboard.Tool {
	if o = o.withDefaults(); o.PDF == nil {
		return buildRead[plainReadInput](o)
	}
	return buildRead[readInput](o)
}

// buildRead returns the tool with one of its inputs.
func buildRead[In readInput | plainReadInput](o ReadOptions) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[In, ReadOutput]{
		Info:        pegboard.Info{Name: "Read", Title: "Read", MaxResult: -1}, // Read has its own limits, and reads stored results
		Description: "Reads a file.",
		Prompt:      func(s pegboard.Scope) string { o := o.in(s.Session); return o.prompt(s) },
		Inspect: func(in In, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{
				Targets:     []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: readInput(in).FilePath}},
				Concurrency: pegboard.Shared,
				ReadOnly:    true,
				Kind:        pegboard.KindRead,
			}
		},
		Lines: func(in In, c *pegboard.Call) pegboard.Lines { return readInput(in).lines(c) },
		Observe: func(in In, c *pegboard.Call) map[string]any {
			return observedPath(c, "file_path", readInput(in).FilePath)
		},
		Validate: func(_ context.Context, given In, _ *pegboard.Call) error {
			in := readInput(given)
			if in.Pages != "" {
				if _, err := parsePages(in.Pages); err != nil {
					return err
				}
			}
			return checkNoNUL("file_path", in.FilePath)
		},
		Equivalent:      pegboard.SameInput[In],
		ClassifierInput: func(in In, _ *pegboard.Call) string { return readInput(in).FilePath },
		Call: func(ctx context.Context, in In, c *pegboard.Call) (ReadOutput, error) {
			return o.read(ctx, readInput(in), c)
		},
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

// prompt returns the description of the tool for the model.
func (o *ReadOptions) prompt(s pegboard.Scope) string {
	text := fmt.Sprintf("Reads a file. A text comes with its lines numbered, %d lines and %d tokens at most unless limit says otherwise; "+
		"the rest is reached with offset. Lines are cut at %d characters; the rest of a line is reached with byte_offset. PNG, JPEG, GIF and WebP images are shown. "+
		"Of a Jupyter notebook the cells are shown, with their ids and outputs. ", o.MaxLines, o.MaxTokens, o.MaxLineLength)
	switch {
	case o.PDF != nil:
		text += fmt.Sprintf("Of a PDF document the pages are shown, %d at most in one call. ", maxPagesPerCall)
	case o.documents:
		text += "PDF documents are shown. "
	}
	text += "Directories are not read"
	if s.Has("Glob") {
		return text + ": list them with Glob."
	}
	return text + "."
}

// in returns o with the limits of s.
func (o ReadOptions) in(s *pegboard.Session) ReadOptions {
	limits, _ := pegboard.KeyFileLimits.Get(s)
	o.MaxTokens, o.MaxBytes = orDefault(limits.ReadTokens, o.MaxTokens), orDefault(limits.ReadBytes, o.MaxBytes)
	o.documents = limits.Documents
	return o
}

func (o ReadOptions) read(ctx context.Context, in readInput, c *pegboard.Call) (ReadOutput, error) {
	t, err := decidedTarget(c)
	if err != nil {
		return ReadOutput{}, err
	}
	o = o.in(c.Session())
	f, err := openDecided(t)
	if err != nil {
		return ReadOutput{}, readError(c, t, err)
	}
	defer func() { _ = f.Close() }()
	if c.Parent() != nil {
		o = o.forCode(t.Real())
	}
	out, err := o.readByType(ctx, f, t.Value, in, cellNamesOf(c.Session()).of(t.Real()))
	if err != nil {
		if ctx.Err() == nil && !errors.As(err, new(*adviceError)) {
			err = readError(c, t, err)
		}
		return ReadOutput{}, err
	}
	return o.recordView(c, t, out), nil
}

// readByType reads f according to its type. The cells of a notebook go by the names known.
func (o ReadOptions) readByType(ctx context.Context, f *os.File, path string, in readInput, known *notebook.Names) (ReadOutput, error) {
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
	case isImage && o.code.real != "":
		return o.code.image(path, kind, fi), nil
	case in.ByteOffset > 0 && isImage:
		return ReadOutput{}, &adviceError{text: path + " is not shown by lines: leave out byte_offset."}
	case isImage:
		img, err := o.readImage(f, path, kind, fi.Size())
		return ReadOutput{Type: "image", File: img}, err
	case !e.isText(head):
		return ReadOutput{}, binaryFileError(path, kind, fi.Size())
	case isNotebook(path) && n > 0 && in.ByteOffset == 0: // a cell has no lines
		return o.readNotebook(ctx, f, path, in, known)
	}
	return o.readTextFile(ctx, f, path, e, in)
}

// sniffBytes is the number of bytes from which the type of a file is detected.
const sniffBytes = 8 << 10

// readTextFile returns the part of the text f that in names.
func (o ReadOptions) readTextFile(ctx context.Context, f *os.File, path string, e encoding, in readInput) (ReadOutput, error) {
	if o.code.real != "" {
		return o.code.text(ctx, f, path, e, in)
	}
	fi, err := f.Stat() // before reading, so that a later change is detected
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
	return ReadOutput{Type: "text", File: text, view: seen, repeats: !text.withinLine}, nil
}

// mediaTypeOf returns the media type of a file that begins with head. It only
// distinguishes the types that Read treats differently.
func mediaTypeOf(head []byte) string {
	switch kind := http.DetectContentType(head); {
	case kind == "image/bmp" && bytes.IndexByte(head, 0) < 0:
		return "text/plain" // text that begins with "BM"
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		return "image/tiff"
	default:
		return kind
	}
}

// binaryFileError returns the error for a binary file.
func binaryFileError(path, kind string, size int64) error {
	if strings.HasPrefix(kind, "text/") {
		kind = "application/octet-stream"
	}
	return &adviceError{text: fmt.Sprintf("%s is a binary file (%s, %d bytes), which Read does not show. Use a program that understands it.", path, kind, size)}
}
