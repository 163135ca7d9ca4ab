package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listByGit reads a configuration file with git. ok says that git can read it.
func listByGit(t *testing.T, file string) (entries []entry, ok bool) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "config", "--file", file, "--no-includes", "--list", "-z").Output()
	if err != nil {
		return nil, false
	}
	for item := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if item == "" {
			continue
		}
		key, value, found := keyAndValue(item)
		entries = append(entries, entry{key: key, value: value, valueless: !found})
	}
	return entries, true
}

// keyAndValue splits what git lists: a key has no line break, unless its
// subsection does, which git does not allow.
func keyAndValue(item string) (key, value string, found bool) { return strings.Cut(item, "\n") }

// FuzzParseConfig holds the parser against git: what git reads must be read the
// same, or be refused.
func FuzzParseConfig(f *testing.F) {
	if _, err := exec.LookPath("git"); err != nil {
		f.Skip("git, which is the judge here, is not installed")
	}
	for _, text := range []string{
		"[core]\n\tfsmonitor = evil\n", "[CORE] FsMonitor = \"a # b\" ; c\n", "[a \"b \\\" \\\\ c\"] d\n", "[diff.X]textconv=a\\\nb\n",
		"\ufeff[a]\r\nb = c\r\nd=\\\r\ne\r\n", "[a]\nb = \"x\\t\\n\\b\\\\\\\"\" y  z  \n", "# c\n[a] # d\n b = c # d\n", "[a]b=c\rd\n", "[]\nx=y\n",
		"x = y\n", "[ \"a\"]b\n", "[a \"b\"]c=d\n[a]b.c=d\n", "[a]b=\"c\\\n d\" ;\\\ne=f\n", "[a]b=\\x\n", "[a]\vb=c\n", "[a.b \"c.d\"]e=f", "[a]b-1=c", "[a]b = ",
		"[a]b  \t= c\t \td\n", "[a]b c\n", "[a] b #c\n", "[a \"\"]b\n", "[a\"b\"]c\n", "[a]\n1=2\n", "[a]b=\"\n", "[a]b='c # d'\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := filepath.Join(t.TempDir(), "config")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		want, ok := listByGit(t, file)
		got, err := parseConfig(string(text))
		if err != nil || !ok {
			return // refused here, or git itself does not run with it
		}
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i].key, got[i].key)
			require.Equal(t, want[i].valueless, got[i].valueless)
			require.Equal(t, blanks(want[i].value), blanks(got[i].value))
		}
	})
}

// blanks is a value without its blanks: versions of git differ about them.
func blanks(value string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\r", "").Replace(value)
}

// TestParseConfigReadsWhatGitReads keeps the parser from passing the fuzz test
// by refusing everything.
func TestParseConfigReadsWhatGitReads(t *testing.T) {
	t.Parallel()
	got, err := parseConfig("\ufeff# c\r\n[CORE] FsMonitor = \"a # b\" c  d ; e\n[Remote \"A\\\"b\"]\n\turl = x\\\ny\n\tbare\n[diff.X]\ntextconv=\"\\t\"")
	require.NoError(t, err)
	require.Equal(t, []entry{
		{key: "core.fsmonitor", value: "a # b c  d"},
		{key: `remote.A"b.url`, value: "xy"},
		{key: `remote.A"b.bare`, valueless: true},
		{key: "diff.x.textconv", value: "\t"},
	}, got)
}

func FuzzReadIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"), false)
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"+strings.Repeat("a", 62)+"\xff\xff\x00"), true)
	f.Fuzz(func(t *testing.T, data []byte, long bool) {
		name := filepath.Join(t.TempDir(), "index")
		require.NoError(t, os.WriteFile(name, data, 0o600))
		hash := 20
		if long {
			hash = 32
		}
		links, _, err := readIndex(name, hash)
		if err == nil {
			for _, l := range links {
				require.NotEmpty(t, l.path)
			}
		}
	})
}
