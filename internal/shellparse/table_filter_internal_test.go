package shellparse

import "testing"

func TestFilters(t *testing.T) {
	t.Parallel()
	runEffectCases(t, []effectCase{
		{name: "sort", line: "sort -t, -k2,2 a", reads: "a"},
		{name: "sort long", line: "sort --reverse a", reads: "a"},
		{name: "sort output", line: "sort -o a b", class: Mutating, reads: "b", write: "a"},
		{name: "sort output glued", line: "sort -oa b", class: Mutating, reads: "b", write: "a"},
		{name: "sort output in a bundle", line: "sort -ruoa b", class: Mutating, reads: "b", write: "a"},
		{name: "sort output long", line: "sort --output=a b", class: Mutating, reads: "b", write: "a"},
		{name: "sort output abbreviated", line: "sort --outp=a b", class: Unknown},
		{name: "sort output after operand", line: "sort b -o a", class: Mutating, reads: "b", write: "a"},
		{name: "sort output after --", line: "sort -- b -o", reads: "b -o"},
		{name: "sort program", line: "sort -S 1b --compress-program=x a", class: Unknown},
		{name: "sort program abbreviated", line: "sort --compress-prog x a", class: Unknown},
		{name: "sort names from a file", line: "sort --files0-from=a", class: Unknown},
		{name: "sort temporary files", line: "sort -T /etc a", class: Unknown},
		{name: "sort glob", line: "sort *", reads: "*"},
		{name: "sort glob of a directory", line: "sort */x", class: Unknown},
		{name: "sort glob as a value", line: "sort -k * a", class: Unknown},
		{name: "sort harmless glob", line: "sort src/*", reads: "src/*"},
		{name: "sort unknown", line: "sort $x", class: Unknown},
		{name: "sort unknown word", line: `sort "$x"`, class: Unknown},
		{name: "sort unknown below", line: `sort src/"$x"`, reads: "?"},
		{name: "sort unknown value", line: `sort -k "$x" a`, reads: "a"},
		{name: "sort value of several words", line: `sort -k $x a`, class: Unknown},
		{name: "sort value like a flag", line: "sort -k -o a", class: Unknown},
		{name: "uniq", line: "uniq -c a", reads: "a"},
		{name: "uniq writes", line: "uniq a b", class: Mutating, reads: "a", write: "b"},
		{name: "uniq flag after operand", line: "uniq a -c", reads: "a"},
		{name: "uniq glob", line: "uniq *", class: Unknown},
		{name: "uniq unknown", line: "uniq $x", class: Unknown},
		{name: "uniq value of several words", line: "uniq -f $x", class: Unknown},
		{name: "cut", line: "cut -d ' ' -f 2 a", reads: "a"},
		{name: "tr", line: "tr -d '\\n'"},
		{name: "column", line: "column -t -s, a", reads: "a"},
		{name: "shuf", line: "shuf -n 1 a", reads: "a"},
		{name: "shuf output", line: "shuf -o a b", class: Mutating, reads: "b", write: "a"},
		{name: "shuf words", line: "shuf -e a b"},
		{name: "tee", line: "tee -a a b", class: Mutating, write: "a b"},
		{name: "tee alone", line: "tee"},
		{name: "seq down", line: "seq 5 -1 1"},
		{name: "expr", line: "expr -1 + 2"},
		{name: "xargs with flags", line: "xargs -n1 touch", class: Unknown},
	})
}
