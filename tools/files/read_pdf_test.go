package files_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// book is a PDF of so many pages. What it shows of a page is its number.
type book struct {
	pages int
	fails error
	whole bool // show it as a document
}

func (b book) Pages(context.Context, *io.SectionReader) (int, error) {
	if b.pages < 0 {
		return 0, b.fails
	}
	return b.pages, nil
}

func (b book) Show(_ context.Context, doc *io.SectionReader, first, last int) (parts []pegboard.Part, err error) {
	if b.whole {
		data, err := io.ReadAll(doc)
		return []pegboard.Part{{MIME: "application/pdf", Data: data}}, err
	}
	for n := first; n <= last; n++ {
		parts = append(parts, pegboard.Part{Text: fmt.Sprint("page ", n)})
	}
	return parts, b.fails
}

func TestReadShowsPagesOfPDF(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		pages int
		asked string
		says  string // with the first part
		count int    // 0: refused
	}{
		{name: "a short one", pages: 10, says: "[PDF document, pages 1 to 10 of 10]", count: 10},
		{name: "one too many to show unasked", pages: 11, says: `has 11 pages. Say which to show, 20 at most, as with pages "1-10".`},
		{name: "a page", pages: 11, asked: "3", says: "[PDF document, pages 3 to 3 of 11]", count: 1},
		{name: "some", pages: 100, asked: "81-100", says: "[PDF document, pages 81 to 100 of 100]", count: 20},
		{name: "too many at once", pages: 100, asked: "2-22", says: `has 100 pages, and one call shows 20 at most. Ask for pages "2-21" first.`},
		{name: "to the end", pages: 12, asked: "10-", says: "[PDF document, pages 10 to 12 of 12]", count: 3},
		{name: "too many to the end", pages: 60, asked: "10-", says: `Ask for pages "10-29" first.`},
		{name: "past the end", pages: 3, asked: "2-9", says: "[PDF document, pages 2 to 3 of 3]", count: 2},
		{name: "behind the end", pages: 3, asked: "4-9", says: "has 3 pages; page 4 is past the end."},
		{name: "a long one", pages: 101, asked: "1", says: "has 101 pages, more than the 100 of a document that is shown."},
		{name: "no pages", pages: 0, says: "without pages"},
		{name: "spaces", pages: 3, asked: " 1 - 2 ", says: "[PDF document, pages 1 to 2 of 3]", count: 2},
		{name: "backwards", pages: 3, asked: "3-1", says: `pages is "3-1"; send one range of pages, counted from 1`},
		{name: "several", pages: 3, asked: "1,3", says: `send one range of pages`},
		{name: "page zero", pages: 3, asked: "0", says: `send one range of pages`},
		{name: "no number", pages: 3, asked: "-3", says: `send one range of pages`},
		{name: "a huge number", pages: 3, asked: "1-99999999999999999999", says: `send one range of pages`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: book{pages: tc.pages}}))
			input := map[string]any{"file_path": g.put(t, "f", "%PDF-1.7\n")}
			if tc.asked != "" {
				input["pages"] = tc.asked
			}
			out := g.call(t.Context(), t, "Read", input)
			require.Equal(t, tc.count == 0, out.Result.IsError, out.Result.Text())
			require.Contains(t, out.Result.Text(), tc.says)
			if tc.count == 0 {
				return
			}
			read, ok := out.Result.Data.(files.ReadOutput)
			require.True(t, ok)
			file, ok := read.File.(files.PDFFile)
			require.True(t, ok)
			require.Equal(t, "parts", read.Type)
			require.Equal(t, tc.pages, read.Pages)
			require.Equal(t, tc.count, file.Count)
			require.Equal(t, fmt.Sprint("page ", read.FirstPage), out.Result.Parts[1].Text)
			require.Len(t, out.Result.Parts, 1+tc.count)
		})
	}
}

func TestReadShowsADocumentAsSuch(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: book{pages: 2, whole: true}}))
	out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "f", "%PDF-1.7\n")})
	require.NoError(t, out.Err)
	require.Equal(t, pegboard.Part{MIME: "application/pdf", Data: []byte("%PDF-1.7\n"), Title: "f"}, out.Result.Parts[1])
	read, ok := out.Result.Data.(files.ReadOutput)
	require.True(t, ok)
	require.Equal(t, "pdf", read.Type)
	file, ok := read.File.(files.PDFFile)
	require.True(t, ok)
	require.Equal(t, "%PDF-1.7\n", string(file.Data))
}

func TestReadRefusesPDF(t *testing.T) {
	t.Parallel()
	torn := errors.New("the trailer is torn off")
	tests := []struct {
		name string
		pdf  files.PDF
		size int64
		says string
		err  error
	}{
		{name: "nobody shows it", says: "this program has nothing that shows PDF. Extract its text in a shell, as with pdftotext -layout"},
		{name: "too large", pdf: book{pages: 1}, size: 20<<20 + 1, says: "20971521 bytes, more than the 20971520 that are shown"},
		{name: "the largest", pdf: book{pages: -1, fails: torn}, size: 20 << 20, says: "could not be shown as PDF: the trailer is torn off.", err: torn},
		{name: "damaged", pdf: book{pages: 1, fails: torn}, size: 9, says: "could not be shown as PDF: the trailer is torn off.", err: torn},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: tc.pdf}))
			path := g.put(t, "f", "%PDF-1.7\n")
			require.NoError(t, os.Truncate(path, max(tc.size, 9)))
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": path})
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), tc.says)
			if tc.err != nil {
				require.ErrorIs(t, out.Err, tc.err)
			}
		})
	}
}

// FuzzReadPages asks for arbitrary pages of a document: what is shown lies in it
// and is not too much.
func FuzzReadPages(f *testing.F) {
	f.Add("1-5", 9)
	f.Add("10-", 100)
	f.Add(" 007 ", 8)
	f.Fuzz(func(t *testing.T, asked string, total int) {
		g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: book{pages: max(total, 0)}}))
		out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "f", "%PDF-1.7\n"), "pages": asked})
		require.NotErrorIs(t, out.Err, pegboard.ErrPanic)
		read, ok := out.Result.Data.(files.ReadOutput)
		if !ok {
			require.True(t, out.Result.IsError)
			return
		}
		file, ok := read.File.(files.PDFFile)
		require.True(t, ok)
		require.GreaterOrEqual(t, read.FirstPage, 1)
		require.LessOrEqual(t, read.FirstPage+file.Count-1, total)
		require.LessOrEqual(t, file.Count, 20)
	})
}

// cuttingBook can make a document of some pages.
type cuttingBook struct{ book }

func (b cuttingBook) Cut(_ context.Context, _ *io.SectionReader, first, last int) ([]byte, error) {
	return fmt.Appendf(nil, "%%PDF-1.7 %d-%d", first, last), b.fails
}

// panickingBook has a defect.
type panickingBook struct{ book }

func (panickingBook) Show(context.Context, *io.SectionReader, int, int) ([]pegboard.Part, error) {
	panic("index out of range")
}

// TestReadPassesDocumentsOn: a model that takes documents gets them, whole or some pages, and
// another the text.
func TestReadPassesDocumentsOn(t *testing.T) {
	t.Parallel()
	const whole = "%PDF-1.4\n1 0 obj <</Type /Pages /Count 3>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n"
	torn := errors.New("the trailer is torn off")
	for _, tt := range []struct {
		name      string
		pdf       files.PDF
		documents bool
		text      string
		pages     string
		document  string // that the model gets
		says      string
		failed    bool
	}{
		{name: "whole", documents: true, text: whole, document: whole, says: "[PDF document, whole]"},
		{name: "a model that takes none", text: whole, says: "nothing that shows PDF", failed: true},
		{name: "cut off", documents: true, text: whole[:60], says: "whose end is missing", failed: true},
		{name: "end long before the end of the file", documents: true, text: whole + string(make([]byte, 2000)), says: "whose end is missing", failed: true},
		{name: "encrypted", documents: true, text: "%PDF-1.4\ntrailer <</Root 1 0 R /Encrypt 2 0 R>>\n%%EOF", says: "is encrypted", failed: true},
		{name: "many pages", documents: true, text: "%PDF-1.4\n<</Type/Pages/Count 101>>\n%%EOF", says: "with 101 pages, more than the 100", failed: true},
		{name: "pages without a reader", documents: true, text: whole, pages: "1", says: `unknown property "pages"`, failed: true},
		{name: "pages as a document", pdf: cuttingBook{book{pages: 12}}, documents: true, text: whole, pages: "10-", document: "%PDF-1.7 10-12", says: "[PDF document, pages 10 to 12 of 12]"},
		{name: "pages as text", pdf: cuttingBook{book{pages: 12}}, text: whole, pages: "10-", says: "page 12"},
		{name: "a reader that does not cut", pdf: book{pages: 12}, documents: true, text: whole, pages: "3", says: "page 3"},
		{name: "it cannot be cut", pdf: cuttingBook{book{pages: 2, fails: torn}}, documents: true, text: whole, says: "the trailer is torn off", failed: true},
		{name: "a defect of the reader", pdf: panickingBook{book{pages: 2}}, text: whole, says: "could not be shown as PDF", failed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: tt.pdf}))
			pegboard.KeyFileLimits.Set(g.session, pegboard.FileLimits{Documents: tt.documents})
			input := map[string]any{"file_path": g.put(t, "f.pdf", tt.text)}
			if tt.pages != "" {
				input["pages"] = tt.pages
			}
			out := g.call(t.Context(), t, "Read", input)
			require.Equal(t, tt.failed, out.Result.IsError, out.Result.Text())
			require.Contains(t, out.Result.Text(), tt.says)
			if tt.document != "" {
				require.Equal(t, pegboard.Part{MIME: "application/pdf", Data: []byte(tt.document), Title: "f.pdf"}, out.Result.Parts[1])
			} else {
				for _, p := range out.Result.Parts {
					require.Empty(t, p.Data)
				}
			}
		})
	}
}

// TestReadTakesPagesWithAPDFOnly: the model is not told of pages that nothing can show.
func TestReadTakesPagesWithAPDFOnly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		pdf       files.PDF
		documents bool
		pages     bool
		says      string
	}{
		{name: "none"},
		{name: "documents", documents: true, says: "PDF documents are shown."},
		{name: "a PDF", pdf: book{}, pages: true, says: "the pages are shown, 20 at most"},
	} {
		g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{PDF: tt.pdf}))
		pegboard.KeyFileLimits.Set(g.session, pegboard.FileLimits{Documents: tt.documents})
		var reg pegboard.Registry
		require.NoError(t, reg.Add(g.tools...))
		for d := range reg.AssemblePool(g.session, pegboard.PoolConfig{}).Declarations(pegboard.Builtin) {
			require.Equal(t, tt.pages, strings.Contains(string(d.InputSchema), `"pages"`), tt.name)
			require.Equal(t, tt.says != "", strings.Contains(d.Description, "PDF"), tt.name)
			require.Contains(t, d.Description, tt.says)
		}
	}
}

// TestCodeReadsPDF: code gets the text of all pages, or the file.
func TestCodeReadsPDF(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		pdf  files.PDF
		want any
	}{
		{name: "text", pdf: cuttingBook{book{pages: 12}}, want: "page 1\npage 2\npage 3\npage 4\npage 5\npage 6\npage 7\npage 8\npage 9\npage 10\npage 11\npage 12"},
		{name: "the file", want: pegboard.FileValue{Path: "f.pdf", Size: 9, MIME: "application/pdf"}},
	} {
		var value any
		read := files.Read(files.ReadOptions{PDF: tt.pdf})
		g := newGround(t, pegboard.SessionConfig{}, read, pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Script"}, Description: "Reads.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				out := c.Run(ctx, pegboard.Call{ID: "2", Name: "Read", Input: []byte(`{"file_path":"f.pdf"}`)})
				var err error
				value, err = out[0].Value()
				return "", err
			},
		}))
		path := g.put(t, "f.pdf", "%PDF-1.7\n")
		pegboard.KeyFileLimits.Set(g.session, pegboard.FileLimits{Documents: true})
		require.NoError(t, g.call(t.Context(), t, "Script", map[string]any{}).Err)
		if f, ok := tt.want.(pegboard.FileValue); ok {
			f.Path = path
			tt.want = f
		}
		require.Equal(t, tt.want, value, tt.name)
	}
}
