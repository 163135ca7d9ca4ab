package pattern_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// TestGitAgrees holds the matcher against git, which made the syntax up. Git is
// asked about a file below each path, since it asks the disk whether a path is a
// directory.
func TestGitAgrees(t *testing.T) {
	t.Parallel()
	repository := newRepository(t)
	random := rand.New(rand.NewPCG(1, 2))
	paths := randomPaths(random, 150)
	patterns := []string{
		"a", "a/", "/a", "*", "**", "/**", "a/**", "**/a", "a/**/b", "**/a/**", "/*", "a*", "*a", "?", "[ab]", "[!a]", "a/*", "*/a", "/*/b",
		`\a`, `\*`, `[[]`, `[a\]b]`, "a/b/", "**/", "a/**/", "*/**", "**/*", "/a/**/**/b", "a**b", "a**/b", "***", "[[:alpha:]]", "[a-]", "[]a]", "[^]]", `a\ `, "a ",
	}
	for range effort.Of(t, 200) {
		patterns = append(patterns, randomPattern(random))
	}
	b := pattern.Base{Dir: "/r", Root: "/r", Home: "/h"}
	compared := 0
	for _, text := range patterns {
		// Every relative pattern with one directory is anchored for git and not
		// for a deny rule: anchor it here too.
		rule := text
		if !strings.HasPrefix(text, "/") && strings.Contains(strings.TrimSuffix(text, "/"), "/") {
			rule = "./" + text
		}
		s, err := pattern.Parse("Read", rule)
		if err != nil || gitQuirk.MatchString(text) || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "./") {
			continue // the anchors that git has not
		}
		// Nobody looks at the disk: what may be a directory is taken for one.
		ignored := repository.ignored(t, strings.TrimSuffix(text, "/"), paths)
		files := repository.ignored(t, text, paths)
		around := repository.ignored(t, inWhat(text), paths)
		for _, path := range paths {
			x := reads("/r/" + path + "/file")
			got := s.Touches(x, b)
			if got && !ignored[path] && around[path] {
				continue // what says everything in a directory says the directory
			}
			require.Equal(t, ignored[path], got, "%q, %q", text, path)
			require.False(t, s.Covers(x, b) && !files[path], "%q covers %q", text, path)
			compared++
		}
	}
	if effort.Full(t) {
		require.Greater(t, compared, 20000)
	}
}

// gitQuirk finds two stars behind a letter, which git's manual calls one star,
// while git compares the letters before a wildcard apart and then takes the stars
// for the start.
var gitQuirk = regexp.MustCompile(`[^/*]\*\*`)

// inWhat returns "a" of "a/**", or a pattern that means nothing.
func inWhat(text string) string {
	trimmed := strings.TrimRight(text, "*/")
	if trimmed == text || !strings.Contains(text, "**") {
		return "# nothing"
	}
	for strings.HasSuffix(text, "/") || strings.HasSuffix(text, "/**") || strings.HasSuffix(text, "**/*") {
		text = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(text, "/"), "**/*"), "/**")
	}
	return text
}

type repository struct{ dir string }

func newRepository(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on this machine to compare with")
	}
	r := repository{t.TempDir()}
	out, err := r.git(nil, "init", "-q")
	require.NoError(t, err, out)
	return r
}

func (r repository) git(stdin []byte, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "core.ignoreCase=false", "-c", "core.excludesFile="}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+r.dir)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.Output()
	return string(out), err
}

// ignored returns which of the paths git ignores a file below of.
func (r repository) ignored(t *testing.T, text string, paths []string) map[string]bool {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, ".gitignore"), []byte(text+"\n"), 0o600))
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString(p + "/file\x00")
	}
	out, _ := r.git(in.Bytes(), "check-ignore", "--no-index", "-z", "--stdin") // exits with 1 if none is ignored
	ignored := map[string]bool{}
	for line := range strings.SplitSeq(out, "\x00") {
		ignored[strings.TrimSuffix(line, "/file")] = line != ""
	}
	return ignored
}

func randomPaths(random *rand.Rand, n int) []string {
	names := []string{"a", "b", "c", "ab", "ba", "abc", "a.b", "[", "]", "*", `\`, "-", "a b", "a ", "A", "!a", "aab"}
	paths := make([]string, n)
	for i := range paths {
		path := make([]string, 1+random.IntN(4))
		for j := range path {
			path[j] = names[random.IntN(len(names))]
		}
		paths[i] = strings.Join(path, "/")
	}
	return paths
}

func randomPattern(random *rand.Rand) string {
	parts := []string{"a", "b", "c", "a", "b", "/", "/", "*", "**", "/**/", "?", "[ab]", "[!a]", "[a-b]", `\*`, `\[`, `\a`, "[^b-c]", ".", " "}
	var b strings.Builder
	for range 1 + random.IntN(6) {
		b.WriteString(parts[random.IntN(len(parts))])
	}
	return b.String()
}
