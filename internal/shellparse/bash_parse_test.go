package shellparse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// here is where the lines of the tests are read.
func here() shellparse.Env { return shellparse.Env{Dir: "/proj", Home: "/home/me"} }

func parse(line string) shellparse.Line { return shellparse.Parse(line, here()) }

// texts are the allow texts of a line, each behind its class.
func texts(l shellparse.Line) []string {
	var list []string
	for _, c := range l.Commands {
		list = append(list, []string{"read ", "change ", "? "}[c.Class]+c.Text)
	}
	return list
}

// inner are all texts that rules that deny see.
func inner(l shellparse.Line) []string {
	var list []string
	for _, c := range l.Commands {
		list = append(append(list, c.Text), c.Inner...)
	}
	return list
}

func TestGates(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ line, why string }{
		"carriage return":         {"ls\r", "carriage return"},
		"continued over CR":       {"ls \\\r\ntouch x", "carriage return"},
		"zero byte":               {"ls\x00", "control character"},
		"vertical tab":            {"npm run test\x0bevil", "control character"},
		"next line":               {"npm run test\u0085evil", "control character"},
		"delete":                  {"ls\x7f", "control character"},
		"invalid UTF-8":           {"ls \xff", "UTF-8"},
		"too long":                {"echo " + strings.Repeat("a", 10_000), "10,000 characters"},
		"too long by a character": {"echo " + strings.Repeat("é", 9_996), "10,000 characters"},
		"halved word":             {"to\\\nuch x", "next line"},
		"halved operator":         {"ls &\\\n& pwd", "next line"},
		"comment with backslash":  {"ls # a \\\npwd", "comment"},
		"comment alone":           {"ls #\\\ntouch x", "next line"},
		"not complete":            {"ls && ", "not complete"},
		"open quote":              {"echo 'a", "not complete"},
		"empty statement":         {"ls ; ; pwd", "not complete"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, parse(tt.line).Unknown, tt.why)
		})
	}
}

func TestPlainLines(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"", "  ", "# nothing", "ls # a comment", "echo 'a\n; b'", "echo a \\\n  b", "ls\n\n\tpwd\n",
		"echo " + strings.Repeat("é", 9_995),
		"echo '# \\'\necho b",
	} {
		require.Empty(t, parse(line).Unknown, "%q", line)
	}
}

// An unicode blank is an ordinary character to the shell.
func TestUnicodeBlankStaysInWord(t *testing.T) {
	t.Parallel()
	l := parse("npm run test\u00a0evil")
	require.Equal(t, []string{"? npm run test\u00a0evil"}, texts(l))
}

func TestTextsOfLinesThatAreNotUnderstood(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"open quote":      "echo 'a; touch marker",
		"open list":       "touch marker &&",
		"if":              "if touch marker",
		"carriage return": "ls\rtouch marker",
		"zero byte":       "ls\x00; touch marker",
		"quoted name":     `"to"uch marker &&`,
		"path":            "/usr/bin/touch marker &&",
		"under sudo":      "sudo -u me touch marker &&",
		"assigned":        "A=1 touch marker &&",
		"too long":        "touch marker; echo " + strings.Repeat("a", 10_000),
	}
	for name, line := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := parse(line)
			require.NotEmpty(t, l.Unknown)
			require.Contains(t, inner(l), "touch marker")
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	t.Run("commands", func(t *testing.T) {
		t.Parallel()
		l := parse(strings.Repeat("true;", 500))
		require.Empty(t, l.Unknown)
		require.Len(t, l.Commands, 500)
		l = parse(strings.Repeat("true;", 501))
		require.NotEmpty(t, l.Unknown)
		require.Len(t, l.Commands, 500)
	})
	t.Run("substitutions", func(t *testing.T) {
		t.Parallel()
		nested := func(n int) shellparse.Line {
			return parse(strings.Repeat("echo $(", n) + "touch marker" + strings.Repeat(")", n))
		}
		require.Empty(t, nested(31).Unknown)
		require.Contains(t, inner(nested(31)), "touch marker")
		require.Contains(t, nested(200).Unknown, "nested")
	})
	t.Run("groups", func(t *testing.T) {
		t.Parallel()
		require.NotEmpty(t, parse(strings.Repeat("{ ", 3000)+"ls"+strings.Repeat("; }", 2000)).Unknown)
		require.NotEmpty(t, parse(strings.Repeat("(", 4900)+"ls"+strings.Repeat(")", 4900)).Unknown)
	})
	t.Run("texts in texts", func(t *testing.T) {
		t.Parallel()
		l := parse(strings.Repeat("eval ", 3) + "touch marker")
		require.Empty(t, l.Unknown)
		require.Contains(t, inner(l), "touch marker")
		require.NotEmpty(t, parse(strings.Repeat("eval ", 20)+"touch marker").Unknown)
	})
	t.Run("launchers", func(t *testing.T) {
		t.Parallel()
		require.Contains(t, inner(parse("sudo env nice touch marker")), "touch marker")
		require.NotEmpty(t, parse(strings.Repeat("sudo ", 400)+"ls").Unknown)
	})
	t.Run("braces", func(t *testing.T) {
		t.Parallel()
		l := parse("npm run t " + strings.Repeat("{a,b}", 30))
		require.Empty(t, l.Unknown)
		require.Equal(t, []string{"? npm run t " + strings.Repeat("{a,b}", 30)}, texts(l))
	})
}
