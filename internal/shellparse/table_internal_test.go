package shellparse

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A effectCase is a command and what its arguments are known to make it do.
type effectCase struct {
	name  string
	line  string // see argsOf
	class Class
	reads string // the files that are read, with a slash at the end of trees
	write string // those that are written
	edits bool
	exact bool
}

func runEffectCases(t *testing.T, cases []effectCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := argsOf(tt.line)
			e := effectOf(args[0].value, args[1:])
			require.Equal(t, tt.class, e.class, "%s: %s", tt.line, e.reason)
			require.Equal(t, tt.class == ReadOnly, e.reason == "", e.reason)
			require.Equal(t, tt.edits, e.editsOnly, "edits")
			require.Equal(t, tt.exact, e.noWildcards, "exact")
			if tt.reads != "" || tt.write != "" || tt.class != Unknown {
				require.Equal(t, tt.reads, namesOf(e.files, false), "reads")
				require.Equal(t, tt.write, namesOf(e.files, true), "writes")
			}
		})
	}
}

func namesOf(files []file, write bool) string {
	var names []string
	for _, f := range files {
		if f.write != write {
			continue
		}
		name := f.value
		if !f.known {
			name = "?"
		}
		if f.tree {
			name += "/"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// argsOf makes arguments of words: $x is any number of unknown words, "$x" is
// one, a word with * outside of single quotes is a pattern.
func argsOf(line string) []arg {
	var args []arg
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		a := arg{known: true}
		var raw strings.Builder
		for line != "" && line[0] != ' ' {
			if line[0] == '\'' {
				text, rest, _ := strings.Cut(line[1:], "'")
				a.value += text
				raw.WriteString("'" + text + "'")
				line = rest
				continue
			}
			a.glob = a.glob || line[0] == '*'
			a.value += line[:1]
			raw.WriteByte(line[0])
			line = line[1:]
		}
		a.source = raw.String()
		if strings.Contains(a.value, "$x") && !strings.Contains(a.source, "'") {
			a.value, a.known, a.anyNumber = "", false, !strings.Contains(a.source, `"`)
		}
		args = append(args, a)
	}
	return args
}

func allSpecs() map[string]commandSpec {
	all := map[string]commandSpec{"ps (unix)": psSpec, "tar (flags)": tarSpec}
	for _, table := range tables() {
		for name, s := range table {
			all[name] = s
		}
	}
	return all
}

func TestTablesAreSound(t *testing.T) {
	t.Parallel()
	count := 2
	for _, table := range tables() {
		count += len(table)
	}
	all := allSpecs()
	require.Len(t, all, count, "a command stands in two tables")
	for name, s := range all {
		require.NotEmpty(t, s.source, name)
		seen := map[string]bool{}
		for known := range strings.FieldsSeq(s.flags) {
			require.Regexp(t, `^(-[A-Za-z0-9~.][=?<>]?|--[A-Za-z0-9][A-Za-z0-9-]*[=?<>]?|[-+]#)$`, known, name)
			flag := strings.TrimRight(known, "=?<>")
			require.False(t, seen[flag], "%s lists %s twice", name, flag)
			seen[flag] = true
		}
	}
}

// TestFlagsExist asks the programs that are here whether they have the long
// flags of their tables: a flag that does not exist is a slip of the pen.
func TestFlagsExist(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"ls", "stat", "du", "df", "sort", "uniq", "cut", "head", "tail", "wc", "grep", "diff", "cmp", "comm", "cp", "mv", "rm",
		"mkdir", "touch", "ln", "install", "chmod", "chown", "date", "nl", "od", "join", "shuf", "split", "csplit", "sed", "tar", "gzip",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(name)
			if err != nil {
				t.Skip(name + " is not installed")
			}
			help, err := exec.CommandContext(t.Context(), program, "--help").CombinedOutput()
			if err != nil || !strings.Contains(string(help), "--version") {
				t.Skip("the help of " + name + " lists no flags")
			}
			s := allSpecs()[name]
			if name == "tar" {
				s = tarSpec
			}
			var missing []string
			for known := range strings.FieldsSeq(s.flags) {
				flag := strings.TrimRight(known, "=?<>")
				if strings.HasPrefix(flag, "--") && !strings.Contains(string(help), flag) && !slices.Contains(newer, name+" "+flag) {
					missing = append(missing, flag)
				}
			}
			require.Empty(t, missing)
		})
	}
}

// newer are flags that older versions of a program lack, or do not tell.
var newer = []string{
	"sed --binary", "cp --debug", "mv --debug", "wc --total", "date --resolution", "date --rfc-822", "date --rfc-2822", "grep --text",
}

func TestSettingsOfPrograms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line   string
		writes string // files that are written for sure
		asks   bool   // in every mode
		exact  bool
	}{
		{line: "go env -w CC=./x", writes: "/home/me/.config/go/env", asks: true, exact: true},
		{line: "go env -u GOFLAGS", writes: "/home/me/.config/go/env", asks: true, exact: true},
		{line: "go env GOPATH"},
		{line: "npm config set script-shell ./x", writes: "/home/me/.npmrc", asks: true, exact: true},
		{line: "npm --location=project c set script-shell ./x", writes: "/home/me/.npmrc", asks: true, exact: true},
		{line: "npm config delete x", writes: "/home/me/.npmrc"},
		{line: "npm config get registry"},
		{line: "npm pkg set scripts.test=x", writes: "/proj/package.json", exact: true},
		{line: "npm install"},
		{line: "pip3 config set global.index-url http://h.example", writes: "/home/me/.config/pip/pip.conf", asks: true, exact: true},
		{line: "pip config list"},
		{line: "sudo pip config edit", asks: true},
		{line: "conda config --add channels x", writes: "/home/me/.condarc", asks: true, exact: true},
		{line: "conda config --show"},
		{line: "kubectl config use-context x", writes: "/home/me/.kube/config"},
		{line: "poetry config --list"},
		{line: "poetry config x y", writes: "/home/me/.config/pypoetry/config.toml", asks: true, exact: true},
		{line: "gh alias set x '!y'", writes: "/home/me/.config/gh/config.yml", asks: true, exact: true},
		{line: "pre-commit install", writes: "/proj/.git/hooks", asks: true, exact: true},
		{line: "pre-commit run"},
		{line: "yarn config set yarnPath x", writes: "/home/me/.yarnrc", asks: true, exact: true},
	} {
		c := Parse(tt.line, Env{Dir: "/proj", Home: "/home/me"}).Commands[0]
		var sure []string
		for _, p := range c.Paths {
			if p.Write && !p.Guess {
				sure = append(sure, p.Name)
			}
		}
		require.Equal(t, tt.writes, strings.Join(sure, " "), tt.line)
		require.Equal(t, tt.asks, c.AskReason != "", tt.line)
		require.Equal(t, tt.exact, c.NoWildcards, tt.line)
	}
	require.NotEmpty(t, Parse("go env -w CC=x", Env{Dir: "/proj"}).Unknown, "the home directory is not known")
}

func TestHas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		list, name string
		want       bool
	}{
		{list: "-x --exec run", name: "-x", want: true},
		{list: "-x --exec run", name: "--exec", want: true},
		{list: "-x --exec run", name: "run", want: true},
		{list: "-x --exec run", name: "--exe"},
		{list: "-x --exec run", name: "exec"},
		{list: "-x --exec run", name: "-x --exec"},
		{list: "-x --exec run", name: ""},
		{list: "", name: ""},
		{list: "", name: "run"},
	} {
		require.Equal(t, tt.want, has(tt.list, tt.name), "%q in %q", tt.name, tt.list)
	}
}

func FuzzHas(f *testing.F) {
	for _, list := range []string{"", " ", "a", "aaa b", "ab a", "a  b", " a ", "--fix-all --fix", "a\tb"} {
		for _, name := range []string{"", " ", "a", "aa", "a b", "b ", "--fix", "\t"} {
			f.Add(list, name)
		}
	}
	f.Fuzz(func(t *testing.T, list, name string) {
		require.Equal(t, name != "" && slices.Contains(strings.Split(list, " "), name), has(list, name))
	})
}
