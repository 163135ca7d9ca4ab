package files_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	require.Equal(t, pegboard.Part{MIME: "application/pdf", Data: []byte("%PDF-1.7\n")}, out.Result.Parts[1])
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
