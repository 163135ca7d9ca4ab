package corpus_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
)

// recorder stands in for a test and keeps how it ended.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()      {}
func (r *recorder) Name() string { return "TestRecorded" }

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// record runs f as a test would run: in a goroutine that Skipf and Fatalf end.
func record(f func(t testing.TB)) *recorder {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return root
}

// requireFolders fails where Folders would end the test early: a skip must not
// pass for success.
func requireFolders(t *testing.T, want []string) {
	t.Helper()
	var got []string
	r := record(func(t testing.TB) { got = corpus.Folders(t) })
	require.Empty(t, r.skipped)
	require.Empty(t, r.failed)
	require.Equal(t, want, got)
}

func TestFolders(t *testing.T) {
	one := folder(t, map[string]string{"a/x.jsonl": "1\n", "b.jsonl": "2\n"})
	same := folder(t, map[string]string{"b.jsonl": "2\n", "a/x.jsonl": "1\n"})
	otherByte := folder(t, map[string]string{"a/x.jsonl": "9\n", "b.jsonl": "2\n"})
	otherName := folder(t, map[string]string{"a/y.jsonl": "1\n", "b.jsonl": "2\n"})
	longer := folder(t, map[string]string{"a/x.jsonl": "1\n", "b.jsonl": "2\n", "c": ""})

	tests := []struct {
		name string
		list []string
		want []string
	}{
		{name: "one", list: []string{one}, want: []string{one}},
		{name: "order is kept", list: []string{longer, one}, want: []string{longer, one}},
		{name: "same path twice", list: []string{one, one + "/"}, want: []string{one}},
		{name: "equal bytes", list: []string{one, same, longer}, want: []string{one, longer}},
		{name: "the first of equals stays", list: []string{same, one}, want: []string{same}},
		{name: "equal sizes, other bytes", list: []string{one, otherByte}, want: []string{one, otherByte}},
		{name: "equal bytes, other name", list: []string{one, otherName}, want: []string{one, otherName}},
		{name: "path is cleaned", list: []string{one + "/a/.."}, want: []string{one}},
		{name: "empty entries are left out", list: []string{"", one, ""}, want: []string{one}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(corpus.Variable, strings.Join(tt.list, string(filepath.ListSeparator)))
			requireFolders(t, tt.want)
		})
	}
}

func TestFoldersWithParts(t *testing.T) {
	both := folder(t, map[string]string{"a/x": "1\n", "b/x": "1\n"})
	one := folder(t, map[string]string{"a/x": "1\n", "b": "a file\n"})
	t.Setenv(corpus.Variable, strings.Join([]string{one, both}, string(filepath.ListSeparator)))
	require.Equal(t, []string{one, both}, corpus.Folders(t, "a"))
	require.Equal(t, []string{both}, corpus.Folders(t, "a", "b"))
}

func TestFoldersFollowsALinkToAFolder(t *testing.T) {
	one := folder(t, map[string]string{"x.jsonl": "1\n"})
	other := folder(t, map[string]string{"x.jsonl": "2\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(one, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	t.Setenv(corpus.Variable, strings.Join([]string{link, other, one}, string(filepath.ListSeparator)))
	requireFolders(t, []string{link, other})
}

func TestFoldersSkipsWithoutAList(t *testing.T) {
	for _, list := range []string{"", string(filepath.ListSeparator)} {
		t.Setenv(corpus.Variable, list)
		r := record(func(t testing.TB) { corpus.Folders(t) })
		require.Empty(t, r.failed)
		require.Equal(t, "PEGBOARD_CORPUS lists no folder: the part of TestRecorded that reads outside data is skipped", r.skipped)
	}
}

func TestFoldersFailsOnABadEntry(t *testing.T) {
	good := folder(t, map[string]string{"x.jsonl": "1\n"})
	tests := []struct {
		name, entry, want string
	}{
		{name: "missing", entry: filepath.Join(good, "absent"), want: "absent"},
		{name: "a file", entry: filepath.Join(good, "x.jsonl"), want: "is not a folder"},
		{name: "relative", entry: "testdata", want: "is relative; list absolute folders"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(corpus.Variable, good+string(filepath.ListSeparator)+tt.entry)
			r := record(func(t testing.TB) { corpus.Folders(t) })
			require.Empty(t, r.skipped)
			require.Contains(t, r.failed, corpus.Variable)
			require.Contains(t, r.failed, tt.want)
		})
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	path := filepath.Join(folder(t, map[string]string{"rows.jsonl": "a\r\n\n" + long + "\nlast"}), "rows.jsonl")
	got := map[int]string{}
	for number, line := range corpus.Lines(t, path) {
		got[number] = string(line)
	}
	require.Equal(t, map[int]string{1: "a", 3: long, 4: "last"}, got)
}

func TestLinesMayBeKeptAndStopped(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t, map[string]string{"rows.jsonl": "a\nb\nc\n"}), "rows.jsonl")
	var kept [][]byte
	for number, line := range corpus.Lines(t, path) {
		kept = append(kept, line)
		if number == 2 {
			break
		}
	}
	require.Equal(t, [][]byte{[]byte("a"), []byte("b")}, kept)
}

func TestLinesFailsOnAMissingFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "absent.jsonl")
	r := record(func(t testing.TB) {
		for range corpus.Lines(t, path) {
			t.Fatalf("yielded a line of a missing file")
		}
	})
	require.Contains(t, r.failed, "absent.jsonl")
}

func TestReportPrintsOneLine(t *testing.T) {
	printed, err := os.CreateTemp(t.TempDir(), "stdout")
	require.NoError(t, err)
	stdout := os.Stdout
	os.Stdout = printed
	corpus.Report(t, "/data/one", "%d of %d\nagree\r\n", 3, 4)
	os.Stdout = stdout

	_, err = printed.Seek(0, io.SeekStart)
	require.NoError(t, err)
	got, err := io.ReadAll(printed)
	require.NoError(t, err)
	require.NoError(t, printed.Close())
	require.Equal(t, "/data/one: TestReportPrintsOneLine: 3 of 4 agree\n", string(got))
}
