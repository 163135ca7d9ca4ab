package audit_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/audit"
)

// sizes returns the sizes of a log's files, the current one first.
func sizes(t *testing.T, path string) (all []int64) {
	t.Helper()
	for i := 0; ; i++ {
		name := path
		if i > 0 {
			name = fmt.Sprintf("%s.%d", path, i)
		}
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return all
		}
		require.NoError(t, err)
		all = append(all, info.Size())
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		o     audit.Options
		found string // what stands in the file before
		lines []int  // their sizes
		want  []int64
	}{
		{name: "nothing", o: audit.Options{MaxBytes: 300}, want: []int64{0}},
		{name: "exactly full", o: audit.Options{MaxBytes: 300}, lines: []int{100, 200}, want: []int64{300}},
		{name: "one byte more", o: audit.Options{MaxBytes: 300}, lines: []int{100, 201}, want: []int64{201, 100}},
		{name: "after it was full", o: audit.Options{MaxBytes: 300}, lines: []int{100, 200, 100}, want: []int64{100, 300}},
		{name: "a line that is too long, first", o: audit.Options{MaxBytes: 300}, lines: []int{301}, want: []int64{301}},
		{name: "a line that is too long, in between", o: audit.Options{MaxBytes: 300}, lines: []int{100, 500, 100}, want: []int64{100, 500, 100}},
		{name: "the oldest goes", o: audit.Options{MaxBytes: 120, Keep: 2}, lines: []int{111, 112, 113, 114}, want: []int64{114, 113, 112}},
		{name: "one is kept", o: audit.Options{MaxBytes: 120, Keep: 1}, lines: []int{111, 112, 113}, want: []int64{113, 112}},
		{name: "five are kept by default", o: audit.Options{MaxBytes: 120}, lines: []int{111, 112, 113, 114, 115, 116, 117, 118}, want: []int64{118, 117, 116, 115, 114, 113}},
		{name: "somebody else rotates", o: audit.Options{MaxBytes: -1}, lines: []int{200, 200}, want: []int64{400}},
		{name: "added to what there is", o: audit.Options{MaxBytes: 300}, found: strings.Repeat("x", 199) + "\n", lines: []int{100, 100}, want: []int64{100, 300}},
		{name: "half a line", o: audit.Options{MaxBytes: 300}, found: strings.Repeat("x", 199), lines: []int{100}, want: []int64{300}},
		{name: "half a line and no room for its end", o: audit.Options{MaxBytes: 300}, found: strings.Repeat("x", 200), lines: []int{100}, want: []int64{100, 200}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "audit.jsonl")
			if tc.found != "" {
				require.NoError(t, os.WriteFile(path, []byte(tc.found), 0o600))
			}
			log, err := audit.Open(path, tc.o)
			require.NoError(t, err)
			for _, n := range tc.lines {
				log.Record(sized(n))
			}
			require.Equal(t, tc.want, sizes(t, path))
			require.NoError(t, log.Close())
		})
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	log, path := opened(t, audit.Options{})
	require.NoError(t, os.Truncate(path, audit.DefaultMaxBytes-200)) // zeros without an end
	log.Record(sized(199))
	require.Equal(t, []int64{audit.DefaultMaxBytes}, sizes(t, path))
	log.Record(sized(100))
	require.Equal(t, []int64{100, audit.DefaultMaxBytes}, sizes(t, path))
}

// TestHalfALine is what a crash leaves.
func TestHalfALine(t *testing.T) {
	t.Parallel()
	log, path := opened(t, audit.Options{})
	log.Record(decided("1"))
	whole := read(t, path)
	require.NoError(t, os.WriteFile(path, []byte(whole+whole[:40]), 0o600))
	log.Record(decided("2"))
	log.Record(decided("3"))
	all, torn := entries(t, path)
	require.Equal(t, 1, torn)
	require.Len(t, all, 3)
}

// TestGap is what a crash in the middle of a rotation leaves: the next rotation
// moves no more than it must.
func TestGap(t *testing.T) {
	t.Parallel()
	log, path := opened(t, audit.Options{MaxBytes: 120, Keep: 3})
	for _, n := range []int{111, 112, 113, 114} {
		log.Record(sized(n))
	}
	require.NoError(t, os.Remove(path+".2"))
	log.Record(sized(115))
	require.Equal(t, []int64{115, 114, 113, 111}, sizes(t, path))
}

func TestFileThatWasMovedAway(t *testing.T) {
	t.Parallel()
	log, path := opened(t, audit.Options{})
	log.Record(decided("1"))
	require.NoError(t, os.Rename(path, path+".old"))
	log.Record(decided("2"))
	require.NoError(t, os.Remove(path))
	log.Record(decided("3"))
	require.Equal(t, []string{"1"}, calls(t, path+".old"))
	require.Equal(t, []string{"3"}, calls(t, path))
}

func TestFilesAreTheOwners(t *testing.T) {
	t.Parallel()
	log, path := opened(t, audit.Options{MaxBytes: 120})
	log.Record(sized(100))
	log.Record(sized(100))
	for _, name := range []string{path, path + ".1"} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode(), name)
	}
}

// TestRotationThatFails writes on in the same file.
func TestRotationThatFails(t *testing.T) {
	t.Parallel()
	var told []error
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path, audit.Options{MaxBytes: 120, Keep: 1, OnError: func(err error) { told = append(told, err) }})
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(path+".1", "in the way"), 0o700))
	for _, n := range []int{111, 112, 113} {
		log.Record(sized(n))
	}
	require.Len(t, told, 2)
	require.ErrorContains(t, told[0], "audit log: rename")
	require.Zero(t, log.Lost())
	require.Len(t, calls(t, path), 3)
	require.NoError(t, os.RemoveAll(path+".1"))
	log.Record(sized(114))
	require.Equal(t, []int64{114, 111 + 112 + 113}, sizes(t, path))
	require.Equal(t, told[0], log.Close())
}

// TestFolderThatComesBack loses what is decided meanwhile, and no more.
func TestFolderThatComesBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "d")
	path := filepath.Join(dir, "audit.jsonl")
	_, err := audit.Open(path, audit.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.Mkdir(dir, 0o700))
	lost := []int{}
	var log *audit.Log
	log, err = audit.Open(path, audit.Options{OnError: func(error) { lost = append(lost, log.Lost()) }})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	log.Record(decided("1"))
	log.Record(decided("2"))
	require.Equal(t, []int{1, 2}, lost)
	require.NoError(t, os.Mkdir(dir, 0o700))
	log.Record(decided("3"))
	require.Equal(t, []string{"3"}, calls(t, path))
	err = log.Close()
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "2 decisions have no line")
	require.Equal(t, err, log.Close())
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	_, err := audit.Open(filepath.Join(t.TempDir(), "a"), audit.Options{Keep: -1})
	require.ErrorContains(t, err, "Keep is -1; use 1 or more")
	_, err = audit.Open(t.TempDir(), audit.Options{})
	require.Error(t, err)
	_, err = audit.Open(os.DevNull, audit.Options{})
	require.ErrorContains(t, err, "not a regular file")
}

// TestManyInOneProcess: several logs share a file, each used by several executors.
func TestManyInOneProcess(t *testing.T) {
	t.Parallel()
	const logs, users, each = 3, 3, 100
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var wg sync.WaitGroup
	for i := range logs {
		log, err := audit.Open(path, audit.Options{MaxBytes: 512, Keep: 1000})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, log.Close()) })
		for k := range users {
			wg.Go(func() {
				for n := range each {
					log.Record(decided(fmt.Sprintf("%d-%d:%d", i, k, n)))
				}
			})
		}
	}
	wg.Wait()
	requireAll(t, path, 512, logs*users, each)
}

// requireAll checks that each of the writers has all its lines in the log, in their
// order, and that no file is too large.
func requireAll(t *testing.T, path string, max int64, writers, each int) {
	t.Helper()
	next := map[string]int{}
	files := sizes(t, path)
	require.Greater(t, len(files), 3)
	for i := len(files) - 1; i >= 0; i-- {
		name := path
		if i > 0 {
			name = fmt.Sprintf("%s.%d", path, i)
		}
		require.LessOrEqual(t, files[i], max)
		for _, id := range calls(t, name) {
			writer, place, _ := strings.Cut(id, ":")
			require.Equal(t, fmt.Sprint(next[writer]), place, "the next line of %s", writer)
			next[writer]++
		}
	}
	require.Len(t, next, writers)
	for writer, n := range next {
		require.Equal(t, each, n, "lines of %s", writer)
	}
}

// TestFolderThatIsLeft: a log opened by a relative path stays where it was.
func TestFolderThatIsLeft(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	log, err := audit.Open("audit.jsonl", audit.Options{})
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	log.Record(decided("1"))
	require.NoError(t, log.Close())
	require.Equal(t, []string{"1"}, calls(t, filepath.Join(dir, "audit.jsonl")))
}

func BenchmarkRecord(b *testing.B) {
	log, err := audit.Open(filepath.Join(b.TempDir(), "audit.jsonl"), audit.Options{MaxBytes: 1 << 20})
	require.NoError(b, err)
	e := decided("toolu_01A09q90qw90lq917835lq9")
	for b.Loop() {
		log.Record(e)
	}
	require.NoError(b, log.Close())
}
