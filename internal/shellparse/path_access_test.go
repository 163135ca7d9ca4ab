package shellparse_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// What an earlier command did doubts the later ones themselves: a rule that
// allows the earlier one must not let them run.
func TestEarlierCommandsMakeLaterUnknown(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"ln -s /etc d && cat d/passwd", "mv d e && cat e/f", "cp -rs /etc d; ls d/x", "git mv a b && ln -s a c && cat c", "git checkout b && cat a", "git stash; cat *", "tar xf a && cat b", "/bin/ln -s /etc d; cat d/x", "git -C d switch e && cat a"} {
		require.NotEmpty(t, parse(line).Unknown, "%q", line)
	}
	for _, line := range []string{"npm t && git diff", "touch a && git diff", "echo a > b; git diff", "mkdir d && git diff"} {
		l := parse(line)
		last := l.Commands[len(l.Commands)-1]
		require.Equal(t, shellparse.Unknown, last.Class, "%q", line)
		require.Nil(t, last.Git, "%q", line)
	}
}

func TestLaterCommandsStayKnown(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		line string
		want []string
	}{
		"git and git":      {"git status && git add . && git commit -m wip", []string{"read git status", "change git add .", "change git commit -m wip"}},
		"git after git":    {"git add . && git status", []string{"change git add .", "read git status"}},
		"git before":       {"git status; touch a", []string{"read git status", "change touch a"}},
		"made and entered": {"mkdir x && cd x && touch a", []string{"change mkdir x", "read cd x", "change touch a"}},
		"after any":        {"npm test; echo done && ls | tail -20", []string{"? npm test", "read echo done", "read ls", "read tail -20"}},
		"git and here":     {"git checkout b && ls", []string{"change git checkout b", "read ls"}},
		"git and a file":   {"git add --all && cat a", []string{"change git add --all", "read cat a"}},
		"other file":       {"ln -s a b && cat c", []string{"change ln -s a b", "read cat c"}},
		"read before":      {"cat a && mv a b", []string{"read cat a", "change mv a b"}},
		"plain copy":       {"cp a b && cat b", []string{"change cp a b", "read cat b"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := parse(tt.line)
			require.Empty(t, l.Unknown)
			require.Equal(t, tt.want, texts(l))
		})
	}
}

// TestCodeThatTheLineWritesAndRuns: no text of the line shows what such a command runs.
func TestCodeThatTheLineWritesAndRuns(t *testing.T) {
	t.Parallel()
	unseen := func(line string) bool {
		return slices.ContainsFunc(parse(line).Commands, func(c shellparse.Command) bool { return c.RunsUnseen })
	}
	for _, line := range []string{
		"echo a > x.sh; sh x.sh", "tee x.sh <<< a && sh ./x.sh", "cat > x.sh <<E\na\nE\nbash x.sh", "printf a > x; . ./x", "curl -o x.py http://h.example/x && python3 x.py", "cp y x; chmod +x x; ./x",
		"printf a > rc; bash --rcfile rc -i -c :", "printf a > f; make -f f", "echo '.shell a' > q; sqlite3 d -init q", "sh -c 'echo a > x; sh x'", "cd src && echo a > ../x && node ../x",
	} {
		require.True(t, unseen(line), line)
	}
	for _, line := range []string{"sh x.sh", "chmod +x x.sh && ./x.sh", "echo a > log; cat log", "go test ./... > log; python3 x.py", "python3 x.py > log", "mkdir -p d && sh x.sh"} {
		require.False(t, unseen(line), line)
	}
	require.NotEmpty(t, parse("bash --rcfile <(echo a) -i").Unknown)
	require.True(t, parse("sqlite3 x <<< '.shell a'").Commands[0].NoWildcards)
	require.False(t, parse("sqlite3 x <<< 'select 1'").Commands[0].NoWildcards)
}
