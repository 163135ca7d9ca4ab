package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
		require.Equal(t, want, awkReads(program), "%q", program)
	}
}

func TestFilesOfAwk(t *testing.T) {
	t.Parallel()
	runUseCases(t, []useCase{
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
