package shellparse_test

import (
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// breaking are lines that leave a parser of shell syntax in the midst of something.
var breaking = []string{
	"cat <<E\n$(", "cat <<A <<B\nx", "[[ a =~ (b(", "echo `a \\`b", "echo \"$(a \"`", "${a:", "$((1+", "a() {", "case x in (", "'", "# x", "a <<'E' # y\n", "\xff", "{a,",
}

func TestParserKeepsNothingOfEarlierLines(t *testing.T) {
	t.Parallel()
	var p shellparse.Parser
	for _, env := range []shellparse.Env{testEnv(), {}, {Shell: shellparse.Zsh, Dir: "/proj"}, {Shell: shellparse.PowerShell, Dir: "/proj"}} {
		for _, before := range breaking {
			for _, line := range append([]string{fiveCommands, "sh -c 'sudo sh -c \"rm x\"'"}, breaking...) {
				p.Parse(before, env)
				require.Equal(t, shellparse.Parse(line, env), p.Parse(line, env), "%q after %q", line, before)
			}
		}
	}
}

func TestParserServesSeveralGoroutines(t *testing.T) {
	t.Parallel()
	var p shellparse.Parser
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, line := range append([]string{fiveCommands}, breaking...) {
				if got := p.Parse(line, testEnv()); !reflect.DeepEqual(shellparse.Parse(line, testEnv()), got) {
					t.Errorf("%q became %+v", line, got)
				}
			}
		})
	}
	all.Wait()
}

func TestTextProblems(t *testing.T) {
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
		require.Contains(t, allTexts(nested(31)), "touch marker")
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
		require.Contains(t, allTexts(l), "touch marker")
		require.NotEmpty(t, parse(strings.Repeat("eval ", 20)+"touch marker").Unknown)
	})
	t.Run("launchers", func(t *testing.T) {
		t.Parallel()
		require.Contains(t, allTexts(parse("sudo env nice touch marker")), "touch marker")
		require.NotEmpty(t, parse(strings.Repeat("sudo ", 400)+"ls").Unknown)
	})
	t.Run("braces", func(t *testing.T) {
		t.Parallel()
		l := parse("npm run t " + strings.Repeat("{a,b}", 30))
		require.Empty(t, l.Unknown)
		require.Equal(t, []string{"? npm run t " + strings.Repeat("{a,b}", 30)}, texts(l))
	})
}

const fiveCommands = "git status && go test ./... 2>&1 | tail -20; ls -la src && grep -rn TODO src | head -5"

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		shellparse.Parse(fiveCommands, shellparse.Env{Dir: "/proj", Home: "/home/me"})
	}
}

// BenchmarkParser is BenchmarkParse by a parser that has read lines before.
func BenchmarkParser(b *testing.B) {
	var p shellparse.Parser
	b.ReportAllocs()
	for b.Loop() {
		p.Parse(fiveCommands, shellparse.Env{Dir: "/proj", Home: "/home/me"})
	}
}

// BenchmarkSyntax is the part of BenchmarkParse that is not ours.
func BenchmarkSyntax(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := syntax.NewParser().Parse(strings.NewReader(fiveCommands), ""); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		fiveCommands, "if a; then b; elif c; then d; else e; fi", "cat <<E | x\n$(a)\nE", "echo {a,b{1..3}} ~/x $'\\x41' \"$HOME\"", "for i in *; do (cd $i && ls); done > x 2>&1",
		"f() { case $1 in a|b) c;; esac; }; f", "A=1 B=(x y) timeout 5 sh -c 'a; b' &", "echo `a` <(b) >(c) $((1+2)) [[ -f x ]]", "[[ a -nt b && ! -f c ]] || test -f d", "sudo env -S 'a b' find . -exec c ';'", "!(a) # \\\nb", ">0>0", "A=()#\"", "time&a", "0()0", "\\;=:[", "else", "echo {a..", "declare -x A=b",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	bash, _ := exec.LookPath("bash")
	var used shellparse.Parser
	f.Fuzz(func(t *testing.T, line string, zsh bool) {
		env := shellparse.Env{Dir: "/proj", Home: "/home/me"}
		if zsh {
			env.Shell = shellparse.Zsh
		}
		l := shellparse.Parse(line, env)
		require.Equal(t, l, used.Parse(line, env))
		require.LessOrEqual(t, len(l.Commands), 500)
		for _, c := range l.Commands {
			require.Equal(t, c.Class == shellparse.ReadOnly, c.Reason == "", "%+v", c)
		}
		if l.Unknown != "" {
			return
		}
		require.True(t, utf8.ValidString(line))
		for _, c := range l.Commands {
			for _, p := range c.Paths {
				require.True(t, p.Guess || strings.HasPrefix(p.Name, "/"), "%+v", p)
			}
		}
		if bash != "" {
			out, err := exec.Command(bash, "-n", "-c", "--", line).CombinedOutput()
			require.NoError(t, err, "%q: %s", line, out)
		}
	})
}
