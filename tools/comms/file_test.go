package comms_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/comms"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestFilesAreTold(t *testing.T) {
	t.Parallel()
	const zip = "PK\x03\x04rest"
	for _, tt := range []struct{ name, content, mime string }{
		{"a.txt", "one\n", "text/plain; charset=utf-8"},
		{"empty", "", "text/plain; charset=utf-8"},
		{"a.csv", "a,b\n", "text/csv; charset=utf-8"},
		{"A.JSON", `{"a":1}`, "application/json"},
		{"notes.md", "# Notes\n", "text/markdown; charset=utf-8"},
		{"a.png", "\x89PNG\x0d\x0a\x1a\x0a", "image/png"},
		{"a.pdf", "%PDF-1.7\n", "application/pdf"},
		{"report.docx", zip, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"report.zip", zip, "application/zip"},
		{"liar.csv", zip, "application/zip"},
		{"readme.md", "<p align=\"center\">\n<img src=\"logo.svg\">\n", "text/markdown; charset=utf-8"},
		{"drawn.SVG", "<!-- drawn by hand -->\n<svg/>", "image/svg+xml"},
		{"cells.csv", "<b>a</b>,b\n", "text/csv; charset=utf-8"},
		{"wide.csv", "\xff\xfea\x00,\x00b\x00", "text/csv; charset=utf-16le"},
		{"wide.json", "\xfe\xff\x00{\x00}", "application/json"},
		{"liar.csv", "\x89PNG\r\n\x1a\n", "image/png"},
		{"liar.docx", "text", "text/plain; charset=utf-8"},
		{"liar.json", "\x00\x01\x02", "application/octet-stream"},
		{"page.txt", "<html><script>", "text/html; charset=utf-8"},
		{"ümlaut & blank.txt", "x", "text/plain; charset=utf-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ch, dir := &channel{}, t.TempDir()
			path := write(t, dir, "sub/"+tt.name, tt.content)
			out := sent(t, ch.options(), sessionIn(t, dir, policy.ModeDefault, policy.RuleSet{}), path)
			require.NoError(t, out.Err)
			f := ch.deliveries[0].Files[0]
			require.Equal(t, []any{path, tt.name, int64(len(tt.content)), tt.mime}, []any{f.Path, f.Name, f.Size, f.MIME})
			require.Equal(t, tt.content, ch.contents[0])
			require.Equal(t, []comms.SentFile{{Path: path, Size: f.Size, MIME: tt.mime}}, dataOf[comms.DeliveryResult](t, out).Files)
			require.Contains(t, out.Result.Text(), tt.mime)
			_, err := f.Content.Seek(0, io.SeekStart)
			require.NoError(t, err)
			if tt.content != "" {
				_, err = f.Content.Read(make([]byte, 1))
				require.ErrorIs(t, err, os.ErrClosed, "after the call")
			}
		})
	}
}

// TestFileThatChangesWhileItIsSent: what is added is not sent, what is missing is an error of the
// reader, and the model is told.
func TestFileThatChangesWhileItIsSent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		size    int64
		want    string
		readErr error
	}{
		{"it grows", 1 << 16, "one\n", nil},
		{"it shrinks", 2, "on", io.ErrUnexpectedEOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := write(t, dir, "a.txt", "one\n")
			var got []byte
			var readErr error
			out := sent(t, comms.Options{SendFile: func(_ context.Context, _ *pegboard.Session, d comms.Delivery) error {
				if err := os.Truncate(path, tt.size); err != nil {
					return err
				}
				got, readErr = io.ReadAll(d.Files[0].Content)
				return nil
			}}, sessionIn(t, dir, policy.ModeDefault, policy.RuleSet{}), "a.txt")
			require.NoError(t, out.Err)
			require.Equal(t, tt.want, string(got))
			if tt.readErr != nil {
				require.ErrorIs(t, readErr, tt.readErr)
			} else {
				require.NoError(t, readErr)
			}
			require.True(t, dataOf[comms.DeliveryResult](t, out).Files[0].Changed)
			require.Contains(t, out.Result.Text(), "was changed while it was sent")
		})
	}
}

// TestLargeFile: a file of a gigabyte is refused by default, and never held in memory otherwise.
func TestLargeFile(t *testing.T) { //nolint:paralleltest // it measures memory
	const size = 1 << 30
	dir := t.TempDir()
	require.NoError(t, os.Truncate(write(t, dir, "disk.img", ""), size)) // takes no room
	s := sessionIn(t, dir, policy.ModeDefault, policy.RuleSet{})
	read := 0
	o := comms.Options{SendFile: func(_ context.Context, _ *pegboard.Session, d comms.Delivery) error {
		piece := make([]byte, 1<<20)
		for at := int64(0); at < size; at += 128 << 20 {
			n, err := d.Files[0].Content.ReadAt(piece, at)
			if read += n; err != nil {
				return err
			}
		}
		_, err := d.Files[0].Content.ReadAt(piece, size-1)
		require.ErrorIs(t, err, io.EOF)
		return nil
	}}
	out := sent(t, o, s, "disk.img")
	require.ErrorContains(t, out.Err, "a file that is sent may have 104857600")
	require.Zero(t, read)

	o.MaxFile = -1
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out = sent(t, o, s, "disk.img")
	runtime.ReadMemStats(&after)
	require.NoError(t, out.Err)
	require.Equal(t, 8<<20, read)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
}

// TestStoredResultIsSent: a result that was too long to be shown lies outside of the working
// directories, and is sent without a question.
func TestStoredResultIsSent(t *testing.T) {
	t.Parallel()
	ch, dir := &channel{}, t.TempDir()
	store, err := pegboard.NewDirStore(t.TempDir(), "conversation", pegboard.DirOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	for _, mode := range []policy.Mode{policy.ModeDefault, policy.ModeDeny} {
		perms, err := policy.New(mode)
		require.NoError(t, err)
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Results: store, Permissions: perms})
		require.NoError(t, err)
		stored, err := store.Put(t.Context(), "call-7", "text/plain", strings.NewReader("a long result\n"))
		require.NoError(t, err)
		out := sent(t, ch.options(), s, stored.Path)
		require.NoError(t, out.Err)
		require.Equal(t, "a long result\n", ch.contents[len(ch.contents)-1])
		write(t, filepath.Dir(filepath.Dir(stored.Path)), "other/call-1.txt", "of another conversation")
		out = sent(t, ch.options(), s, filepath.Join(filepath.Dir(filepath.Dir(stored.Path)), "other", "call-1.txt"))
		require.ErrorIs(t, out.Err, pegboard.ErrDenied)
		require.NoError(t, s.Close(context.Background()))
	}
}

// TestToolThatWritesAfterSending: Write of the same file waits for the call that sends it.
func TestToolThatWritesAfterSending(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.txt", "one\n")
	ch := &channel{}
	s, err := tooltest.NewSession(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(context.Background())) }()
	var registry pegboard.Registry
	require.NoError(t, registry.Add(made(t, comms.SendUserFile, ch.options()), files.Write(files.WriteOptions{AllowUnread: true})))
	var executor pegboard.Executor
	for _, out := range executor.Run(t.Context(), registry.AssemblePool(s, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "SendUserFile", Input: []byte(`{"files":["a.txt"]}`)},
		pegboard.Call{ID: "2", Name: "Write", Input: []byte(`{"file_path":"a.txt","content":"two\n"}`)},
		pegboard.Call{ID: "3", Name: "SendUserFile", Input: []byte(`{"files":["a.txt"]}`)},
	) {
		require.NoError(t, out.Err)
	}
	require.Equal(t, []string{"one\n", "two\n"}, ch.contents)
}
