package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// ReadOptions configure [Read]. The zero value is valid.
type ReadOptions struct {
	// MaxTokens is the maximum number of tokens that a call shows, including line
	// numbers, at one token for four ASCII characters, and one for each other character. If a
	// file is longer, Read shows its first lines; if the call itself names a range of lines
	// that is longer, Read returns an error with a range that fits. A call shows at least one
	// line. The limit of a session, see [pegboard.KeyFileLimits], holds in its place. 0 means
	// DefaultMaxTokens.
	MaxTokens int
	// PDF renders PDF documents. Nil means that Read refuses them with advice, or passes
	// them on to a model that takes documents.
	PDF PDF

	limits    readLimits
	documents bool       // the model takes documents
	code      codeReader // zero unless code made the call
}

// DefaultMaxTokens is the default of [ReadOptions].MaxTokens, as in Claude Code, by reports of
// its users.
const DefaultMaxTokens = 25_000

// The limits of [Read] that no option changes.
const (
	MaxLines       = 2000       // of a call that has no limit of its own; as in Claude Code, by reports of its users
	MaxLineLength  = 2000       // characters shown of a line; likewise
	MaxBytes       = 256 << 10  // 256 KiB of text with line numbers, but for one line; our choice. KeyFileLimits may change it
	MaxImageBytes  = 20 << 20   // 20 MiB, our choice: photographs are smaller
	MaxImagePixels = 50_000_000 // our choice: 200 MB of memory when decoded
	MaxImageEdge   = 1568       // pixels; our choice, after Anthropic's documentation of images: the API scales larger images down
)

// readLimits are the limits above and in pdf.go, which tests make smaller. 0 means the constant.
type readLimits struct {
	Lines, LineLength, Bytes         int
	ImageBytes, PDFBytes             int64
	ImagePixels, ImageEdge, PDFPages int
	Tokens                           func(text []byte) int // nil means the estimate
	Again                            bool                  // shows a text again although it is in the conversation
}

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

func (in readInput) lines(c *pegboard.Call) pegboard.Summary {
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
	return pegboard.Summary{Before: "Read " + what, While: "Reading " + what}
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
// For an empty file and for an offset past the end, the result is a notice and not an error. If a
// session reads the same part of an unchanged text or notebook again, and the model still has the
// first result, the result is a short notice; if it repeats the call, or a script makes it, the
// result is the text. Read records the parts that the session has seen, for the tools that edit.
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
				Targets:     []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: readInput(in).FilePath}},
				Concurrency: pegboard.Shared,
				ReadOnly:    true,
				Kind:        pegboard.KindRead,
			}
		},
		Summary: func(in In, c *pegboard.Call) pegboard.Summary { return readInput(in).lines(c) },
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
	o.MaxTokens = orDefault(o.MaxTokens, DefaultMaxTokens)
	l := &o.limits
	l.Lines, l.LineLength, l.Bytes = orDefault(l.Lines, MaxLines), orDefault(l.LineLength, MaxLineLength), orDefault(l.Bytes, MaxBytes)
	l.ImageBytes, l.ImagePixels, l.ImageEdge = orDefault(l.ImageBytes, MaxImageBytes), orDefault(l.ImagePixels, MaxImagePixels), orDefault(l.ImageEdge, MaxImageEdge)
	l.PDFBytes, l.PDFPages = orDefault(l.PDFBytes, MaxPDFBytes), orDefault(l.PDFPages, MaxPDFPages)
	return o
}

// prompt returns the description of the tool for the model.
func (o *ReadOptions) prompt(s pegboard.Scope) string {
	text := fmt.Sprintf("Reads a file. A text comes with its lines numbered, %d lines and %d tokens at most unless limit says otherwise; "+
		"the rest is reached with offset. Lines are cut at %d characters; the rest of a line is reached with byte_offset. PNG, JPEG, GIF and WebP images are shown. "+
		"Of a Jupyter notebook the cells are shown, with their ids and outputs. ", o.limits.Lines, o.MaxTokens, o.limits.LineLength)
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
	o.MaxTokens, o.limits.Bytes = orDefault(limits.ReadTokens, o.MaxTokens), orDefault(limits.ReadBytes, o.limits.Bytes)
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

// readImage returns the image in r, which has size bytes.
func (o ReadOptions) readImage(r io.Reader, path, kind string, size int64) (ImageFile, error) {
	if size > o.limits.ImageBytes {
		return ImageFile{}, &adviceError{text: fmt.Sprintf("%s is an image (%s) of %d bytes, more than the %d that are decoded. Make a smaller copy of it and read that.",
			path, kind, size, o.limits.ImageBytes)}
	}
	data, err := io.ReadAll(io.LimitReader(r, o.limits.ImageBytes))
	if err != nil {
		return ImageFile{}, err
	}
	p, err := o.fitImage(data, kind)
	if err != nil {
		return ImageFile{}, &adviceError{err: err, text: fmt.Sprintf("%s is an image (%s, %d bytes) that cannot be shown: %v.", path, kind, len(data), err)}
	}
	img := ImageFile{FilePath: path, Data: p.data, MIME: p.mime, OriginalSize: int64(len(data)), Dimensions: p.Dimensions}
	if !bytes.Equal(p.data, data) {
		img.note = p.note()
	}
	return img, nil
}

// fitImage returns the image in data in a form that fits the model. An image that is
// upright, small enough and in a suitable format is returned unchanged. The number of
// pixels is checked before any pixel is decoded.
func (o ReadOptions) fitImage(data []byte, kind string) (picture, error) {
	f := imageFormats[kind]
	size, err := f.config(bytes.NewReader(data))
	if err != nil {
		return picture{}, fmt.Errorf("its header cannot be decoded; the file may be damaged: %w", err)
	}
	if size.Width <= 0 || size.Height <= 0 {
		return picture{}, errors.New("it has no pixels")
	}
	if int64(size.Width)*int64(size.Height) > int64(o.limits.ImagePixels) {
		return picture{}, fmt.Errorf("its %d x %d pixels are more than the %d that are decoded; make a smaller copy and read that", size.Width, size.Height, o.limits.ImagePixels)
	}
	turned := upright
	if kind == "image/jpeg" {
		turned = orientationOf(data)
	}
	p := picture{data: data, mime: kind, Dimensions: o.displayDimensions(size, turned)}
	kept := f.native && turned == upright && p.DisplayWidth == p.OriginalWidth && p.DisplayHeight == p.OriginalHeight
	src, err := f.decode(bytes.NewReader(data))
	if err != nil && kept && (f.incompleteDecoder || errors.As(err, new(jpeg.UnsupportedError))) {
		return p, nil
	}
	if err != nil {
		return picture{}, fmt.Errorf("it cannot be decoded; the file may be damaged: %w", err)
	}
	if kept && len(data) <= reencodeBytes {
		return p, nil
	}
	dst := drawUpright(fullFrame(src, size), turned, p.DisplayWidth, p.DisplayHeight)
	again, mime, err := encodeImage(dst, kind)
	if err != nil {
		return picture{}, fmt.Errorf("encode it anew: %w", err)
	}
	if !kept || len(again) < len(data) {
		p.data, p.mime, p.firstFrameOnly = again, mime, f.several != nil && f.several(data)
	}
	return p, nil
}

// displayDimensions returns the dimensions of an image, and those at which it is shown.
func (o ReadOptions) displayDimensions(size image.Config, turned orientation) Dimensions {
	w, h := size.Width, size.Height
	if turned.sideways() {
		w, h = h, w
	}
	d := Dimensions{OriginalWidth: w, OriginalHeight: h, DisplayWidth: w, DisplayHeight: h}
	if edge := max(w, h); edge > o.limits.ImageEdge {
		d.DisplayWidth = scale(w, o.limits.ImageEdge, edge)
		d.DisplayHeight = scale(h, o.limits.ImageEdge, edge)
	}
	return d
}

// scale returns n * to / from, rounded and at least 1.
func scale(n, to, from int) int {
	return max(1, int((int64(n)*int64(to)+int64(from)/2)/int64(from)))
}

// A readLine is a line of a text, or a part of it, that was read to be shown.
type readLine struct {
	text   []byte // without the line end
	number int    // of the line, counted from 1
	from   int64  // offset of text in the line, in bytes
	size   int64  // of the line, in bytes
	cutOff bool   // the line is even longer than size
}

// startAtCharacter drops bytes at the start of a text that belong to a character before it.
func (l *readLine) startAtCharacter() {
	for n := 0; l.from > 0 && n < utf8.UTFMax-1 && len(l.text) > 1 && !utf8.RuneStart(l.text[0]); n++ {
		l.text = l.text[1:]
		l.from++
	}
}

// pastEnd returns the error for a byte offset that the line does not have.
func (l *readLine) pastEnd() error {
	return &adviceError{text: fmt.Sprintf("Nothing to show: byte_offset %d is past the end of line %d, which has %d bytes. Use a smaller byte_offset.", l.from, l.number, l.size)}
}

// The limits of a notebook as shown.
const (
	maxNotebookBytes  = 100 << 20 // size of the file, as in Claude Code
	maxOutputBytes    = 10_000    // text of one output; our choice
	maxNotebookImages = 10        // images in one call; our choice
)

// readNotebook returns the cells of f that in names. Cells go by the names known. It shows
// a file that is not a valid notebook as text.
func (o ReadOptions) readNotebook(ctx context.Context, f *os.File, path string, in readInput, known *notebook.Names) (ReadOutput, error) {
	fi, err := f.Stat()
	if err != nil {
		return ReadOutput{}, err
	}
	if fi.Size() > maxNotebookBytes {
		return ReadOutput{}, &adviceError{text: fmt.Sprintf("%s is a notebook of %d bytes, more than the %d that are read. Clear its outputs, or look at cells in a shell, as with jq '.cells[0]'.",
			path, fi.Size(), maxNotebookBytes)}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxNotebookBytes))
	if err != nil {
		return ReadOutput{}, err
	}
	book, wrong := notebook.ParseAs(data, known)
	if wrong != nil {
		return o.notebookAsText(ctx, f, path, in, wrong)
	}
	shown, err := o.showCells(ctx, book.Cells(), in)
	if err != nil {
		return ReadOutput{}, err
	}
	shown.FilePath = path
	var value any
	if o.code.real != "" {
		value = shown
	}
	all := len(shown.Cells) == shown.TotalCells
	return ReadOutput{Type: "notebook", File: shown, names: book.Names(), value: value, view: &reads.View{
		Info: fi, Size: fi.Size(), Changed: fi.ModTime(), To: int64(len(data)), Sum: sha256.Sum256(data),
		Truncated: shown.TruncatedByTokenCap, Excerpt: !all || shown.cellCut,
	}, repeats: all}, nil // a view does not record which cells it has
}

// notebookAsText shows a notebook that cannot be parsed.
func (o ReadOptions) notebookAsText(ctx context.Context, f *os.File, path string, in readInput, wrong error) (ReadOutput, error) {
	head := make([]byte, len("\xFF\xFE\x00"))
	n, err := f.ReadAt(head, 0)
	if err != nil && n == 0 {
		return ReadOutput{}, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return ReadOutput{}, err
	}
	out, err := o.readTextFile(ctx, f, path, encodingOf(head[:n]), in)
	if text, ok := out.File.(TextFile); ok {
		text.text = fmt.Sprintf("[Shown as text, not by cell: %v.]\n", wrong) + text.text
		out.File = text
	}
	return out, err
}

// showCells returns the cells that in names. Cells that the call names by number are
// refused if they have too many tokens.
func (o ReadOptions) showCells(ctx context.Context, all []notebook.Cell, in readInput) (NotebookFile, error) {
	first := orDefault(in.Offset, 1)
	n := notebookPage{options: o, file: NotebookFile{StartCell: first, TotalCells: len(all), Cells: []NotebookCell{}}}
	asked := all[min(first-1, len(all)):]
	if in.Limit > 0 {
		asked = asked[:min(in.Limit, len(asked))]
	}
	for i, c := range asked {
		if ctx.Err() != nil {
			return NotebookFile{}, context.Cause(ctx)
		}
		n.cell = first - 1 + i
		cell, parts := n.renderCell(c)
		tokens, bytes := n.textSize(parts)
		if i == 0 && !n.fits(tokens, bytes) {
			n.file.cellCut, parts = true, n.shorten(parts)
			tokens, bytes = o.MaxTokens, o.limits.Bytes
		}
		if !n.fits(tokens, bytes) {
			if in.hasRange() {
				return NotebookFile{}, n.tooManyTokens(asked, i)
			}
			n.file.TruncatedByTokenCap = true
			break
		}
		n.bytes += bytes
		n.tokens += tokens
		n.file.Cells = append(n.file.Cells, cell)
		n.file.parts = append(n.file.parts, parts...)
	}
	n.file.parts = joinText(append([]pegboard.Part{{Text: n.notice()}}, n.file.parts...))
	return n.file, nil
}

// A ReadOutput is the Result.Data of a [Read] call.
type ReadOutput struct {
	// Type is the type of File: "text" for a TextFile, "image" for an ImageFile,
	// "notebook" for a NotebookFile, "pdf" or "parts" for a PDFFile, "file_unchanged"
	// for an UnchangedFile.
	Type string `json:"type"`
	File any    `json:"file"`

	FirstPage int `json:"firstPage,omitempty"` // of "parts": first page shown
	Pages     int `json:"pages,omitempty"`     // of "parts": number of pages in the document

	view    *reads.View     // nil if there is nothing to record
	repeats bool            // the same view means the same output
	real    string          // resolved path of the file, if shown is to be called
	names   *notebook.Names // of the cells of a notebook
	value   any             // for code, see Result.Value; nil if the model made the call, or if the value is the output itself
}

// modelBytes returns the size of the result for the model, in bytes. For a short result
// a notice would save nothing.
func (out *ReadOutput) modelBytes() (n int) {
	for _, p := range out.parts() {
		n += len(p.Text) + len(p.Data)
	}
	return n
}

// readResult returns the result for the model, and the line about it for a person.
func readResult(out ReadOutput) *pegboard.Result {
	r := &pegboard.Result{Parts: out.parts(), Data: out, Line: out.line(), Value: out.value}
	if f, ok := out.File.(TextFile); ok {
		r.SearchText = f.Content
	}
	if out.real != "" {
		r.Shown = out.shown
	}
	return r
}

// parts returns the result for the model.
func (out *ReadOutput) parts() []pegboard.Part {
	switch f := out.File.(type) {
	case TextFile:
		return []pegboard.Part{{Text: f.text}}
	case UnchangedFile:
		return []pegboard.Part{{Text: f.text}}
	case NotebookFile:
		return f.parts
	case PDFFile:
		return f.parts
	case ImageFile:
		var parts []pegboard.Part
		if f.Data != nil {
			parts = append(parts, pegboard.Part{MIME: f.MIME, Data: f.Data})
		}
		if f.note != "" {
			parts = append(parts, pegboard.Part{Text: f.note})
		}
		return parts
	}
	return nil
}

// line describes the part that was read for a person.
func (out *ReadOutput) line() string {
	switch f := out.File.(type) {
	case TextFile:
		if f.NumLines == 0 && f.TotalLines == 0 {
			return "Read an empty file"
		}
		return "Read " + plural(f.NumLines, "line")
	case UnchangedFile:
		return "Unchanged since it was read"
	case NotebookFile:
		return "Read " + plural(len(f.Cells), "cell")
	case PDFFile:
		if f.Count > 0 {
			return "Read " + plural(f.Count, "page")
		}
		return "Read a document"
	case ImageFile:
		if f.Data == nil {
			return "Found an image"
		}
		return fmt.Sprintf("Read an image of %d × %d pixels", f.Dimensions.OriginalWidth, f.Dimensions.OriginalHeight)
	}
	return ""
}

// readPDF returns the pages of the document that in names.
func (o ReadOptions) readPDF(ctx context.Context, doc *io.SectionReader, path string, in readInput) (ReadOutput, error) {
	f := PDFFile{FilePath: path, OriginalSize: doc.Size()}
	switch {
	case o.PDF == nil && o.code.real != "":
		return o.code.document(f), nil
	case o.PDF == nil && !o.documents:
		return ReadOutput{}, &adviceError{text: fmt.Sprintf("%s is a PDF document (%d bytes), and this program has nothing that shows PDF. Extract its text in a shell, as with pdftotext -layout %q -, or ask the user for it.",
			path, doc.Size(), path)}
	case doc.Size() > o.limits.PDFBytes:
		return ReadOutput{}, &adviceError{text: fmt.Sprintf("%s is a PDF document of %d bytes, more than the %d that are shown. Put the pages you need into a smaller one, or extract their text, and read that.",
			path, doc.Size(), o.limits.PDFBytes)}
	case o.PDF == nil:
		return o.wholePDF(doc, f)
	}
	var total int
	err := goroutine.Try(func() (err error) { total, err = o.PDF.Pages(ctx, doc); return err })
	if err != nil {
		return ReadOutput{}, pdfError(ctx, path, err)
	}
	r, err := o.choosePages(in.Pages, total, path)
	if err != nil {
		return ReadOutput{}, err
	}
	parts, err := o.showPDF(ctx, doc, r)
	if err != nil {
		return ReadOutput{}, pdfError(ctx, path, err)
	}
	f.Count = len(parts)
	head := pegboard.Part{Text: fmt.Sprintf("[PDF document, pages %d to %d of %d]", r.first, r.last, total)}
	f.parts = append([]pegboard.Part{head}, parts...)
	if len(parts) == 1 && parts[0].MIME == mimePDF {
		if parts[0].Title == "" {
			f.parts[1].Title = filepath.Base(path)
		}
		f.Data, f.Count = parts[0].Data, 0
		return ReadOutput{Type: "pdf", File: f}, nil
	}
	out := ReadOutput{Type: "parts", File: f, FirstPage: r.first, Pages: total}
	if o.code.real != "" {
		out.value = pdfValue(parts)
	}
	return out, nil
}

// showPDF returns pages of a document for the model or for code.
func (o ReadOptions) showPDF(ctx context.Context, doc *io.SectionReader, r pageRange) (parts []pegboard.Part, err error) {
	cutter, cuts := o.PDF.(PDFCutter)
	err = goroutine.Try(func() (err error) {
		if !cuts || !o.documents || o.code.real != "" {
			parts, err = o.PDF.Show(ctx, doc, r.first, r.last)
			return err
		}
		data, err := cutter.Cut(ctx, doc, r.first, r.last)
		parts = []pegboard.Part{{MIME: mimePDF, Data: data}}
		return err
	})
	return parts, err
}

// wholePDF returns a document that nothing here can read, for a model that takes documents.
// Providers refuse each request with a document that they cannot read, also those that follow,
// so one that is cut off or encrypted is refused here.
func (o ReadOptions) wholePDF(doc *io.SectionReader, f PDFFile) (ReadOutput, error) {
	data, err := io.ReadAll(io.LimitReader(doc, o.limits.PDFBytes))
	if err != nil {
		return ReadOutput{}, err
	}
	refuse := func(why string, args ...any) (ReadOutput, error) {
		return ReadOutput{}, &adviceError{text: f.FilePath + " is a PDF document " + fmt.Sprintf(why, args...)}
	}
	switch n := statedPages(data); {
	case !bytes.Contains(data[max(0, len(data)-maxTrailer):], []byte("%%EOF")):
		return refuse("whose end is missing. Get the file again, or ask the user for it.")
	case bytes.Contains(data, []byte("/Encrypt")):
		return refuse("that is encrypted, and cannot be shown. Ask the user for a copy that is not.")
	case n > o.limits.PDFPages:
		return refuse("with %d pages, more than the %d of a document that is shown. Put those you need into a smaller one, or extract their text, and read that.", n, o.limits.PDFPages)
	}
	f.Data = data
	f.parts = []pegboard.Part{{Text: "[PDF document, whole]"}, {MIME: mimePDF, Data: data, Title: filepath.Base(f.FilePath)}}
	return ReadOutput{Type: "pdf", File: f}, nil
}

// maxTrailer is where the mark of its end stands in a document, in bytes from the end.
const maxTrailer = 1024

// pageCounts finds the number of pages that a tree of pages states.
var pageCounts = regexp.MustCompile(`/Count\s+(\d{1,9})\b`)

// statedPages returns the number of pages that a document states, or 0 if that is
// compressed.
func statedPages(data []byte) (n int) {
	for _, m := range pageCounts.FindAllSubmatch(data, -1) {
		count, _ := strconv.Atoi(string(m[1])) // nine digits
		n = max(n, count)
	}
	return n
}

// pdfValue returns pages as code gets them: a text, or if there are images, a list in the
// form of MCP.
func pdfValue(parts []pegboard.Part) any {
	o := pegboard.Outcome{Result: &pegboard.Result{Parts: parts}}
	v, _ := o.Value() // the result is no failure
	return v
}

// pdfError returns the error for a failure of the host's PDF.
func pdfError(ctx context.Context, path string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &adviceError{err: err, text: fmt.Sprintf("%s could not be shown as PDF: %v. Try to extract its text in a shell, as with pdftotext.", path, err)}
}

// choosePages returns the pages to show of a document with total pages.
func (o ReadOptions) choosePages(asked string, total int, path string) (pageRange, error) {
	refuse := func(format string, args ...any) (pageRange, error) {
		return pageRange{}, &adviceError{text: path + " " + fmt.Sprintf(format, args...)}
	}
	if total < 1 {
		return refuse("is a PDF document without pages. There is nothing to show.")
	}
	if total > o.limits.PDFPages {
		return refuse("has %d pages, more than the %d of a document that is shown. Put those you need into a smaller one, or extract their text, and read that.", total, o.limits.PDFPages)
	}
	r := pageRange{first: 1, last: total}
	if asked != "" {
		var err error
		if r, err = parsePages(asked); err != nil {
			return pageRange{}, &adviceError{text: err.Error()}
		}
	}
	if r.last == 0 || r.last > total {
		r.last = total
	}
	switch n := r.last - r.first + 1; {
	case r.first > total:
		return refuse("has %s; page %d is past the end.", plural(total, "page"), r.first)
	case o.code.real != "": // code has no limit but that of the document
	case asked == "" && n > maxDefaultPages:
		return refuse(`has %d pages. Say which to show, %d at most, as with pages "1-%d".`, total, maxPagesPerCall, maxDefaultPages)
	case n > maxPagesPerCall:
		return refuse(`has %d pages, and one call shows %d at most. Ask for pages "%d-%d" first.`, total, maxPagesPerCall, r.first, r.first+maxPagesPerCall-1)
	}
	return r, nil
}

// notPDFError returns the error for a call that names pages of a file that is not a PDF
// document.
func notPDFError(path string) error {
	return &adviceError{text: path + " is not a PDF document, so it has no pages. Leave pages out; offset and limit choose lines of a text."}
}
