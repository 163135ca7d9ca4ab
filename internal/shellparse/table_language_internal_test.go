package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSearches(t *testing.T) {
	t.Parallel()
	runUseCases(t, []useCase{
		{name: "grep", line: "grep x a", reads: "a"},
		{name: "grep tree", line: "grep -rn x src", reads: "src/"},
		{name: "grep tree here", line: "grep -rn x", reads: "./"},
		{name: "grep recurse", line: "grep -d recurse x src", reads: "src/"},
		{name: "grep pattern flag", line: "grep -e -exec a", reads: "a"},
		{name: "grep pattern glued", line: "grep -nex a", reads: "a"},
		{name: "grep pattern after --", line: "grep -rn -- --output docs", reads: "docs/"},
		{name: "grep pattern file", line: "grep -f p a", reads: "p a"},
		{name: "grep pattern file in a bundle", line: "grep -nfp a", reads: "p a"},
		{name: "grep pattern file with =", line: "grep -f=p a", class: Unknown},
		{name: "grep pattern file long", line: "grep --file=p a", reads: "p a"},
		{name: "grep follows", line: "grep -R x src", class: Unknown},
		{name: "grep include", line: "grep -rn --include='*.go' x .", reads: "./"},
		{name: "grep include glob", line: "grep -rn --include=*.go x .", reads: "./"},
		{name: "grep glob", line: "grep x *", reads: "*"},
		{name: "grep unknown pattern", line: `grep "$x" a`, class: Unknown},
		{name: "grep unknown pattern after --", line: `grep -- "$x" a`, reads: "a"},
		{name: "grep several unknown after --", line: `grep -- $x a`, reads: "? a"},
		{name: "grep context", line: "grep -5 x a", reads: "a"},
		{name: "rg", line: "rg -n x src", reads: "src/"},
		{name: "rg here", line: "rg -l x --type go", reads: "./"},
		{name: "rg files", line: "rg --files", reads: "./"},
		{name: "rg pre", line: "rg --pre ./a x", class: Unknown},
		{name: "rg pre glued", line: "rg --pre=./a x", class: Unknown},
		{name: "rg pre as pattern", line: "rg -- --pre docs", reads: "docs/"},
		{name: "rg zip", line: "rg -nz x", class: Unknown},
		{name: "rg host program", line: "rg --hostname-bin a x", class: Unknown},
		{name: "rg follows", line: "rg -L x", class: Unknown},
		{name: "rg glob", line: "rg x *", class: Unknown},
		{name: "rg unknown", line: "rg -e x$x a", class: Unknown},
		{name: "find", line: "find src -maxdepth 1 -type f", reads: "src/"},
		{name: "find here", line: "find -name '*.go'", reads: "./"},
		{name: "find expression", line: "find . -path ./a -prune -o -name '*.ts' -print", reads: "./"},
		{name: "find brackets", line: "find . '(' -name a -o -name b ')' -newer c", reads: "./ c"},
		{name: "find newer text", line: "find . -newermt 2020-01-01", reads: "./"},
		{name: "find newer file", line: "find . -newerma c", reads: "./ c"},
		{name: "find unknown value", line: `find . -name "$x"`, reads: "./"},
		{name: "find several unknown values", line: "find . -name $x", class: Unknown, exact: true},
		{name: "find unknown word", line: `find . "$x"`, class: Unknown, exact: true},
		{name: "find glob value", line: "find . -name *.go", class: Unknown, exact: true},
		{name: "find glob start", line: "find * -name a", class: Unknown, exact: true},
		{name: "find harmless glob start", line: "find src/* -name a", reads: "src/*/"},
		{name: "find delete", line: "find src -name a -delete", class: Mutating, exact: true, reads: "src/", write: "src/"},
		{name: "find delete after -H", line: "find -H src -delete", class: Mutating, exact: true, reads: "src/", write: "src/"},
		{name: "find prints", line: "find . -fprint a", class: Mutating, exact: true, reads: "./", write: "a"},
		{name: "find prints a format", line: "find . -fprintf a %p -name b", class: Mutating, exact: true, reads: "./", write: "a"},
		{name: "find runs", line: "find . -exec touch a {} ';'", class: Unknown, exact: true},
		{name: "find follows", line: "find -L . -name a", class: Unknown, exact: true},
		{name: "find names from a file", line: "find -files0-from a", class: Unknown, exact: true},
		{name: "find lacks a value", line: "find . -name", class: Unknown, exact: true},
	})
}

func TestFindRuns(t *testing.T) {
	t.Parallel()
	args := argsOf("find . -exec grep x {} + -ok rm -f a{} ';' -execdir '' ';' -exec touch a")
	var runs []string
	for _, run := range useOf("find", args[1:]).runs {
		runs = append(runs, join(run, source))
	}
	require.Equal(t, []string{"grep x {}", "rm -f a{}", "''", "touch a"}, runs)
	xargs := useOf("xargs", argsOf("-n1 rm -f")).runs
	require.Equal(t, "rm -f …", join(xargs[0], source))
}

func TestScriptsOfSed(t *testing.T) {
	t.Parallel()
	runUseCases(t, []useCase{
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
		require.Equal(t, want, sedReads(script), "%q", script)
	}
}

func TestProgramsOfAwk(t *testing.T) {
	t.Parallel()
	runUseCases(t, []useCase{
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
		require.Equal(t, want, awkReads(program), "%q", program)
	}
}

func TestProgramsOfJq(t *testing.T) {
	t.Parallel()
	runUseCases(t, []useCase{
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
		require.Equal(t, want, jqReads(program), "%q", program)
	}
}
