package languageserver_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// TestHoverOfNestedLists nests lists around a long text, each of which could be scanned anew.
func TestHoverOfNestedLists(t *testing.T) {
	nested := `{"contents":` + strings.Repeat("[", 5000) + `"` + strings.Repeat("a", 1<<20) + `"` + strings.Repeat("]", 5000) + `}`
	began := time.Now()
	with(t, &fake{on: func(r *fakeRun, m message) {
		if m.Method == "textDocument/hover" {
			r.answer(m, nested)
		}
	}}, nil, func(b bubble) {
		_, err := b.server.Hover(b.t.Context(), b.file, first)
		var refused *languageserver.ResponseError
		require.ErrorAs(b.t, err, &refused)
	})
	require.Less(t, time.Since(began), time.Minute)
}

// TestLocationsOfManyFilesEndInTime names two large files in turn, so that more would be read
// than the time of the request allows.
func TestLocationsOfManyFilesEndInTime(t *testing.T) {
	dir := t.TempDir()
	var found []string
	for i := range 5 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), bytes.Repeat([]byte("a\n"), 8<<20), 0o600))
		found = append(found, fmt.Sprintf(`{"uri":"file://%s/%d","range":{"start":{"line":%d,"character":0}}}`, filepath.ToSlash(dir), i, 8<<20-1))
	}
	answer := "[" + strings.Repeat(strings.Join(found, ",")+",", 10_000) + found[0] + "]"
	f := &fake{on: onDefinition(func(r *fakeRun, m message) { r.answer(m, answer) })}
	pool := languageserver.NewPoolWith(f.serve)
	s, err := pool.Server(languageserver.Config{Name: "fake", Command: []string{"fake"}, Languages: map[string]string{".x": "x"}, Request: time.Second}, dir)
	require.NoError(t, err)
	file := filepath.Join(dir, "a.x")
	require.NoError(t, os.WriteFile(file, []byte("a"), 0o600))
	began := time.Now()
	_, err = s.Definition(t.Context(), file, first)
	var late *languageserver.TimeoutError
	require.ErrorAs(t, err, &late)
	require.Less(t, time.Since(began), time.Minute)
	require.NoError(t, pool.Close(t.Context()))
}

// TestStartBelowALargeRootEndsInTime starts a server for the whole machine, which is the root of
// a file in its top directory.
func TestStartBelowALargeRootEndsInTime(t *testing.T) {
	pool := languageserver.NewPoolWith((&fake{}).serve)
	s, err := pool.Server(languageserver.Config{
		Name: "fake", Command: []string{"fake"}, Languages: map[string]string{"e": "any"}, Begin: time.Nanosecond,
	}, filepath.VolumeName(t.TempDir())+string(filepath.Separator))
	require.NoError(t, err)
	began := time.Now()
	file := filepath.Join(t.TempDir(), "a.e")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = s.Definition(t.Context(), file, first)
	var late *languageserver.StartError
	require.ErrorAs(t, err, &late)
	require.Less(t, time.Since(began), time.Minute)
	require.NoError(t, pool.Close(t.Context()))
}

func TestHoverIsCut(t *testing.T) {
	with(t, &fake{on: func(r *fakeRun, m message) {
		if m.Method == "textDocument/hover" {
			r.answer(m, `{"contents":"`+strings.Repeat("a", 1<<20)+`"}`)
		}
	}}, nil, func(b bubble) {
		found, err := b.server.Hover(b.t.Context(), b.file, first)
		require.NoError(b.t, err)
		require.Len(b.t, found.Text, 256<<10+len("…"))
	})
}
