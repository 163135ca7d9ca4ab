package shellparse

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgramsOfAwk(t *testing.T) {
	t.Parallel()
	runEffectCases(t, []effectCase{
		{name: "column", line: "awk -F, 'NR>1 {print $2}' a", reads: "a"},
		{name: "variable", line: "awk -v n=3 '$1 > n' x=1 a", reads: "a"},
		{name: "unknown variable", line: `awk -v n="$x" '{print n}' a`, reads: "a"},
		{name: "variable that may be several words", line: `awk -v $x '{print n}' a`, class: Unknown},
		{name: "program unknown", line: `awk "$x" a`, class: Unknown},
		{name: "program from a file", line: "awk -f a.awk b", class: Unknown},
		{name: "extension", line: "gawk -l filefuncs 'BEGIN{}'", class: Unknown},
		{name: "in place", line: "gawk -i inplace '{print}' a", class: Unknown},
		{name: "flag after program", line: "awk '{print}' -f", reads: "-f"},
		{name: "no program", line: "awk", class: Unknown},
	})
	for program, want := range map[string]bool{
		`{ print $1, $NF }`:                                         true,
		`/a\/b/ { n++ } END { print n/NR }`:                         true,
		`!seen[$0]++`:                                               true,
		`$3 >= 10 && $4 != "x" || /y/`:                              true,
		`{ printf "%s %d\n", $1, ($2 > 3) }`:                        true,
		`BEGIN { FS = ":" } { s += $2 } END { print s / 2 }`:        true,
		`{ if ($1 > 3) print $2; else if ($2 ~ /x/) { next } }`:     true,
		`function f(a) { return a * 2 } { print f($1) }`:            true,
		`{ gsub(/[^a-z]/, ""); print toupper($0) }`:                 true,
		`{ for (k in a) if (a[k] > m) m = a[k] } # end`:             true,
		`{ x = $1 ? "a|b" : "c>d"; print x }`:                       true,
		`BEGIN { printf "touch a" | "sh" }`:                         false,
		`BEGIN { "touch a" | getline }`:                             false,
		`BEGIN { system("touch a") }`:                               false,
		`{ print > "b" }`:                                           false,
		`{ print $1 >> "b" }`:                                       false,
		`{ print ($1) > "b" }`:                                      false,
		`{ print($1)($2) > "b" }`:                                   false,
		"{ print $1,\n$2 > \"b\" }":                                 false,
		`{ print a ? b : c > d }`:                                   false,
		`{ printf("%s", $1) > "b" }`:                                false,
		`{ if (1) /"/; print "x" > "b" #"` + "\n}":                  false,
		`{ x = (1) / 2; print "x" > "b" #/` + "\n}":                 false,
		`{ x++ /"/ 1; print "x" > "b" }`:                            false,
		`{ print length /"/ 1; print "x" > "b" #"` + "\n}":          false,
		`BEGIN { print ENVIRON["TOKEN"] }`:                          false,
		`BEGIN { for (k in PROCINFO) print k }`:                     false,
		`BEGIN { ARGV[1] = "/etc/passwd"; ARGC = 2 }`:               false,
		`BEGIN { while ((getline l < "/etc/passwd") > 0) print l }`: false,
		`@load "filefuncs"; BEGIN { chdir("/") }`:                   false,
		`BEGIN { f = "sys" "tem"; @f("touch a") }`:                  false,
		`{ print |& "sh" }`:                                         false,
		`{ print $1`:                                                false,
		`{ print "x }`:                                              false,
		`{ print /[/]> "b"/ }`:                                      false,
		"# x \\\n{ print }":                                         false,
		`{ 1print > "b" }`:                                          false,
		`{ a.print > "b" }`:                                         false,
		`{ print ` + "`x`" + ` }`:                                   false,
	} {
		require.Equal(t, want, awkOnlyReads(program), "%q", program)
	}
}

// Where one awk divides, another may begin a regular expression.
func TestSlashesOfAwk(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]bool{
		`$1 / 2 > 3 / x`:                           true,
		`{ print (a) / n, a[1] / 2, f(1) / 2 }`:    true,
		`{ n /= 2 } !/x/ || $1 ~ /=/ && /y/`:       true,
		`/a/, /b/ { print }` + "\n/c/ { n++ }":     true,
		"{ n++\n}\n/x/ { n-- }\n":                  true,
		"{ print # all\n}\n/x/":                    true,
		"{ if (x &&\n /y/) print }":                true,
		"{ if\n(x) print; else\n next }":           true,
		`BEGIN{print -case /1 | "touch f"; y=1/1}`: false,
		`BEGIN{print case /1 > "f"; y=1/1}`:        false,
		"BEGIN{print case \\\n/2 > \"f\"; x=1/1}":  false,
		`{ case = 1 }`:                             false,
		`{ switch (x) { default: print } }`:        false,
		`func f(a) { return a }`:                   false,
		`BEGINFILE { print }`:                      false,
		`{ print a::b }`:                           false,
		`{ if (x) /y/ }`:                           false,
		"{ if \\\n(x) /\"/; print \"x\" > \"f\" }": false,
		"{ while (x)\n/\"/; print \"x\" > \"f\" }": false,
		"{ do\n/x/; while (y) }":                   false,
		`{ x = index /2 > "f"; y = 1/1 }`:          false,
		`{ print typeof /2 > "f"; y = 1/1 }`:       false,
		`{ print a[1 > "f"] }`:                     false,
		`{ print (1` + "\n" + `/2/ 3) }`:           false,
		`{ if x (1) }`:                             false,
	} {
		require.Equal(t, want, awkOnlyReads(program), "%q", program)
	}
}

func TestFilesOfAwk(t *testing.T) {
	t.Parallel()
	runEffectCases(t, []effectCase{
		{name: "to a file", line: `awk '{print>"b"}' a`, class: Unknown, reads: "a", write: "b"},
		{name: "at its end", line: `awk '{print>>"b/c"}'`, class: Unknown, write: "b/c"},
		{name: "in brackets", line: `awk '{print>("b")}'`, class: Unknown, write: "b"},
		{name: "in pieces", line: `awk '{print>"b""/c"}'`, class: Unknown, write: "b/c"},
		{name: "in other words", line: `awk '{print>"b\057c\/d"}'`, class: Unknown, write: "b/c/d"},
		{name: "unknown end", line: `awk '{print>"b/"$1}'`, class: Unknown, write: "b/*"},
		{name: "from a file", line: `awk '{getline<"b"}'`, class: Unknown, reads: "b"},
		{name: "from a file in a condition", line: `awk 'BEGIN{while((getline<"b")>0)print}'`, class: Unknown, reads: "b"},
		{name: "variable", line: `awk 'BEGIN{f="b";print>f}'`, class: Unknown, reads: "b", write: "b"},
		{name: "variable given", line: `awk -v f=b '{print>f}' a`, class: Unknown, reads: "b a", write: "b"},
		{name: "behind a flag that is not known", line: `gawk -i inplace '{print>"b"}' a`, class: Unknown, reads: "{print>\"b\"} a", write: "b"},
		{name: "standard output", line: `awk '{print>"-"}'`, class: Unknown},
		{name: "compared", line: `awk '$1>"b"' a`, reads: "a"},
	})
}

// awks are those that are installed, with the words to call them by.
func awks() [][]string {
	var list [][]string
	for _, words := range []string{"mawk", "gawk", "original-awk", "busybox awk", "goawk", "awk"} {
		call := strings.Fields(words)
		if path, err := exec.LookPath(call[0]); err == nil {
			list = append(list, append([]string{path}, call[1:]...))
		}
	}
	return list
}

// awkMade makes up a program that writes a file for an awk which divides where
// another begins an expression, or the other way round.
func awkMade(random *rand.Rand) string {
	pick := func(words string) string {
		list := strings.Split(words, " ")
		return strings.NewReplacer("␠", " ", "⏎", "\n").Replace(list[random.IntN(len(list))])
	}
	some := func(n int) string {
		var b strings.Builder
		for range random.IntN(n) {
			b.WriteString(pick(`x x y 1 2 NF $1 a[1] f(1) (1) (x) (x,y) ( ) [ ] { } ; ⏎ , ++ -- + - ! ~ !~ = == < > >= * ? : && || % ^ in in␠a "s" /r/` +
				` print printf return exit next nextfile delete length length() substr( index toupper func function case switch default` +
				` if(x) if⏎(1) if while(0) while do do␠x;while(0) else for(k␠in␠a) for(;0;) for BEGIN END break continue nextfile \⏎ #c⏎ print␠x` +
				` systime rand and or typeof BEGINFILE close fflush srand split match a::b gensub print(1) print(x,y) exit(1) ;print;`))
			b.WriteString(pick(" ␠ ␠ ␠"))
		}
		return b.String()
	}
	slash := pick(`/1>"f";y=1/ /"/>"f"" /"/;print␠1>"f"" /x/ /="/>"f"" /;print>"f";/ /[/]>"f"/ "/">"f"" /2>"f"/`)
	body := pick("print␠ print␠ print␠ ") + some(5) + slash + some(3)
	return pick(`BEGIN{ BEGIN{ BEGIN{ {  END{ function␠f(a){return␠1}BEGIN{`) + body + pick(`1} } } } ;x=1/1}`)
}

// TestAwksThatReadChangeNothing makes up programs and runs those that are said to
// only read, with every awk there is.
func TestAwksThatReadChangeNothing(t *testing.T) {
	t.Parallel()
	list := awks()
	if len(list) == 0 {
		t.Skip("awk, which is the judge here, is not installed")
	}
	dir := t.TempDir()
	seed, programs := uint64(1), 200
	random := rand.New(rand.NewPCG(seed, 2))
	for n := 0; n < programs; {
		program := awkMade(random)
		if !awkOnlyReads(program) || !strings.Contains(program, `"f"`) {
			continue
		}
		n++
		for _, call := range list {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			cmd := exec.CommandContext(ctx, call[0], append(call[1:len(call):len(call)], program)...)
			cmd.Dir = dir
			cmd.Stdin = strings.NewReader("x y\nr 1\n")
			_ = cmd.Run() // many are no programs
			cancel()
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, left, "%s writes a file: %q", call, program)
		}
	}
}

func TestProgramsOfJq(t *testing.T) {
	t.Parallel()
	runEffectCases(t, []effectCase{
		{name: "field", line: "jq .env a.json", reads: "a.json"},
		{name: "flags", line: "jq -rc '.a[]' a b", reads: "a b"},
		{name: "flag after operands", line: "jq .a b -r", reads: "b"},
		{name: "standard input", line: "jq . -"},
		{name: "values", line: "jq --arg a b --argjson c 1 --indent 2 '$a' d", reads: "d"},
		{name: "value is one word", line: `jq --arg a "$x" '$a' d`, reads: "d"},
		{name: "value may be several", line: `jq --arg a $x '$a' d`, class: Unknown},
		{name: "files in values", line: "jq -n --slurpfile a b --rawfile c d '$a'", reads: "b d"},
		{name: "program from a file", line: "jq -n -f a.jq", class: Unknown},
		{name: "program from a file in a bundle", line: "jq -nf a.jq", class: Unknown},
		{name: "module", line: "jq -n -L lib 'import \"m\" as m; m::x'", class: Unknown},
		{name: "module path glued", line: "jq -Llib .", class: Unknown},
		{name: "environment", line: "jq -n env", class: Unknown},
		{name: "unknown program", line: `jq "$x" a`, class: Unknown},
		{name: "glob", line: "jq . *", class: Unknown},
		{name: "abbreviated flag", line: "jq --null . a", class: Unknown},
		{name: "several readings", line: "jq . -- a", class: Unknown},
	})
	for program, want := range map[string]bool{
		`.`:                              true,
		`.a + 1`:                         true,
		`.scripts["test"]`:               true,
		`.scripts | to_entries[] | .key`: true,
		`.env.import`:                    true,
		`.["env"]`:                       true,
		`{a: .b, "c": [.d[]?]}`:          true,
		`"a\(.b) \("c")"`:                true,
		`@base64d`:                       true,
		`select(.a == "import x")`:       true,
		`[...env]`:                       true, // ".." and then ".env"
		`env`:                            false,
		`$ENV`:                           false,
		`$ ENV`:                          false,
		`. | env.PATH`:                   false,
		`. env`:                          false,
		`..env`:                          false,
		`"\(env)"`:                       false,
		`"\("\($ENV.A)")"`:               false,
		`{$ENV}`:                         false,
		`import "m" as m; .`:             false,
		`include "m"; .`:                 false,
		`"m" | modulemeta`:               false,
		"# \"\nenv":                      false,
		`"a`:                             false,
		`")" | env`:                      false,
		`.a)`:                            false,
		`"\(.a"`:                         false,
		`"\\" | env`:                     false,
		`"\\(" | env`:                    false,
	} {
		require.Equal(t, want, jqOnlyReads(program), "%q", program)
	}
}
