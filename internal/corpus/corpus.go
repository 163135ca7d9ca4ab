// Package corpus gives tests access to outside data that is never committed.
//
// The data is in folders of one layout, listed in the environment variable
// PEGBOARD_CORPUS the way PATH lists folders. A test gets the folders from [Folders], reads
// their files with [Summary], and prints its result for each with [Report]. The package is
// for tests alone; no shipped code imports it.
package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Variable names the environment variable that lists the corpus folders.
const Variable = "PEGBOARD_CORPUS"

// Folders returns the corpus folders in the order they are listed, each as a
// clean absolute path. Folders that hold the same files with the same bytes are
// returned once, as the first of them.
//
// parts are subfolders that the test needs: listed folders without one of them are left
// out.
//
// Without any such folder the test is skipped. A folder that is relative,
// missing, or not a folder fails the test: tests run in their package's folder,
// so a relative path would name something else in each of them.
func Folders(t testing.TB, parts ...string) []string {
	t.Helper()
	var kept []listing
	for _, folder := range filepath.SplitList(os.Getenv(Variable)) {
		if folder == "" {
			continue
		}
		if err := checkFolder(folder); err != nil {
			t.Fatalf("%s: %v", Variable, err)
		}
		next, err := list(filepath.Clean(folder))
		if err != nil {
			t.Fatalf("%s: %v", Variable, err)
		}
		known, err := next.isAmong(kept)
		if err != nil {
			t.Fatalf("%s: %v", Variable, err)
		}
		if !known && holds(folder, parts) {
			kept = append(kept, next)
		}
	}
	if len(kept) == 0 {
		t.Skipf("%s lists no folder: the part of %s that reads outside data is skipped", Variable, t.Name())
	}
	folders := make([]string, len(kept))
	for i, l := range kept {
		folders[i] = l.folder
	}
	return folders
}

// holds reports whether a folder has all of the subfolders.
func holds(folder string, parts []string) bool {
	for _, part := range parts {
		if info, err := os.Stat(filepath.Join(folder, part)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func checkFolder(folder string) error {
	if !filepath.IsAbs(folder) {
		return fmt.Errorf("%q is relative; list absolute folders", folder)
	}
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%q is not a folder", folder)
	}
	return nil
}

// Lines yields the lines of the file at path with their numbers, counted from 1.
// Lines may be of any length; their ends (LF or CRLF) are cut off and empty
// lines left out. The caller may keep each slice. A file that cannot be read
// fails the test, so the loop must run in the test's own goroutine.
func Lines(t testing.TB, path string) iter.Seq2[int, []byte] {
	t.Helper()
	return func(yield func(int, []byte) bool) {
		t.Helper()
		file, err := os.Open(path)
		if err != nil {
			t.Fatalf("corpus: %v", err)
		}
		defer func() { _ = file.Close() }() // read only: nothing to lose
		reader := bufio.NewReader(file)
		for number := 1; ; number++ {
			line, err := reader.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				t.Fatalf("corpus: %v", err)
			}
			text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			if len(text) > 0 && !yield(number, text) {
				return
			}
			if err != nil {
				return
			}
		}
	}
}

// Report prints one result line for a corpus folder to standard output: the
// folder's path, the test's name and the formatted text. Line breaks in the text
// become spaces, so that a result stays one line.
func Report(t testing.TB, folder, format string, args ...any) {
	t.Helper()
	text := strings.Join(strings.FieldsFunc(fmt.Sprintf(format, args...), isBreak), " ")
	if _, err := fmt.Fprintf(os.Stdout, "%s: %s: %s\n", folder, t.Name(), text); err != nil {
		t.Errorf("standard output: %v", err)
	}
}

func isBreak(r rune) bool { return r == '\n' || r == '\r' }
