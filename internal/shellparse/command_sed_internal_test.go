package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScriptsOfSed(t *testing.T) {
	t.Parallel()
	runEffectCases(t, []effectCase{
		{name: "substitute", line: "sed s/a/b/ a", reads: "a"},
		{name: "print", line: "sed -n 1,3p", reads: ""},
		{name: "pieces", line: "sed -n -e 1p -e '$p' a", reads: "a"},
		{name: "pieces after operands", line: "sed a -e 1p", reads: "a"},
		{name: "second piece runs", line: "sed -n -e 1p -e '1e touch a' b", class: Unknown, exact: true},
		{name: "script from a file", line: "sed -nf a b", class: Unknown, reads: "a b", exact: true},
		{name: "script unknown", line: `sed -n "$x" a`, class: Unknown, exact: true},
		{name: "glob", line: "sed -n p *", class: Unknown},
		{name: "in place", line: "sed -i s/a/b/ a", class: Mutating, edits: true, write: "a"},
		{name: "in place with backup", line: "sed -Ei.bak s/a/b/ a", class: Mutating, edits: true, write: "a a.bak"},
		{name: "in place long", line: "sed --in-place=~ s/a/b/ a", class: Mutating, edits: true, write: "a a~"},
		{name: "in place after operands", line: "sed -n 1,2p a -i", class: Mutating, edits: true, write: "a"},
		{name: "in place abbreviated", line: "sed --in-pl s/a/b/ a", class: Unknown, exact: true},
		{name: "in place elsewhere", line: "sed -i../a/* s/a/b/ a", class: Unknown, exact: true},
		{name: "in place writes too", line: "sed -i 'w b' a", class: Unknown, write: "b a"},
		{name: "in place as on other systems", line: "sed -i '' 'w b' a", class: Unknown},
		{name: "writes", line: "sed -n 'w b' a", class: Unknown, reads: "a", write: "b"},
		{name: "writes what a flag says", line: "sed 's/a/b/gw b c' a", class: Unknown, reads: "a", write: "b c"},
		{name: "writes in pieces", line: "sed -e '/x/{' -e 'W b' -e '}' -e 's/a/b/pw c' a", class: Unknown, reads: "a", write: "b c"},
		{name: "reads another", line: "sed -e '1r b' -e '$!R c' a", class: Unknown, reads: "b c a"},
		{name: "writes, perhaps", line: "sed 's/[^/]//;s/a/b/w b' a", class: Unknown, reads: "a", write: "b"},
		{name: "writes, perhaps, glued", line: "sed 's/[^/]//;1,3wb' a", class: Unknown, reads: "a", write: "b"},
		{name: "runs what it replaces", line: "sed 's/x/touch a/e' b", class: Unknown, exact: true},
		{name: "runs it and writes", line: "sed 's/x/touch a/gew c' b", class: Unknown, reads: "b", write: "c", exact: true},
		{name: "runs, perhaps", line: "sed 's/[^/]//;s/x/touch a/e' b", class: Unknown, exact: true},
		{name: "no script", line: "sed", class: Unknown},
	})
	for script, want := range map[string]bool{
		"":                           true,
		"1,/x/!d":                    true,
		"/a/,+3{s/x/y/gI;p};$!N":     true,
		"0~3p; 2,~4d":                true,
		`s,a\,b,c,2`:                 true,
		`s/[^/]*$//`:                 false, // seds differ about the slash in brackets
		`s|[^/]*$||g`:                true,
		`\,x,Id`:                     true,
		"y/abc/xyz/":                 true,
		":a;N;$!ba;s/\\n/ /g":        true,
		"a hello; w b":               true, // all of it is text
		"a\\\nhello\ns/a/b/":         true,
		"i\\\nhello\\\nw b":          false,
		"/a/{\nn\nd\n}":              true,
		"# text\np":                  true,
		"#n":                         true,
		"5q1":                        true,
		"s/a/b/\ns/c/d/":             true,
		"w b":                        false,
		"1,3p;1e touch a":            false,
		"e":                          false,
		"s/x/touch a/e":              false,
		"s/x/y/gw b":                 false,
		"s/x/y/pe":                   false,
		"/a/{p;e touch a\n}":         false,
		"y/a/b/;w b":                 false,
		"0~1w b":                     false,
		"R b":                        false,
		"r b":                        false,
		"W b":                        false,
		"p;}":                        false,
		"{p":                         false,
		"s/a/b":                      false,
		"sxaxbxe":                    false,
		"s/a/b/ e":                   false,
		"pe":                         false,
		":a e x":                     false,
		"bx\nw b":                    false,
		"$!{$!N};1!w b":              false,
		"/[/]e x;/p":                 false,
		`/[\]/e x;/p`:                false,
		"a\\":                        false,
		"a\\\\\nw b":                 false,
		"y/a\\/b/c/;w/":              false,
		"s\nxaxbx":                   false,
		"1,p":                        false,
		"s/a/b/;;  ; p":              true,
		"\\\xc3x\xc3p":               false,
		"/x/I,/y/M p":                true,
		"v":                          false,
		"1!G;h;$!d":                  true,
		"s/\\(a\\)[[:space:]]*/\\1/": true,
	} {
		require.Equal(t, want, sedOnlyReads(script), "%q", script)
	}
}

// sedOnlyReads reports whether a sed script only reads its input and prints.
func sedOnlyReads(script string) bool {
	s := sedScript{text: script}
	return s.read() && !s.runs && len(s.files) == 0
}
