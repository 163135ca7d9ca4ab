package results_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	s, stored := kept(t, "one\ntwo\n")
	require.NoError(t, tooltest.Checker{Session: s}.Check(results.Read(results.Options{}),
		fmt.Sprintf(`{"ref":%q}`, stored.Ref), fmt.Sprintf(`{"ref":%q,"offset":4,"limit":10,"pattern":"t.o"}`, stored.Path)))
}

func TestAPathWillDo(t *testing.T) {
	t.Parallel()
	s, stored := kept(t, "one\n")
	for _, ref := range []string{stored.Ref, stored.Path, `C:\results\` + stored.Ref} {
		_, text, out := read(t, s, results.Options{}, fields{"ref": ref})
		require.Equal(t, "one\n", text)
		require.Equal(t, stored.Ref, out.Ref)
	}
}

// TestFarAway does not count what it passes over.
func TestFarAway(t *testing.T) {
	t.Parallel()
	store, err := pegboard.NewDirStore(t.TempDir(), "s", pegboard.DirOptions{MaxFile: -1})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	const size = 64<<20 + 8
	stored, err := store.Put(t.Context(), "1", "text/plain", io.LimitReader(endless{}, size))
	require.NoError(t, err)
	s := sessionWith(t, store)
	notice, text, _ := read(t, s, results.Options{}, fields{"ref": stored.Ref, "offset": size - 4})
	require.Equal(t, fmt.Sprintf("[Result %s: bytes %d to %d of %d, lines: 2. This is its end.]", stored.Ref, size-4, size, size), notice)
	require.Equal(t, "x\nx\n", text)
	notice, _, _ = read(t, s, results.Options{}, fields{"ref": stored.Ref, "offset": 64 << 20})
	require.Contains(t, notice, fmt.Sprintf("lines %d to %d.", 32<<20+1, 32<<20+4))
}

// endless is lines of one x.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	n := len(p) &^ 1
	for i := 0; i < n; i += 2 {
		p[i], p[i+1] = 'x', '\n'
	}
	return n, nil
}

func TestErrors(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"mem:/1": "one\ntwo\nthree\n"}
	tests := []struct {
		name  string
		store pegboard.ResultStore
		in    fields
		want  []string
	}{
		{name: "unknown", store: memory{texts: texts}, in: fields{"ref": "mem:/2"}, want: []string{`no result is kept under "mem:/2"`, "exactly as its notice gives it", "made room", "run again the tool"}},
		{name: "the store cannot open", store: memory{texts: texts, opens: errLine}, in: fields{"ref": "mem:/1"}, want: []string{"cannot open", "try once more", errLine.Error()}},
		{name: "the store cannot read", store: memory{texts: texts, breaks: 6}, in: fields{"ref": "mem:/1"}, want: []string{"behind byte 6", "ask for less", errLine.Error()}},
		{name: "nor search", store: memory{texts: texts, breaks: 6}, in: fields{"ref": "mem:/1", "pattern": "e"}, want: []string{"behind byte 6", errLine.Error()}},
		{name: "nor get there", store: memory{texts: texts, breaks: 6}, in: fields{"ref": "mem:/1", "offset": 8}, want: []string{"behind byte 6", errLine.Error()}},
		{name: "no regular expression", store: memory{texts: texts}, in: fields{"ref": "mem:/1", "pattern": "(?=x)"}, want: []string{"RE2", "escape"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := call(t.Context(), t, sessionWith(t, tt.store), results.Options{}, tt.in)
			require.Error(t, out.Err)
			require.True(t, out.Result.IsError)
			for _, want := range tt.want {
				require.Contains(t, out.Result.Text(), want)
			}
		})
	}
	_, _, out := read(t, sessionWith(t, memory{texts: texts, breaks: 6}), results.Options{}, fields{"ref": "mem:/1", "limit": 4})
	require.Equal(t, "one\n", out.Content, "what is before the error can be read")
}

func TestOthersCannotBeRead(t *testing.T) {
	t.Parallel()
	s, stored := kept(t, "one\n")
	other, err := pegboard.NewDirStore(filepath.Dir(filepath.Dir(stored.Path)), "other", pegboard.DirOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	theirs, err := other.Put(t.Context(), "call_2", "text/plain", strings.NewReader("secret"))
	require.NoError(t, err)
	for _, ref := range []string{theirs.Ref, theirs.Path, "../other/" + theirs.Ref, ".spool-size", "/etc/passwd"} {
		out := call(t.Context(), t, s, results.Options{}, fields{"ref": ref})
		require.Error(t, out.Err)
		require.Contains(t, out.Result.Text(), "no result is kept")
	}
}

// TestItIsNotStoredAgain although it is longer than any result may be.
func TestItIsNotStoredAgain(t *testing.T) {
	t.Parallel()
	s, stored := kept(t, strings.Repeat("0123456789\n", 10_000))
	_, text, _ := read(t, s, results.Options{MaxBytes: 100_000}, fields{"ref": stored.Ref})
	require.Greater(t, len(text), 99_000)
	found, err := filepath.Glob(filepath.Join(filepath.Dir(stored.Path), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{stored.Path}, withoutHidden(found))
}

func withoutHidden(paths []string) (shown []string) {
	for _, p := range paths {
		if !strings.HasPrefix(filepath.Base(p), ".") {
			shown = append(shown, p)
		}
	}
	return shown
}

func TestNoPromptInAnyModeButAsk(t *testing.T) {
	t.Parallel()
	store := memory{texts: map[string]string{"r": "one\n"}}
	for _, mode := range []pegboard.Mode{pegboard.ModeDefault, pegboard.ModePlan, pegboard.ModeDeny, pegboard.ModeAcceptEdits} {
		perms, err := pegboard.NewPermissions(mode)
		require.NoError(t, err)
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Results: store, Permissions: perms})
		require.NoError(t, err)
		out := call(t.Context(), t, s, results.Options{}, fields{"ref": "r"})
		require.NoError(t, out.Err, mode)
		require.NoError(t, s.Close(context.Background()))
	}
}

// stalling is a result that has no end. It ends a call after some of it.
type stalling struct {
	memory
	cancel context.CancelCauseFunc
}

var errEnough = errors.New("enough")

func (s stalling) Open(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(&fuse{left: 1 << 20, burn: func() { s.cancel(errEnough) }}), nil
}

type fuse struct {
	left int
	burn func()
}

func (f *fuse) Read(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		f.burn()
	}
	return endless{}.Read(p)
}

func TestItCanBeStopped(t *testing.T) {
	t.Parallel()
	for _, in := range []fields{{"ref": "r", "offset": 1 << 30}, {"ref": "r", "pattern": "y"}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		out := call(ctx, t, sessionWith(t, stalling{cancel: cancel}), results.Options{}, in)
		require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
	}
}

func TestTheNoticeNamesTheTool(t *testing.T) {
	t.Parallel()
	store, err := pegboard.NewDirStore(t.TempDir(), "s", pegboard.DirOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Results: store, Limits: pegboard.ResultLimits{ReadMoreHint: results.ReadMoreHint}})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(context.Background())) }()
	long := strings.Repeat("0123456789\n", 5_000)
	first := tooltest.Run(t.Context(), telling(long), s, `{}`)
	notice, shown, _ := strings.Cut(first.Result.Text(), "\n")
	require.Contains(t, notice, results.ReadMoreHint)
	_, text, _ := read(t, s, results.Options{}, fields{"ref": first.Result.Parts[0].Ref, "offset": len(shown) + 1})
	require.True(t, strings.HasPrefix(long, shown+"\n"+text), "it goes on where the preview ends")
}

// A unit test that calls the tool directly gets an error, not a panic.
func TestCallWithoutASessionIsAnError(t *testing.T) {
	t.Parallel()
	tool := results.Read(results.Options{})
	require.NotPanics(t, func() {
		_, err := tool.Call(t.Context(), &pegboard.Call{ID: "1", Name: "ReadResult", Input: []byte(`{"ref":"x"}`)})
		require.Error(t, err)
	})
}
