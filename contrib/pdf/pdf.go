// Package pdf shows PDF documents to models: it implements [files.PDF] and
// [files.PDFCutter] of package tools/files.
//
//	reader, err := pdf.New(ctx, pdf.Options{})
//	...
//	defer reader.Close(context.Background())
//	tool := files.Read(files.ReadOptions{PDF: reader})
//
// It is a module of its own, so that only programs that want it have its dependencies:
// PDFium, the engine of Chromium, compiled to WebAssembly (klippa-app/go-pdfium), and
// wazero, which runs it. There is no cgo, and no program has to be installed. The documents
// are of unknown origin, and parsers of PDF have a history of defects; inside WebAssembly
// these cannot reach the memory or the files of the host.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// Options change a [Reader]. The zero value works.
type Options struct {
	// Timeout is how long one call of a method may take; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxMemory is the memory of the engine during one call, in bytes; 0 means
	// DefaultMaxMemory. The document, at most MaxDocument bytes, is part of it.
	MaxMemory int64
	// Concurrent is the number of calls that run at once; others wait. 0 means
	// DefaultConcurrent.
	Concurrent int
	// MaxText is the maximum number of bytes shown of the text of one page; 0 means
	// DefaultMaxText.
	MaxText int
	// NoImages leaves pages without text as they are. By default they are shown as images:
	// most were scanned.
	NoImages bool
}

// The defaults of [Options]; our choice.
const (
	DefaultTimeout    = 20 * time.Second
	DefaultMaxMemory  = 256 << 20
	DefaultConcurrent = 2
	DefaultMaxText    = 50_000
	MaxDocument       = 64 << 20 // bytes of a document
)

const (
	wasmPage  = 64 << 10
	imageEdge = 1568 // pixels; Anthropic's API makes larger images smaller
	maxCut    = 20 << 20
)

// Errors of a [Reader]. Their text is for the model.
var (
	ErrPassword = errors.New("it is encrypted and needs a password; ask the user for a copy without one")
	ErrDamaged  = errors.New("it is damaged, or no PDF document")
	ErrTooHard  = errors.New("it takes too much time or memory; ask for fewer pages")
	ErrClosed   = errors.New("the reader of PDF documents is closed")
)

// A Reader reads PDF documents. Its methods may be called concurrently. Each call has an
// engine of its own, which takes some 0.3 s to start: nothing of one document reaches the
// call for another.
type Reader struct {
	options Options
	cache   wazero.CompilationCache // of the compiled engine
	slots   chan struct{}           // a token for each call that runs
	closed  chan struct{}
}

var (
	_ files.PDF       = (*Reader)(nil)
	_ files.PDFCutter = (*Reader)(nil)
)

// New returns a Reader. It compiles the engine, which takes some seconds and some 300 MB for
// a moment, so a program calls it once.
func New(ctx context.Context, o Options) (*Reader, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxMemory <= 0 {
		o.MaxMemory = DefaultMaxMemory
	}
	if o.Concurrent <= 0 {
		o.Concurrent = DefaultConcurrent
	}
	if o.MaxText <= 0 {
		o.MaxText = DefaultMaxText
	}
	r := &Reader{options: o, cache: wazero.NewCompilationCache(), slots: make(chan struct{}, o.Concurrent), closed: make(chan struct{})}
	pool, err := r.start(ctx)
	if err != nil {
		return nil, errors.Join(err, r.cache.Close(ctx))
	}
	return r, pool.Close()
}

// Close frees the engine, once running calls have ended or ctx has. It must be called once;
// later calls of other methods fail.
func (r *Reader) Close(ctx context.Context) error {
	close(r.closed)
	for range cap(r.slots) {
		select {
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return r.cache.Close(ctx)
}

// Pages implements [files.PDF].
func (r *Reader) Pages(ctx context.Context, doc *io.SectionReader) (n int, err error) {
	err = r.open(ctx, doc, func(d *document) error {
		n, err = d.pages()
		return err
	})
	return n, err
}

// Show implements [files.PDF]: the text of each page under a heading, and an image of a page
// that has no text.
func (r *Reader) Show(ctx context.Context, doc *io.SectionReader, first, last int) (parts []pegboard.Part, err error) {
	err = r.open(ctx, doc, func(d *document) error {
		for number := first; number <= last; number++ {
			text, err := d.text(number)
			if err != nil {
				return err
			}
			switch {
			case text == "" && !r.options.NoImages:
				picture, err := d.image(number)
				if err != nil {
					return err
				}
				parts = append(parts, pegboard.Part{Text: fmt.Sprintf("[page %d has no text; this is its image]", number)}, picture)
			case text == "":
				parts = append(parts, pegboard.Part{Text: fmt.Sprintf("[page %d has no text]", number)})
			default:
				parts = append(parts, pegboard.Part{Text: fmt.Sprintf("[page %d]\n%s", number, r.cut(text))})
			}
		}
		return nil
	})
	return parts, err
}

// cut returns the text of a page as shown.
func (r *Reader) cut(text string) string {
	if len(text) <= r.options.MaxText {
		return text
	}
	end := r.options.MaxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s\n[%d more bytes of this page are left out]", text[:end], len(text)-end)
}

// Cut implements [files.PDFCutter].
func (r *Reader) Cut(ctx context.Context, doc *io.SectionReader, first, last int) (data []byte, err error) {
	err = r.open(ctx, doc, func(d *document) error {
		data, err = d.cut(first, last)
		return err
	})
	return data, err
}

// start starts an engine, which ends with ctx.
func (r *Reader) start(ctx context.Context) (pdfium.Pool, error) {
	pages := min(max(r.options.MaxMemory/wasmPage, 1), 1<<16)
	return webassembly.Init(webassembly.Config{
		Context: ctx, MaxIdle: 1, MaxTotal: 1, Stdout: io.Discard, Stderr: io.Discard,
		FSConfig: wazero.NewFSConfig(), // no files
		RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(r.cache).WithCloseOnContextDone(true).
			WithMemoryLimitPages(uint32(pages)).
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling), // as the engine was compiled
	})
}

// open opens a document for use.
func (r *Reader) open(ctx context.Context, doc *io.SectionReader, use func(*document) error) (err error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-r.closed:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-r.closed:
		return ErrClosed
	default:
	}
	if doc.Size() > MaxDocument {
		return fmt.Errorf("it has %d bytes, more than the %d that are read", doc.Size(), MaxDocument)
	}
	data := make([]byte, doc.Size())
	if _, err := io.ReadFull(io.NewSectionReader(doc, 0, doc.Size()), data); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	defer func() {
		if crash := recover(); crash != nil { // the engine runs out of memory in the middle of a call
			err = fmt.Errorf("%w (%v)", ErrTooHard, crash)
		}
		switch {
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case limited.Err() != nil:
			err = ErrTooHard
		}
	}()
	pool, err := r.start(limited)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }() // its context ends anyway
	engine, err := pool.GetInstanceWithContext(limited)
	if err != nil {
		return err
	}
	opened, err := engine.OpenDocument(&requests.OpenDocument{File: &data})
	switch {
	case err != nil && strings.Contains(err.Error(), "password"):
		return ErrPassword
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err = use(&document{engine: engine, ref: opened.Document}); err != nil && strings.Contains(err.Error(), "wasm") {
		return ErrTooHard // the engine gave up, mostly for want of memory; the trace of its calls is of no use
	}
	return err
}

// A document is an open document.
type document struct {
	engine pdfium.Pdfium
	ref    references.FPDF_DOCUMENT
}

func (d *document) pages() (int, error) {
	n, err := d.engine.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.ref})
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return n.PageCount, nil
}

func (d *document) page(number int) requests.Page {
	return requests.Page{ByIndex: &requests.PageByIndex{Document: d.ref, Index: number - 1}}
}

// text returns the text of a page.
func (d *document) text(number int) (string, error) {
	got, err := d.engine.GetPageText(&requests.GetPageText{Page: d.page(number)})
	if err != nil {
		return "", fmt.Errorf("page %d cannot be read: %w", number, err)
	}
	text := strings.Map(func(c rune) rune {
		switch {
		case c == '\x02', c == '\uFFFE', c == '\x00': // the engine marks a hyphen at the end of a line in this way
			return -1
		case c < ' ' && c != '\n' && c != '\t':
			return -1
		}
		return c
	}, strings.ReplaceAll(got.Text, "\r\n", "\n"))
	return strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")), nil
}

// image returns a picture of a page.
func (d *document) image(number int) (pegboard.Part, error) {
	drawn, err := d.engine.RenderPageInPixels(&requests.RenderPageInPixels{Page: d.page(number), Width: imageEdge, Height: imageEdge})
	if err != nil {
		return pegboard.Part{}, fmt.Errorf("page %d cannot be drawn: %w", number, err)
	}
	defer drawn.Cleanup()
	src := drawn.Result.RenderedImage
	sheet := image.NewRGBA(src.Bounds())
	draw.Draw(sheet, sheet.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(sheet, sheet.Bounds(), src, src.Bounds().Min, draw.Over)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, sheet, nil); err != nil {
		return pegboard.Part{}, err
	}
	return pegboard.Part{MIME: "image/jpeg", Data: b.Bytes()}, nil
}

// cut returns a document of some of the pages.
func (d *document) cut(first, last int) ([]byte, error) {
	part, err := d.engine.FPDF_CreateNewDocument(&requests.FPDF_CreateNewDocument{})
	if err != nil {
		return nil, err
	}
	pages := fmt.Sprintf("%d-%d", first, last)
	if _, err := d.engine.FPDF_ImportPages(&requests.FPDF_ImportPages{Source: d.ref, Destination: part.Document, PageRange: &pages}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	out := boundedBuffer{left: maxCut}
	if _, err := d.engine.FPDF_SaveAsCopy(&requests.FPDF_SaveAsCopy{Document: part.Document, FileWriter: &out}); err != nil {
		return nil, fmt.Errorf("pages %s cannot be put into a document of their own: %w", pages, errors.Join(err, out.err))
	}
	return out.Bytes(), out.err
}

// A boundedBuffer is a buffer with room for left more bytes. A Write that does not fit fails.
type boundedBuffer struct {
	bytes.Buffer
	left int
	err  error
}

// Write implements io.Writer.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		b.err = fmt.Errorf("%w: the pages have more than %d bytes", ErrTooHard, maxCut)
		return 0, b.err
	}
	return b.Buffer.Write(p)
}
