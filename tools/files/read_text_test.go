package files_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// long is longer than a notice.
var long = strings.Repeat("a line that is not short\n", 100)

func TestReadSaysUnchangedOnce(t *testing.T) {
	t.Parallel()
	again := func(*testing.T, *ground, string) {}
	tests := []struct {
		name    string
		opts    files.ReadOptions
		text    string
		first   map[string]any
		between func(t *testing.T, g *ground, path string)
		second  map[string]any
		notice  bool
	}{
		{name: "the same again", text: long, between: again, notice: true},
		{name: "the same window", text: long, first: map[string]any{"offset": 5, "limit": 50}, between: again, second: map[string]any{"offset": 5, "limit": 50}, notice: true},
		{name: "all lines by number", text: long, between: again, second: map[string]any{"limit": 100}, notice: true},
		{name: "another window", text: long, between: again, second: map[string]any{"offset": 2}},
		{name: "a short text", text: "short\n", between: again},
		{name: "turned off", opts: files.ReadOptions{}.With(files.ReadLimits{Again: true}), text: long, between: again},
		{name: "changed", text: long, between: func(t *testing.T, g *ground, _ string) {
			t.Helper()
			g.put(t, "f", strings.Replace(long, "short", "brief", 1))
		}},
		{name: "changed without a trace in size and time", text: long, between: func(t *testing.T, g *ground, path string) {
			t.Helper()
			fi, err := os.Stat(path)
			require.NoError(t, err)
			g.put(t, "f", strings.Replace(long, "short", "brief", 1))
			require.NoError(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
		}},
		{name: "touched", text: long, between: func(t *testing.T, _ *ground, path string) {
			t.Helper()
			require.NoError(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		}},
		{name: "replaced by an equal one", text: long, between: func(t *testing.T, g *ground, path string) {
			t.Helper()
			fi, err := os.Stat(path)
			require.NoError(t, err)
			require.NoError(t, os.Rename(path, path+".old"))
			g.put(t, "f", long)
			require.NoError(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
		}},
		{name: "forgotten", text: long, between: func(_ *testing.T, g *ground, _ string) { reads.Of(g.session).Forget() }},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(tc.opts))
			path := g.put(t, "f", tc.text)
			call := func(window map[string]any) pegboard.Outcome {
				input := map[string]any{"file_path": path}
				for k, v := range window {
					input[k] = v
				}
				out := g.call(t.Context(), t, "Read", input)
				require.NoError(t, out.Err)
				return out
			}
			readText(t, call(tc.first))
			tc.between(t, g, path)
			out := call(tc.second)
			if !tc.notice {
				readText(t, out)
				return
			}
			require.Equal(t, "["+path+" has not changed since you read this part of it: the text above still holds. If you cannot see it any more, send the same call once more.]", out.Result.Text())
			data, ok := out.Result.Data.(files.ReadOutput)
			require.True(t, ok)
			require.Equal(t, "file_unchanged", data.Type)
			require.NotEqual(t, reads.Unread, reads.Of(g.session).Knowledge(path, []byte(tc.text)))
			require.Contains(t, readText(t, call(tc.second)).Content, "a line that is not short")
		})
	}
}

// TestForkIsShownWhatItsParentRead reads a file that only the parent has seen:
// the text may not stand in the conversation of the fork.
func TestForkIsShownWhatItsParentRead(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	path := g.put(t, "f", long)
	g.read(t, map[string]any{"file_path": path})
	fork, err := g.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	require.NoError(t, err)
	child := *g
	child.session = fork
	child.read(t, map[string]any{"file_path": path})
	out := child.call(t.Context(), t, "Read", map[string]any{"file_path": path})
	require.Contains(t, out.Result.Text(), "has not changed")
}

// TestReadRemembersHowMuchItShowed says what an edit may rely on.
func TestReadRemembersHowMuchItShowed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		opts  files.ReadOptions
		text  string
		input map[string]any
		want  reads.Knowledge
		whole bool
	}{
		{name: "all", text: long, want: reads.Current, whole: true},
		{name: "empty", text: "", want: reads.Current, whole: true},
		{name: "a window", text: long, input: map[string]any{"offset": 2, "limit": 3}, want: reads.Current},
		{name: "cut by lines", opts: files.ReadOptions{}.With(files.ReadLimits{Lines: 5}), text: long, want: reads.Truncated},
		{name: "cut by tokens", opts: files.ReadOptions{MaxTokens: 50}, text: long, want: reads.Truncated},
		{name: "cut by bytes", opts: files.ReadOptions{}.With(files.ReadLimits{Bytes: 100}), text: long, want: reads.Truncated},
		{name: "a window cut by bytes", opts: files.ReadOptions{}.With(files.ReadLimits{Bytes: 100}), text: long, input: map[string]any{"limit": 50}, want: reads.Truncated},
		{name: "the rest, cut by lines", opts: files.ReadOptions{}.With(files.ReadLimits{Lines: 5}), text: long, input: map[string]any{"offset": 2}, want: reads.Truncated},
		{name: "the end", opts: files.ReadOptions{}.With(files.ReadLimits{Lines: 5}), text: long, input: map[string]any{"offset": 98}, want: reads.Current},
		{name: "a line that was cut", opts: files.ReadOptions{}.With(files.ReadLimits{LineLength: 5}), text: long, want: reads.Current},
		{name: "past the end", text: long, input: map[string]any{"offset": 1000}, want: reads.Unread},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(tc.opts))
			input := map[string]any{"file_path": g.put(t, "f", tc.text)}
			for k, v := range tc.input {
				input[k] = v
			}
			g.read(t, input)
			state := reads.Of(g.session)
			path, ok := input["file_path"].(string)
			require.True(t, ok)
			require.Equal(t, tc.want, state.Knowledge(path, []byte(tc.text)))
			require.Equal(t, tc.whole, state.SeenWhole(path, []byte(tc.text)))
		})
	}
}
