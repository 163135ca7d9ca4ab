package shellparse

import (
	"testing"

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
