package edit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

func unified(hunks []pegboard.Hunk) string { return pegboard.Diff{Hunks: hunks}.Unified() }

func TestPatch(t *testing.T) {
	t.Parallel()
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	tests := []struct {
		name     string
		from, to string
		context  int
		want     string
	}{
		{name: "equal", from: ten, to: ten, context: 3, want: ""},
		{name: "a changed line", from: ten, to: strings.Replace(ten, "5", "x", 1), context: 1, want: "@@ -4,3 +4,3 @@\n 4\n-5\n+x\n 6\n"},
		{name: "no context", from: ten, to: strings.Replace(ten, "5\n", "", 1), context: 0, want: "@@ -5 +4,0 @@\n-5\n"},
		{name: "context that touches joins", from: ten, to: strings.NewReplacer("3", "x", "6", "y").Replace(ten), context: 1, want: "@@ -2,6 +2,6 @@\n 2\n-3\n+x\n 4\n 5\n-6\n+y\n 7\n"},
		{name: "context that does not touch", from: ten, to: strings.NewReplacer("3", "x", "7", "y").Replace(ten), context: 1, want: "@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 4\n@@ -6,3 +6,3 @@\n 6\n-7\n+y\n 8\n"},
		{name: "from nothing", from: "", to: "a\nb", context: 3, want: "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"},
		{name: "to nothing", from: "a\n", to: "", context: 3, want: "@@ -1 +0,0 @@\n-a\n"},
		{name: "a final newline added", from: "a\nb", to: "a\nb\n", context: 3, want: "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{name: "a final newline missing in both", from: "a\nb", to: "x\nb", context: 3, want: "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, unified(edit.Patch(test.from, test.to, test.context)))
		})
	}
}

func TestPatchNumbersTheLinesOfHunks(t *testing.T) {
	t.Parallel()
	require.Equal(t, []pegboard.Hunk{{OldStart: 1, OldLines: 0, NewStart: 1, NewLines: 1, Lines: []string{"+a"}}}, edit.Patch("", "a\n", 3))
	require.Empty(t, edit.Patch("", "", 3))
}

// TestPatchIsWhatGitApplies lets git apply patches between random texts.
func TestPatchIsWhatGitApplies(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	random := rand.New(rand.NewPCG(1, 2))
	folder := t.TempDir()
	var patch strings.Builder
	var wanted []string
	for n := range effort.Of(t, 300) {
		from := randomText(random, 40)
		to := mutated(random, from)
		wanted = append(wanted, to)
		name := fmt.Sprintf("f%d", n)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(from), 0o600))
		if hunks := edit.Patch(from, to, 3); len(hunks) > 0 && to != "" {
			fmt.Fprintf(&patch, "--- a/%s\n+++ b/%s\n%s", name, name, unified(hunks))
		} else {
			wanted[n] = from
		}
	}
	command := exec.CommandContext(t.Context(), git, "apply", "--whitespace=nowarn", "-")
	command.Dir, command.Stdin = folder, strings.NewReader(patch.String())
	command.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(folder))
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for n, want := range wanted {
		got, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("f%d", n)))
		require.NoError(t, err)
		require.Equal(t, want, string(got), "file %d", n)
	}
}

// randomText returns up to most lines of few different ones.
func randomText(random *rand.Rand, most int) string {
	var text strings.Builder
	for range random.IntN(most + 1) {
		text.WriteString([]string{"", "a", "b", "\tc", "d d", "}"}[random.IntN(6)] + "\n")
	}
	if random.IntN(4) == 0 {
		text.WriteString("last")
	}
	return text.String()
}

// mutated deletes, adds and changes some lines.
func mutated(random *rand.Rand, text string) string {
	var out strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		switch random.IntN(12) {
		case 0:
		case 1:
			out.WriteString("new\n" + line)
		case 2:
			out.WriteString("x" + line)
		default:
			out.WriteString(line)
		}
	}
	return out.String()
}

// applied applies hunks as their comment says.
func applied(t *testing.T, from string, hunks []pegboard.Hunk) string {
	t.Helper()
	lines := strings.SplitAfter(from, "\n")
	var out strings.Builder
	next := 0
	for _, h := range hunks {
		for ; next < h.OldStart-1; next++ {
			out.WriteString(lines[next])
		}
		gone, added := 0, 0
		for i, line := range h.Lines {
			end := "\n"
			if i+1 < len(h.Lines) && h.Lines[i+1][0] == '\\' {
				end = ""
			}
			switch line[0] {
			case ' ':
				require.Equal(t, lines[next], line[1:]+end)
				out.WriteString(lines[next])
				next, gone, added = next+1, gone+1, added+1
			case '-':
				require.Equal(t, lines[next], line[1:]+end)
				next, gone = next+1, gone+1
			case '+':
				out.WriteString(line[1:] + end)
				added++
			}
		}
		require.Equal(t, h.OldLines, gone)
		require.Equal(t, h.NewLines, added)
	}
	return out.String() + strings.Join(lines[next:], "")
}

func TestPatchOfTextsThatDifferInMuch(t *testing.T) {
	t.Parallel()
	from, to := "same\n"+strings.Repeat("a\nb\n", 3000)+"end\n", "same\n"+strings.Repeat("c\nb\nd\n", 3000)+"end\n"
	hunks := edit.Patch(from, to, 3)
	require.Len(t, hunks, 1)
	require.Equal(t, to, applied(t, from, hunks))
}

func FuzzPatch(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd", 3)
	f.Add("", "a", 0)
	f.Fuzz(func(t *testing.T, from, to string, context int) {
		hunks := edit.Patch(from, to, context%10)
		require.Equal(t, to, applied(t, from, hunks))
		require.Equal(t, from == to, len(hunks) == 0)
	})
}
