package files_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func newGrepGround(t testing.TB, cfg pegboard.SessionConfig, o files.GrepOptions) *ground {
	t.Helper()
	return newGround(t, cfg, files.Grep(o))
}

func TestGrepShows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		input map[string]any
		want  string
	}{
		{name: "files by default", input: map[string]any{"pattern": "one"}, want: ".hidden\na.txt\nsub/b.go"},
		{name: "content", input: map[string]any{"pattern": "one", "output_mode": "content"}, want: ".hidden:1:one\na.txt:1:one two\na.txt:5:one\nsub/b.go:1:one\nsub/b.go:2:One, one"},
		{name: "no numbers", input: map[string]any{"pattern": "One", "output_mode": "content", "-n": false}, want: "sub/b.go:One, one"},
		{name: "count", input: map[string]any{"pattern": "one", "output_mode": "count"}, want: ".hidden:1\na.txt:2\nsub/b.go:2\n[5 matches in 3 files.]"},
		{name: "count in one file", input: map[string]any{"pattern": "four", "output_mode": "count"}, want: "a.txt:1\n[1 match in 1 file.]"},
		{name: "ignore case", input: map[string]any{"pattern": "ONE", "-i": true}, want: ".hidden\na.txt\nsub/b.go"},
		{name: "only", input: map[string]any{"pattern": "[Oo]ne", "output_mode": "content", "-o": true, "glob": "*.go"}, want: "sub/b.go:1:one\nsub/b.go:2:One\nsub/b.go:2:one"},
		{name: "context", input: map[string]any{"pattern": "one", "output_mode": "content", "context": 1, "path": "a.txt"}, want: "a.txt:1:one two\na.txt-2-three\n--\na.txt-4-four\na.txt:5:one"},
		{name: "before", input: map[string]any{"pattern": "four", "output_mode": "content", "-B": 1}, want: "a.txt-3-\na.txt:4:four"},
		{name: "after wins over -C", input: map[string]any{"pattern": "three", "output_mode": "content", "-C": 1, "-A": 2}, want: "a.txt-1-one two\na.txt:2:three\na.txt-3-\na.txt-4-four"},
		{name: "groups of two files", input: map[string]any{"pattern": "four|One", "output_mode": "content", "-B": 1}, want: "a.txt-3-\na.txt:4:four\n--\nsub/b.go-1-one\nsub/b.go:2:One, one"},
		{name: "glob", input: map[string]any{"pattern": "one", "glob": "*.{go,rs}"}, want: "sub/b.go"},
		{name: "glob that leaves out", input: map[string]any{"pattern": "one", "glob": "!*.txt"}, want: ".hidden\nsub/b.go"},
		{name: "type", input: map[string]any{"pattern": "one", "type": "go"}, want: "sub/b.go"},
		{name: "path", input: map[string]any{"pattern": "one", "path": "sub"}, want: "sub/b.go"},
		{name: "a file that is ignored", input: map[string]any{"pattern": "one", "path": "ignored.log"}, want: "ignored.log"},
		{name: "multiline", input: map[string]any{"pattern": "two.three", "multiline": true, "output_mode": "content"}, want: "a.txt:1:one two\na.txt:2:three"},
		{name: "carriage return before the end", input: map[string]any{"pattern": "dos$", "output_mode": "content"}, want: "dos.txt:1:dos"},
		{name: "only, before a carriage return", input: map[string]any{"pattern": `\w+$`, "output_mode": "content", "-o": true, "path": "dos.txt"}, want: "dos.txt:1:dos"},
		{name: "fixed text", input: map[string]any{"pattern": "One, o[n](e)*", "fixed_strings": true}, want: "No files found"},
		{name: "fixed text with a dot", input: map[string]any{"pattern": "one.two", "fixed_strings": true}, want: "No files found"},
		{name: "fixed text in lower case", input: map[string]any{"pattern": "ONE,", "fixed_strings": true, "-i": true}, want: "sub/b.go"},
		{name: "list of globs", input: map[string]any{"pattern": "one", "glob": "*.go,*.txt"}, want: "a.txt\nsub/b.go"},
		{name: "list of globs with blanks", input: map[string]any{"pattern": "one", "glob": "*.go *.txt"}, want: "a.txt\nsub/b.go"},
		{name: "list of globs, one that leaves out", input: map[string]any{"pattern": "one", "glob": "*.go, *.txt, !a.*"}, want: "sub/b.go"},
		{name: "glob with a comma in a name", input: map[string]any{"pattern": "comma", "glob": "c,d.md"}, want: "c,d.md"},
		{name: "absolute glob", input: map[string]any{"pattern": "one", "glob": "{{dir}}/sub/*.go"}, want: "sub/b.go"},
		{name: "absolute glob below a path", input: map[string]any{"pattern": "one", "glob": "{{dir}}/sub/*.go", "path": "sub"}, want: "sub/b.go"},
		{name: "absolute glob that leaves out", input: map[string]any{"pattern": "one", "glob": "!{{dir}}/sub/**"}, want: ".hidden\na.txt"},
		{name: "glob from the working directory below a path", input: map[string]any{"pattern": "one", "glob": "sub/**/*.go", "path": "sub"}, want: "sub/b.go"},
		{name: "glob with ./", input: map[string]any{"pattern": "one", "glob": "./*.txt"}, want: "a.txt"},
		{name: "exclude", input: map[string]any{"pattern": "one", "exclude": "*.go,.hidden"}, want: "a.txt"},
		{name: "exclude a directory", input: map[string]any{"pattern": "one", "exclude": "sub/"}, want: ".hidden\na.txt"},
		{name: "exclude with a !", input: map[string]any{"pattern": "one", "exclude": "!*.txt"}, want: ".hidden\nsub/b.go"},
		{name: "glob and exclude", input: map[string]any{"pattern": "one", "glob": "*.{go,txt}", "exclude": "{{dir}}/sub"}, want: "a.txt"},
		{name: "paths", input: map[string]any{"pattern": "one", "paths": []string{"sub", "ignored.log"}}, want: "ignored.log\nsub/b.go"},
		{name: "path and paths, of which one is below the other", input: map[string]any{"pattern": "one", "path": ".", "paths": []string{"sub/b.go", "sub", "a.txt", "{{dir}}/a.txt"}, "output_mode": "count"}, want: ".hidden:1\na.txt:2\nsub/b.go:2\n[5 matches in 3 files.]"},
		{name: "paths of which one is not there", input: map[string]any{"pattern": "one", "paths": []string{"sub", "subs"}}, want: "sub/b.go\n[{{dir}}/subs does not exist. The working directory is {{dir}}. Did you mean {{dir}}/sub?]"},
		{name: "no file of the glob", input: map[string]any{"pattern": "one", "glob": "*.rs,*.c"}, want: "No file below {{dir}} matches the glob \"*.rs,*.c\", so nothing was searched."},
		{name: "no file of the glob and type", input: map[string]any{"pattern": "one", "glob": "a*", "type": "go", "path": "sub", "output_mode": "content"}, want: "No file below {{dir}}/sub matches the glob \"a*\" and has the type go, so nothing was searched."},
		{name: "no file that is left", input: map[string]any{"pattern": "one", "exclude": "*", "output_mode": "count"}, want: "No file below {{dir}} is left by the exclude \"*\", so nothing was searched."},
		{name: "a file of the glob, without a match", input: map[string]any{"pattern": "zzz", "glob": "*.go"}, want: "No files found"},
		{name: "no files", input: map[string]any{"pattern": "zzz"}, want: "No files found"},
		{name: "no matches", input: map[string]any{"pattern": "zzz", "output_mode": "content"}, want: "No matches found"},
		{name: "limit", input: map[string]any{"pattern": "one", "head_limit": 2}, want: ".hidden\na.txt\n[Cut: files 1 to 2 of 3. Go on with offset 2, or use a narrower pattern, path or glob.]"},
		{name: "limit and offset", input: map[string]any{"pattern": "one", "output_mode": "content", "head_limit": 2, "offset": 1}, want: "a.txt:1:one two\na.txt:5:one\n[Cut: lines 2 to 3 of 5. Go on with offset 3, or use a narrower pattern, path or glob.]"},
		{name: "count with a limit", input: map[string]any{"pattern": "one", "output_mode": "count", "head_limit": 1}, want: ".hidden:1\n[5 matches in 3 files.]\n[Cut: files 1 to 1 of 3. Go on with offset 1, or use a narrower pattern, path or glob.]"},
		{name: "behind the end", input: map[string]any{"pattern": "one", "offset": 3}, want: "[Nothing is left behind offset 3: there are 3 files. Use a smaller offset.]"},
		{name: "carriage return", input: map[string]any{"pattern": "dos", "output_mode": "content"}, want: "dos.txt:1:dos"},
		{name: "binary file", input: map[string]any{"pattern": "bin", "output_mode": "content", "path": "bin.dat"}, want: "[1 file with a match that cannot be shown, because it is not text.]"},
		{name: "binary file among others", input: map[string]any{"pattern": "bin"}, want: "No files found"},
	}
	g := newGrepGround(t, pegboard.SessionConfig{}, files.GrepOptions{})
	g.put(t, "a.txt", "one two\nthree\n\nfour\none\n")
	g.put(t, "sub/b.go", "one\nOne, one")
	g.put(t, ".hidden", "one\n")
	g.put(t, ".git/config", "one\n")
	g.put(t, ".gitignore", "*.log\n")
	g.put(t, "ignored.log", "one\n")
	g.put(t, "dos.txt", "dos\r\n")
	g.put(t, "bin.dat", "bin\x00\n")
	g.put(t, "c,d.md", "comma\n")
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			input := map[string]any{}
			require.NoError(t, json.Unmarshal([]byte(g.inDir(t, tc.input)), &input))
			text, _ := g.grep(t, input)
			require.Equal(t, strings.ReplaceAll(tc.want, "{{dir}}", g.dir), text)
		})
	}
}

func TestGrepOutputCountsAllThatWasFound(t *testing.T) {
	t.Parallel()
	g := newGrepGround(t, pegboard.SessionConfig{}, files.GrepOptions{MaxResults: 2})
	g.put(t, "a", "x\nx\nx\n")
	g.put(t, "b", "x\n")
	_, out := g.grep(t, map[string]any{"pattern": "x", "output_mode": "content", "offset": 1})
	require.Equal(t, files.GrepOutput{Mode: "content", NumFiles: 1, Filenames: []string{"a"}, Content: "a:2:x\na:3:x", NumLines: 2,
		TotalFiles: 2, TotalLines: 4, AppliedLimit: 2, AppliedOffset: 1}, out)
	_, out = g.grep(t, map[string]any{"pattern": "x", "output_mode": "content", "head_limit": 0})
	require.Equal(t, 4, out.NumLines)
	require.Zero(t, out.AppliedLimit)
	_, out = g.grep(t, map[string]any{"pattern": "x", "output_mode": "count", "head_limit": 1})
	require.Equal(t, 4, out.NumMatches)
	require.Equal(t, []string{"a"}, out.Filenames)
}

func TestGrepCutsLongLines(t *testing.T) {
	t.Parallel()
	g := newGrepGround(t, pegboard.SessionConfig{}, files.GrepOptions{}.WithLineLength(3))
	g.put(t, "a", "äöüß"+strings.Repeat("x", 100)+"\n"+"abc\n\xff\xfe..x\n")
	text, _ := g.grep(t, map[string]any{"pattern": "x|c", "output_mode": "content"})
	require.Equal(t, "a:1:[from byte 8] xxx [97 bytes more]\na:2:abc\na:3:[from byte 4] x\n"+
		"[Of a long line the part around its first match is shown. Read shows more of it: its offset is the number of the line, and byte_offset the byte where to begin.]", text)
}

// TestGrepTellsNothingOfWhatIsDenied compares what is said of a denied file with
// a match and of one without, in every mode.
func TestGrepTellsNothingOfWhatIsDenied(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"content", "files_with_matches", "count"} {
		for _, multiline := range []bool{false, true} {
			t.Run(mode, func(t *testing.T) {
				t.Parallel()
				g := newGrepGround(t, pegboard.SessionConfig{Permissions: rules(t, policy.RuleSet{Deny: []string{"Read(.env)"}})}, files.GrepOptions{})
				g.put(t, "a", "key=public\n")
				g.put(t, "sub/.env", "key=hunter2\n")
				input := map[string]any{"pattern": "key=\\w+", "output_mode": mode, "multiline": multiline, "context": 1}
				text, out := g.grep(t, input)
				require.Equal(t, 1, out.Hidden)
				require.Equal(t, 1, out.TotalFiles)
				data, err := json.Marshal(out)
				require.NoError(t, err)
				require.NotContains(t, text+string(data), "env")
				require.NotContains(t, text+string(data), "hunter2")

				g.put(t, "sub/.env", "nothing\n")
				other, out := g.grep(t, input)
				again, err := json.Marshal(out)
				require.NoError(t, err)
				require.Equal(t, text, other)
				require.Equal(t, string(data), string(again))
				denied := g.call(t.Context(), t, "Grep", map[string]any{"pattern": "n", "path": "sub/.env"})
				require.Error(t, denied.Err)
			})
		}
	}
}

func TestGrepRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		input map[string]any
		says  string
	}{
		{name: "no pattern", input: map[string]any{}, says: "pattern"},
		{name: "group not closed", input: map[string]any{"pattern": "f("}, says: `write \( for the character itself`},
		{name: "look-ahead", input: map[string]any{"pattern": "a(?=b)"}, says: "look-around is not supported"},
		{name: "back reference", input: map[string]any{"pattern": `(a)\1`}, says: "references to groups are not supported"},
		{name: "end of a line", input: map[string]any{"pattern": `a\nb`}, says: "search with multiline"},
		{name: "type", input: map[string]any{"pattern": "a", "type": "gol"}, says: "not known"},
		{name: "glob", input: map[string]any{"pattern": "a", "glob": "[a"}, says: "cannot be read"},
		{name: "mode", input: map[string]any{"pattern": "a", "output_mode": "lines"}, says: "output_mode"},
		{name: "NUL in the path", input: map[string]any{"pattern": "a", "path": "a\x00"}, says: "NUL"},
		{name: "NUL in the paths", input: map[string]any{"pattern": "a", "paths": []string{"a\x00"}}, says: "NUL"},
		{name: "many paths", input: map[string]any{"pattern": "a", "paths": make([]string, 101)}, says: "more than the 100"},
		{name: "missing paths", input: map[string]any{"pattern": "a", "paths": []string{"scr", "srcs"}}, says: "srcs does not exist"},
		{name: "one of the paths is outside", input: map[string]any{"pattern": "a", "paths": []string{"src", ".."}}, says: "outside"},
		{name: "fixed text of two lines", input: map[string]any{"pattern": "a\nb", "fixed_strings": true}, says: "search with multiline"},
		{name: "missing path", input: map[string]any{"pattern": "a", "path": "scr"}, says: "Did you mean"},
		{name: "outside", input: map[string]any{"pattern": "a", "path": ".."}, says: "outside"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGrepGround(t, pegboard.SessionConfig{}, files.GrepOptions{})
			g.put(t, "src/f", "a")
			out := g.call(t.Context(), t, "Grep", tc.input)
			require.Error(t, out.Err)
			require.Contains(t, out.Result.Text(), tc.says)
		})
	}
}

func TestGrepFollowsNoLinkOutside(t *testing.T) {
	t.Parallel()
	g := newGrepGround(t, pegboard.SessionConfig{}, files.GrepOptions{})
	g.put(t, "../out/secret.txt", "secret\n")
	link(t, "../out", filepath.Join(g.dir, "d"))
	link(t, "../out/secret.txt", filepath.Join(g.dir, "l"))
	text, _ := g.grep(t, map[string]any{"pattern": "secret"})
	require.Contains(t, text, "Nothing was searched: there is no file below "+g.dir)
	out := g.call(t.Context(), t, "Grep", map[string]any{"pattern": "secret", "path": "d"})
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
}

func TestGrepTimesOut(t *testing.T) {
	t.Parallel()
	g := newGrepGround(t, pegboard.SessionConfig{}, files.GrepOptions{Timeout: time.Nanosecond})
	g.put(t, "a", "a")
	text, out := g.grep(t, map[string]any{"pattern": "a"})
	require.True(t, out.TimedOut)
	require.Contains(t, text, "[Incomplete: the search took too long")
}

func TestGrepOptionsChooseFiles(t *testing.T) {
	t.Parallel()
	g := newGrepGround(t, pegboard.SessionConfig{}, files.GrepOptions{NoHidden: true, NoIgnore: true})
	require.NoError(t, os.Mkdir(filepath.Join(g.dir, ".git"), 0o755))
	for _, name := range []string{".hidden", "ignored", "plain"} {
		g.put(t, name, "a")
	}
	g.put(t, ".gitignore", "ignored\n")
	text, _ := g.grep(t, map[string]any{"pattern": "a"})
	require.Equal(t, "ignored\nplain", text)
}

// TestGrepOfADirectoryWithoutFiles says that nothing was searched, and follows its advice.
func TestGrepOfADirectoryWithoutFiles(t *testing.T) {
	t.Parallel()
	for _, noIgnore := range []bool{false, true} {
		g := newGrepGround(t, pegboard.SessionConfig{}, files.GrepOptions{NoIgnore: noIgnore})
		g.put(t, ".ignore", "*\n")
		require.NoError(t, os.MkdirAll(filepath.Join(g.dir, "empty"), 0o755))
		text, _ := g.grep(t, map[string]any{"pattern": "a", "path": "empty"})
		require.Contains(t, text, "Nothing was searched: there is no file below "+filepath.Join(g.dir, "empty"))
		require.Equal(t, !noIgnore, strings.Contains(text, "A file that is given as path is searched in any case."))
		g.put(t, "empty/f", "a")
		text, _ = g.grep(t, map[string]any{"pattern": "a", "path": "empty"})
		require.Equal(t, noIgnore, text == "empty/f", text)
		text, _ = g.grep(t, map[string]any{"pattern": "a", "path": "empty/f"})
		require.Equal(t, "empty/f", text)
	}
}

func TestGrepKeepsTheContract(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.Check(files.Grep(files.GrepOptions{}), `{"pattern":"package"}`, `{"pattern":"package","path":"grep_test.go","output_mode":"content","-n":true}`))
}

// TestGrepOptionsThatAreUnknown: no option is suggested that has nothing but the sign in
// common with the one given.
func TestGrepOptionsThatAreUnknown(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	for _, tt := range []struct{ option, near string }{
		{"-r", ""}, {"-R", ""}, {"-E", ""}, {"-w", ""}, {"-l", ""}, {"-include", ""}, {"--", ""},
		{"glbo", `"glob"`}, {"head_limt", `"head_limit"`}, {"--glob", `"glob"`}, {"outputmode", `"output_mode"`},
	} {
		out := g.call(t.Context(), t, "Grep", map[string]any{"pattern": "x", tt.option: "y"})
		require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
		if tt.near == "" {
			require.NotContains(t, out.Result.Text(), "did you mean", tt.option)
			require.Contains(t, out.Result.Text(), `the properties are "-A"`)
			continue
		}
		require.Contains(t, out.Result.Text(), "did you mean "+tt.near, tt.option)
	}
}
