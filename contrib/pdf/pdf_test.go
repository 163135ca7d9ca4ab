package pdf_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/pdf"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

var reader *pdf.Reader // compiling the engine takes seconds

func TestMain(m *testing.M) {
	var err error
	if reader, err = pdf.New(context.Background(), pdf.Options{MaxMemory: 128 << 20, Timeout: 30 * time.Second}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = reader.Close(context.Background())
	os.Exit(code)
}

// book returns a document of another library.
func book(t testing.TB, pages int, change ...func(*fpdf.Fpdf)) []byte {
	t.Helper()
	f := fpdf.New("P", "mm", "A4", "")
	f.SetFont("Helvetica", "", 12)
	for _, c := range change {
		c(f)
	}
	for n := 1; n <= pages; n++ {
		f.AddPage()
		f.Cell(40, 10, fmt.Sprintf("This is page %d.", n))
		f.Ln(10)
		f.Cell(40, 10, "It has two lines.")
	}
	var b bytes.Buffer
	require.NoError(t, f.Output(&b))
	return b.Bytes()
}

func section(data []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
}

// handmade returns a document written by hand: objects from 1 on, of which the first is the root.
func handmade(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer <</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

// bomb returns a document of one page whose content is many times longer than the document.
func bomb(t testing.TB, content string, times int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	chunk := []byte(strings.Repeat(content, 1000))
	for range times / 1000 {
		_, err := z.Write(chunk)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return handmade("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream", b.Len(), b.String()),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
}

func TestReader(t *testing.T) {
	doc := section(book(t, 12))
	n, err := reader.Pages(t.Context(), doc)
	require.NoError(t, err)
	require.Equal(t, 12, n)

	parts, err := reader.Show(t.Context(), doc, 10, 11)
	require.NoError(t, err)
	require.Equal(t, []pegboard.Part{
		{Text: "[page 10]\nThis is page 10.\nIt has two lines."}, {Text: "[page 11]\nThis is page 11.\nIt has two lines."},
	}, parts)

	data, err := reader.Cut(t.Context(), doc, 10, 11)
	require.NoError(t, err)
	n, err = reader.Pages(t.Context(), section(data))
	require.NoError(t, err)
	require.Equal(t, 2, n)
	parts, err = reader.Show(t.Context(), section(data), 2, 2)
	require.NoError(t, err)
	require.Equal(t, "[page 2]\nThis is page 11.\nIt has two lines.", parts[0].Text)
}

// TestPageWithoutText is shown as an image, unless the host wants none.
func TestPageWithoutText(t *testing.T) {
	doc := section(book(t, 0, func(f *fpdf.Fpdf) {
		f.AddPage()
		f.Rect(10, 10, 100, 100, "F")
	}))
	parts, err := reader.Show(t.Context(), doc, 1, 1)
	require.NoError(t, err)
	require.Len(t, parts, 2)
	require.Equal(t, "image/jpeg", parts[1].MIME)
	require.True(t, bytes.HasPrefix(parts[1].Data, []byte("\xFF\xD8")))
	require.Less(t, len(parts[1].Data), 1<<20)
}

// TestRealDocuments reads documents that other programs have made: those of the packages that
// are installed.
func TestRealDocuments(t *testing.T) {
	found, err := filepath.Glob("/usr/share/doc/*/*.pdf")
	require.NoError(t, err)
	if len(found) == 0 {
		t.Skip("no installed package brings a PDF document; the documents of the other tests are made by fpdf")
	}
	for _, name := range found[:min(len(found), 5)] {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		n, err := reader.Pages(t.Context(), section(data))
		require.NoError(t, err, name)
		parts, err := reader.Show(t.Context(), section(data), 1, min(n, 3))
		require.NoError(t, err, name)
		require.NotEmpty(t, parts)
		require.NotContains(t, parts[0].Text, "\x00")
	}
}

// TestHostileDocuments end in time, with an error for the model or a result, within the
// memory of the engine.
func TestHostileDocuments(t *testing.T) {
	locked := func(f *fpdf.Fpdf) { f.SetProtection(0, "user", "owner") }
	whole := book(t, 3)
	for _, tt := range []struct {
		name string
		data []byte
		is   error // nil: an error or a result
	}{
		{name: "encrypted", data: book(t, 2, locked), is: pdf.ErrPassword},
		{name: "empty", is: pdf.ErrDamaged},
		{name: "no PDF", data: []byte("%PDF-1.7 and nothing else"), is: pdf.ErrDamaged},
		{name: "cut off at the start", data: whole[:100], is: pdf.ErrDamaged},
		{name: "cut off in the middle", data: whole[:len(whole)/2]},
		{name: "cut off at the end", data: whole[:len(whole)-20]},
		{name: "a tree of pages that is a circle", data: handmade("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000>>")},
		{name: "a number of pages that is a lie", data: handmade("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 2000000000>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>")},
		{name: "arrays in arrays", data: handmade("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids"+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+"/Count 1>>")},
		{name: "a huge page", data: handmade("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 1000000000 1000000000]>>")},
		{name: "a page that is a line", data: handmade("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 1000000000 1]>>")},
		{name: "1 GB of space", data: bomb(t, strings.Repeat(" ", 1000), 1_000_000)},
		{name: "80 MB of text", data: bomb(t, "BT /F 9 Tf 1 1 Td (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ET ", 1_000_000), is: pdf.ErrTooHard},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n, err := reader.Pages(t.Context(), section(tt.data))
			if err == nil {
				_, err = reader.Show(t.Context(), section(tt.data), 1, min(max(n, 1), 20))
			}
			if err == nil {
				_, err = reader.Cut(t.Context(), section(tt.data), 1, min(max(n, 1), 20))
			}
			if err != nil {
				require.NotEmpty(t, err.Error())
				require.NotContains(t, err.Error(), "wasm")
				t.Logf("%.200v", err)
			}
			if tt.is != nil {
				require.ErrorIs(t, err, tt.is)
			}
			runtime.ReadMemStats(&after)
			require.Less(t, after.Sys-before.Sys, uint64(2<<30))
		})
	}
}

// TestTenThousandPages are counted, and refused by Read.
func TestTenThousandPages(t *testing.T) {
	out := readFile(t, book(t, 10_000), nil)
	require.True(t, out.Result.IsError)
	require.Contains(t, out.Result.Text(), "has 10000 pages, more than the 100")
}

// TestTimeout and the end of the context end the engine in the middle of its work.
func TestTimeout(t *testing.T) {
	data := bomb(t, "BT /F 9 Tf 1 1 Td (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ET ", 300_000)
	hasty, err := pdf.New(t.Context(), pdf.Options{Timeout: time.Millisecond})
	require.NoError(t, err)
	_, err = hasty.Show(t.Context(), section(data), 1, 1)
	require.ErrorIs(t, err, pdf.ErrTooHard)
	require.NoError(t, hasty.Close(t.Context()))
	_, err = hasty.Pages(t.Context(), section(data))
	require.ErrorIs(t, err, pdf.ErrClosed)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = reader.Show(ctx, section(data), 1, 1)
	require.ErrorIs(t, err, context.Canceled)
}

// TestMutatedDocuments: whatever stands in a document, a method returns.
func TestMutatedDocuments(t *testing.T) {
	whole := book(t, 3, func(f *fpdf.Fpdf) { f.SetCompression(false) })
	for seed := range uint64(25) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		data := bytes.Clone(whole)
		for range 1 + rnd.IntN(40) {
			switch at := rnd.IntN(len(data)); rnd.IntN(3) {
			case 0:
				data[at] = byte(rnd.IntN(256))
			case 1:
				data = append(data[:at], data[min(len(data), at+rnd.IntN(30)):]...)
			default:
				data[at] = "0123456789<>[]()/ "[rnd.IntN(18)]
			}
		}
		n, err := reader.Pages(t.Context(), section(data))
		if err == nil {
			_, _ = reader.Show(t.Context(), section(data), 1, min(max(n, 1), 4))
			_, _ = reader.Cut(t.Context(), section(data), 1, min(max(n, 1), 4))
		}
	}
}

// TestRead shows pages as text, and as a document to a model that takes documents.
func TestRead(t *testing.T) {
	doc := book(t, 12)
	for _, tt := range []struct {
		name, pages string
		documents   bool
		says        string
		parts       int
		count       int // of pages in the document
		failed      bool
	}{
		{name: "needs pages", says: `has 12 pages. Say which to show, 20 at most, as with pages "1-10"`, failed: true},
		{name: "one", pages: "3", says: "This is page 3.", parts: 2},
		{name: "some", pages: "1-5", says: "This is page 5.", parts: 6},
		{name: "to the end", pages: "10-", says: "This is page 12.", parts: 4},
		{name: "as a document", pages: "10-", documents: true, says: "[PDF document, pages 10 to 12 of 12]", parts: 2, count: 3},
		{name: "past the end", pages: "13", says: "has 12 pages; page 13 is past the end", failed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			input := map[string]any{}
			if tt.pages != "" {
				input["pages"] = tt.pages
			}
			out := readFile(t, doc, input, func(s *pegboard.Session) {
				pegboard.KeyFileLimits.Set(s, pegboard.FileLimits{Documents: tt.documents})
			})
			require.Equal(t, tt.failed, out.Result.IsError, out.Result.Text())
			require.Contains(t, out.Result.Text(), tt.says)
			if tt.failed {
				return
			}
			require.Len(t, out.Result.Parts, tt.parts)
			if tt.documents {
				require.Equal(t, "application/pdf", out.Result.Parts[1].MIME)
				n, err := reader.Pages(t.Context(), section(out.Result.Parts[1].Data))
				require.NoError(t, err)
				require.Equal(t, tt.count, n)
			}
		})
	}
}

// readFile makes a call of Read for a file with data.
func readFile(t *testing.T, data []byte, input map[string]any, change ...func(*pegboard.Session)) pegboard.Outcome {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.pdf"), data, 0o600))
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	for _, c := range change {
		c(s)
	}
	var reg pegboard.Registry
	require.NoError(t, reg.Add(files.Read(files.ReadOptions{PDF: reader})))
	if input == nil {
		input = map[string]any{}
	}
	input["file_path"] = "a.pdf"
	raw, err := json.Marshal(input)
	require.NoError(t, err)
	var ex pegboard.Executor
	return ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Read", Input: raw})[0]
}
