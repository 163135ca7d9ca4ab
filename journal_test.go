package pegboard_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func fileJournal(t testing.TB, dir string) *pegboard.FileJournal {
	t.Helper()
	j, err := pegboard.NewFileJournal(dir)
	require.NoError(t, err)
	return j
}

func entry(turn string, place int, state pegboard.JournalState) pegboard.JournalEntry {
	return pegboard.JournalEntry{Session: "s", Turn: turn, Place: place, Tool: "T", State: state, Data: json.RawMessage(`{"a":"<1>"}`), Time: time.Unix(1, 5).UTC(), Signature: "x"}
}

// journalFile returns the only file of a journal.
func journalFile(t testing.TB, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return files[0]
}

// TestFileJournalIgnoresATornTail cuts the last line at each of its bytes. The entry before is
// there, and the next one can be added.
func TestFileJournalIgnoresATornTail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := fileJournal(t, dir)
	require.NoError(t, j.Append(t.Context(), entry("t", 0, pegboard.JournalProposed)))
	require.NoError(t, j.Append(t.Context(), entry("t", 0, pegboard.JournalDecided)))
	path := journalFile(t, dir)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	first := strings.Index(string(whole), "\n") + 1
	for cut := first; cut < len(whole); cut++ {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		entries, err := j.Entries(t.Context(), "s", "t")
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.NoError(t, j.Append(t.Context(), entry("t", 0, pegboard.JournalDecided)))
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(whole), string(now))
	}
	entries, err := j.Entries(t.Context(), "s", "t")
	require.NoError(t, err)
	require.Equal(t, []pegboard.JournalEntry{entry("t", 0, pegboard.JournalProposed), entry("t", 0, pegboard.JournalDecided)}, entries)
	require.ErrorIs(t, j.Append(t.Context(), entry("t", 0, pegboard.JournalDecided)), pegboard.ErrDuplicate)
	next := entry("t", 0, pegboard.JournalDecided)
	next.Attempt = 1
	require.NoError(t, j.Append(t.Context(), next))
	require.NoError(t, os.WriteFile(path, append([]byte("{\n"), whole...), 0o600))
	_, err = j.Entries(t.Context(), "s", "t")
	require.ErrorIs(t, err, pegboard.ErrJournal, "a line in the middle is no torn tail")
	require.ErrorIs(t, j.Append(t.Context(), next), pegboard.ErrJournal)
	none, err := j.Entries(t.Context(), "s", "other")
	require.NoError(t, err)
	require.Empty(t, none)
}

// TestFileJournalSweeps removes old turns alone.
func TestFileJournalSweeps(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "for it")
	j := fileJournal(t, dir)
	require.NoError(t, j.Append(t.Context(), entry("old", 0, pegboard.JournalProposed)))
	old := journalFile(t, dir)
	require.NoError(t, os.Chtimes(old, time.Time{}, time.Now().Add(-time.Hour)))
	require.NoError(t, j.Append(t.Context(), entry("new", 0, pegboard.JournalProposed)))
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	require.NoError(t, os.Chtimes(other, time.Time{}, time.Now().Add(-time.Hour)))
	require.NoError(t, j.Sweep(time.Now().Add(-time.Minute)))
	require.NoFileExists(t, old)
	require.FileExists(t, other)
	entries, err := j.Entries(t.Context(), "s", "new")
	require.NoError(t, err)
	require.Len(t, entries, 1)
	_, err = pegboard.NewFileJournal(other)
	require.ErrorIs(t, err, pegboard.ErrJournal)
}

// journalOfTest names the variable that makes the test binary add entries to a journal.
const journalOfTest = "PEGBOARD_TEST_JOURNAL"

// TestFileJournalOfManyProcesses has processes and goroutines race for the same steps. Each step
// is won once, and no entry is lost.
func TestFileJournalOfManyProcesses(t *testing.T) {
	if dir := os.Getenv(journalOfTest); dir != "" {
		won := raceForSteps(t, fileJournal(t, dir))
		fmt.Printf("won %d\n", won)
		return
	}
	t.Parallel()
	dir := t.TempDir()
	program, err := os.Executable()
	require.NoError(t, err)
	var all sync.WaitGroup
	wins := make([]int, 4)
	for i := range 3 {
		other := exec.CommandContext(t.Context(), program, "-test.run=^TestFileJournalOfManyProcesses$", "-test.count=1")
		other.Env = append(os.Environ(), journalOfTest+"="+dir)
		out, err := other.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, other.Start())
		all.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				_, _ = fmt.Sscanf(lines.Text(), "won %d", &wins[i])
			}
			_ = other.Wait()
		})
	}
	wins[3] = raceForSteps(t, fileJournal(t, dir))
	all.Wait()
	total := 0
	for _, n := range wins {
		total += n
	}
	require.Equal(t, raceSteps, total)
	entries, err := fileJournal(t, dir).Entries(t.Context(), "s", "t")
	require.NoError(t, err)
	require.Len(t, entries, raceSteps)
}

const raceSteps = 60

// raceForSteps tries to add each step, from two goroutines, and returns how many it has added.
func raceForSteps(t *testing.T, j *pegboard.FileJournal) (won int) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for place := range raceSteps {
				err := j.Append(context.Background(), entry("t", place, pegboard.JournalStarted))
				mu.Lock()
				if err == nil {
					won++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return won
}
