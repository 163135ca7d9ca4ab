package walk_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// TestRunAgreesWithGit compares with the files that git would add, in trees with
// names that ripgrep 13 gets wrong. Braces mean nothing to git, and a class that
// is negated matches a slash only for ripgrep, so there are none here.
func TestRunAgreesWithGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is the oracle of this test and not installed")
	}
	for seed := range effort.Of(t, 30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := maker{Rand: rand.New(rand.NewPCG(uint64(seed), 2))}
			dir := tempDir(t)
			git(t, dir, "init", "-q")
			for range 60 {
				var path []string
				for range 1 + m.IntN(4) {
					path = append(path, m.pick("a", "b", "ab", "a.", ".a", "a.go", "new\nline", "*", `a\b`, "ä", "bad\xff"))
				}
				_ = tryPut(dir, strings.Join(path, "/"), "") // a file may be in the way
			}
			for _, d := range append(m.directories(t, dir), dir) {
				if !strings.Contains(d, ".git") {
					_ = tryPut(d, ".gitignore", m.gitRules())
				}
			}
			want := strings.FieldsFunc(git(t, dir, "ls-files", "-z", "--others", "--exclude-standard"), func(r rune) bool { return r == 0 })
			want = append([]string{}, want...)
			slices.Sort(want)
			got := find(t, dir, walk.Options{Hidden: true, Enter: func(rel string) bool { return rel != ".git" }})
			require.Equal(t, want, got)
		})
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

func (m maker) gitRules() string {
	var text strings.Builder
	for range m.IntN(5) {
		text.WriteString(m.pick("", "", "!", "/"))
		for range 1 + m.IntN(3) {
			text.WriteString(m.pick("a", "b", "*", "?", ".", "[ab]", "[a-c]", "a.go", `\*`, `\\`, "ä", "/", "/**/"))
		}
		text.WriteString(m.pick("\n", "\n", "/\n", "/**\n"))
	}
	return text.String()
}
