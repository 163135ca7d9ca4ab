package spool_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/spool"
)

const (
	roleName = "SPOOL_TEST_ROLE" // what the test binary does instead of testing
	rootName = "SPOOL_TEST_ROOT" // in which root
	sizeName = "SPOOL_TEST_SIZE" // with how many bytes
)

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleName); ok {
		size, _ := strconv.ParseInt(os.Getenv(sizeName), 10, 64)
		if err := play(role, os.Getenv(rootName), size); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play makes the test binary a program that writes a stream or stores some.
func play(role, root string, size int64) error {
	switch role {
	case "print":
		block := []byte(strings.Repeat(strings.Repeat("x", 63)+"\n", 1<<10))
		for ; size > 0; size -= int64(len(block)) {
			if _, err := os.Stdout.Write(block[:min(size, int64(len(block)))]); err != nil {
				return err
			}
		}
		return nil
	case "store for ever":
		d, err := spool.Open(root, "killed", spool.Options{MaxSession: 3 * size, MaxTotal: 8 * size, SweepEvery: -1})
		if err != nil {
			return err
		}
		for i := 0; ; i++ {
			if _, err := storeOwn(d, i, size); err != nil {
				return err
			}
			if i == 0 {
				fmt.Println("ready")
			}
		}
	case "store some 0", "store some 1":
		d, err := spool.Open(root, role, spool.Options{MaxSession: 6 * size, MaxTotal: 9 * size})
		if err != nil {
			return err
		}
		for i := range storedByEach {
			if _, err := storeOwn(d, i, size); err != nil {
				return err
			}
		}
		return d.Close()
	}
	return nil
}

// storedByEach is how many streams a process stores.
const storedByEach = 40

// storeOwn stores a stream that tells its own length: equal numbered lines.
func storeOwn(d *spool.Dir, i int, size int64) (spool.Entry, error) {
	id := fmt.Sprintf("%d-%d", os.Getpid(), i)
	size -= rand.Int64N(size / 2)
	line := fmt.Sprintf("%12d %s\n", size, id)
	text := strings.NewReader(strings.Repeat(line, int(size)/len(line)+1)[:size])
	return d.Put(context.Background(), id, "txt", text)
}

// unlimited are options under which nothing goes by itself.
func unlimited() spool.Options {
	return spool.Options{MaxFile: -1, MaxSession: -1, MaxTotal: -1, Retention: -1, SweepEvery: -1}
}

// open opens a session of a root, which is the test's own if it is "".
func open(t testing.TB, root, session string, o spool.Options) *spool.Dir {
	t.Helper()
	if root == "" {
		root = t.TempDir()
	}
	d, err := spool.Open(root, session, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func put(t testing.TB, d *spool.Dir, id, text string) spool.Entry {
	t.Helper()
	e, err := d.Put(t.Context(), id, "txt", strings.NewReader(text))
	require.NoError(t, err)
	return e
}

// content reads an entry as callers do.
func content(t testing.TB, d *spool.Dir, ref string) string {
	t.Helper()
	f, err := d.Open(ref)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	data, err := io.ReadAll(f)
	require.NoError(t, err)
	return string(data)
}

// names returns what is in a directory, without the ledgers.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	found := []string{}
	for _, e := range entries {
		if n := e.Name(); n != ".spool-size" && n != ".spool-total" && n != ".spool-swept" {
			found = append(found, n)
		}
	}
	return found
}

// sizeOf is how many bytes there are in the files of a folder that are no ledgers.
func sizeOf(t testing.TB, dir string) (size int64) {
	t.Helper()
	for _, name := range names(t, dir) {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err == nil {
			size += info.Size()
		}
	}
	return size
}

// ledger returns what a ledger says.
func ledger(t testing.TB, path string) int64 {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	count, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	require.NoError(t, err)
	return count
}
