package shellparse_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// Allow rules see past a fixed list of wrappers and harmless assignments.
func TestText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ line, want string }{
		"plain":                 {"npm  run\t test", "? npm run test"},
		"quotes stay":           {`npm "run" 'test' \a`, `? npm "run" 'test' \a`},
		"redirections go":       {"npm run >a test 2>&1", "? npm run test"},
		"continued":             {"npm \\\n  run", "? npm run"},
		"timeout":               {"timeout 5 npm t", "? npm t"},
		"timeout with options":  {"timeout -k 1s --signal=KILL --foreground 1.5m npm t", "? npm t"},
		"timeout glued":         {"timeout -sKILL 5 npm t", "? npm t"},
		"timeout unknown":       {"timeout --other 5 npm t", "? timeout --other 5 npm t"},
		"timeout computed":      {"timeout $x npm t", "? timeout $x npm t"},
		"timeout duration":      {"timeout npm t", "? timeout npm t"},
		"nice":                  {"nice npm t", "? npm t"},
		"nice with number":      {"nice -n 10 npm t", "? npm t"},
		"nice old":              {"nice -10 npm t", "? npm t"},
		"nice long":             {"nice --adjustment=5 npm t", "? npm t"},
		"nohup":                 {"nohup npm t", "? npm t"},
		"stdbuf":                {"stdbuf -oL -e 0 npm t", "? npm t"},
		"time":                  {"time npm t", "? npm t"},
		"time program":          {`\time npm t`, "? npm t"},
		"time program option":   {`\time -o x npm t`, `? \time -o x npm t`},
		"command":               {"command npm t", "? npm t"},
		"command -v":            {"command -v npm", "read command -v npm"},
		"command -p":            {"command -p npm", "? command -p npm"},
		"builtin":               {"builtin pwd", "read pwd"},
		"noglob":                {"noglob npm t", "? npm t"},
		"noglob reads":          {"noglob ls", "? ls"},
		"noglob of a pattern":   {"noglob ls *", "? noglob ls *"},
		"noglob behind nice":    {"nice noglob npm t", "? noglob npm t"},
		"builtin of no builtin": {"builtin npm", "? npm"},
		"xargs":                 {"xargs npm t", "? npm t …"},
		"xargs reads":           {"xargs echo a", "read echo a …"},
		"xargs with a flag":     {"xargs -n1 npm t", "? xargs -n1 npm t"},
		"several":               {"timeout 5 nice -n 3 nohup npm t", "? npm t"},
		"quoted wrapper":        {`"timeout" '5' npm t`, "? npm t"},
		"wrapper in braces":     {"timeout {5,npm} t", "? timeout {5,npm} t"},
		"not on the list":       {"npx npm t", "? npx npm t"},
		"sudo":                  {"sudo npm t", "? sudo npm t"},
		"program of builtin":    {"timeout 5 cd src", "? cd src"},
		"safe variable":         {"NODE_ENV=test CI=1 npm t", "? npm t"},
		"safe and unsafe":       {"CI=1 PATH=. npm t", "? PATH=. npm t"},
		"unsafe and safe":       {"PATH=. CI=1 npm t", "? PATH=. CI=1 npm t"},
		"unsafe":                {"GIT_DIR=x pwd", "? GIT_DIR=x pwd"},
		"lower case":            {"npm_config_x=y npm t", "? npm_config_x=y npm t"},
		"odd value":             {"LANG=/tmp/x npm t", "? LANG=/tmp/x npm t"},
		"computed value":        {"CI=$x npm t", "? CI=$x npm t"},
		"added":                 {"LANG+=x npm t", "? LANG+=x npm t"},
		"zone":                  {"TZ=Europe/Paris pwd", "read pwd"},
		"behind a wrapper":      {"timeout 5 CI=1 npm t", "? CI=1 npm t"},
		"alone":                 {"x=1 y=2", "read x=1 y=2"},
		"alone unsafe":          {"PATH=/x", "? PATH=/x"},
		"alone proxy":           {"http_proxy=h", "? http_proxy=h"},
		"export":                {"export CI=1", "read export CI=1"},
		"export unsafe":         {"export BASH_ENV=x", "? export BASH_ENV=x"},
		"export lower":          {"export x=1", "? export x=1"},
		"typeset -x":            {"typeset -x PAGER=x", "? typeset -x PAGER=x"},
		"path":                  {"./ls", "? ./ls"},
		"home":                  {"~/bin/ls", "? ~/bin/ls"},
		"empty name":            {"'' a", "? '' a"},
		"eval":                  {"eval pwd", "? eval pwd"},
		"exec":                  {"exec pwd", "? exec pwd"},
		"echo":                  {"echo $x $(pwd) *", "read echo $x $(pwd) *"},
		"printf":                {"printf '%s' $x", "read printf '%s' $x"},
		"printf -v":             {"printf -v a x", "? printf -v a x"},
		"jobs -x":               {"jobs -x npm", "? jobs -x npm"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := texts(parse(tt.line))
			require.NotEmpty(t, got)
			require.Equal(t, tt.want, got[len(got)-1])
		})
	}
}

func TestExact(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"npm t": false, "CI=1 npm t": false, "PATH=. npm t": true, "watch ls": true, "setsid ls": true, "timeout 5 ionice ls": true, "flock f ls": true,
		"go test ./...": false, "go test -exec ./x": true, "timeout 5 go test -exec=./x": true, "/usr/bin/go test -exec=./x": true, "go run -exec=./x .": false, "go $x": false, "go test $x": true,
		"make": false, "make -j8 -k all check": false, "make -j 4 test": false, "make SHELL=./x": true, "make test SHELL=./x": true, "make -- SHELL=./x": true, "make 'X!=./x'": true, "make X:=1": true, "gmake a=b": true,
		"make -f x": true, "make test -fx": true, "make test -kf x": true, "make test -jf x": true, "make --makefile=x": true, "make --fil=x": true, "make -C /opt": true, "make --eval=x": true, "make --ev=x": true, "make -E x": true,
		"make -e": true, "make -I /opt": true, "make -W x": true, "make ../x": true, "make /opt/x": true, "make $x": true, "make *": true, "make S*": true, "go test a?c": true, "make {a,b}": false, "make {a,SHELL=./x}": true, "make -n -s -B --no-print-directory": false,
		"xargs make": true, "xargs git add": false, "npm run": false, "npm install x": false, "npm --prefix x run y": false, "cargo run --config x": false,
	} {
		require.Equal(t, want, parse(line).Commands[0].Exact, line)
	}
	for line, want := range map[string]bool{
		"go test ./...": false, "Go Test -exec ./x": true, "go.exe test -exec=x": true, `npm run test 'a"b'`: true, `make a\b`: true, "make a,b": true, "git add a,b": false,
	} {
		ps := shellparse.Parse(line, shellparse.Env{Shell: shellparse.PowerShell, Dir: "/d"}).Commands
		require.Equal(t, want, ps[0].Exact, line)
	}
}

// A command is fed if the line says what its standard input is.
func TestFed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"x": false, "x > f": false, "x < /dev/null": false, "x 2>&1": false, "x <&-": false, "x | cat": false, "cat f; x": false, "cat <<< $(x)": false, "cat <(x)": false, "exec 2> f; x": false,
		"x <<E\nE": true, "x <<-E\nE": true, "x <<< a": true, "x < f": true, "x 0< f": true, "x <> f": true, "x <&3": true, "cat f | x": true, "cat f |& x": true, "cat f | timeout 5 x": true, "a | { x; }": true,
		"(x) < f": true, "{ cat; x; } <<< a": true, "while read a; do x; done < f": true, "if cat; then x; fi <<< a": true, "for i in a; do x; done <<< a": true, "cat $(x) < f": true, "f() { x; }": true,
		"exec < f; x": true, "exec 0<<E\na\nE\nx": true, "{ command exec < f; }; x": true, "'exec' < f; x": true, "cat f > >(x)": true, "cat f | tee >(x)": true, "x < f | cat": true, "cat | (cat; x)": true,
	} {
		commands := parse(line).Commands
		i := slices.IndexFunc(commands, func(c shellparse.Command) bool { return c.Text == "x" })
		require.GreaterOrEqual(t, i, 0, "%q", line)
		require.Equal(t, want, commands[i].Fed, "%q", line)
	}
	ps := shellparse.Parse("Get-Content a | x", shellparse.Env{Shell: shellparse.PowerShell, Dir: "/d"}).Commands
	require.False(t, ps[0].Fed)
	require.True(t, ps[1].Fed)
}

// Rules that deny see past quotes, paths, case and all that starts programs.
func TestInner(t *testing.T) {
	t.Parallel()
	const touch = "touch marker"
	tests := map[string]string{
		`"touch" marker`: touch, `'touch' marker`: touch, `\touch marker`: touch, `t\ouch marker`: touch, `t''ouch marker`: touch,
		`$'touch' marker`: touch, `$'\x74\x6fuch' marker`: touch, `$'\u0074ouch' marker`: touch, `$'\164ouch' marker`: touch,
		"to\\\nuch marker": touch, "  touch   marker": touch, "TOUCH marker": touch, "/usr/bin/touch marker": touch, "../bin/Touch marker": touch,
		"A=1 B='a b' touch marker": touch, "A=1 > out B=2 touch marker": touch, "PATH=. timeout 5 touch marker": touch,
		"nice touch marker": touch, "nice -n 10 touch marker": touch, "timeout -k 1 5 touch marker": touch, "stdbuf -o 0 touch marker": touch, "timeout --new 5 touch marker": touch,
		"env touch marker": touch, "env -i A=1 touch marker": touch, "env -u HOME touch marker": touch, "env -S'touch marker'": touch, "env -S 'touch marker'": touch,
		"env --split-string='touch marker'": touch, "env -iS 'touch marker'": touch, "env -S 'touch' marker": touch,
		"sudo -u root -E touch marker": touch, "doas touch marker": touch, "sudo /bin/touch marker": touch, "sudo env A=1 nice touch marker": touch,
		"watch -n 1 touch marker": touch, "watch 'touch marker'": touch, "ionice -c 3 touch marker": touch, "setsid -w touch marker": touch,
		"xargs touch marker": touch, "xargs -n1 touch marker": touch, "xargs -I {} touch marker": touch, "busybox touch marker": touch, "toybox touch marker": touch,
		"sh -c 'touch marker'": touch, `bash -ec "touch marker"`: touch, "bash --norc -c 'ls; (touch marker)'": touch, "/bin/sh -c 'touch marker'": touch, "sh -c -- 'touch marker'": touch, "sh -c +x 'touch marker'": touch,
		"sh -c \"sh -c 'touch marker'\"": touch, "sudo sh -c 'touch marker'": touch, "xargs sh -c 'touch marker'": touch,
		"eval touch marker": touch, "eval 'touch marker'": touch, `eval "tou"ch marker`: touch, "command eval touch marker": touch,
		"exec touch marker": touch, "exec -a x touch marker": touch, "command touch marker": touch, "command -p touch marker": touch, "nohup touch marker": touch,
		"script -qec 'touch marker' /dev/null": touch, "script --command='touch marker' x": touch, "su -c 'touch marker' root": touch, "su root -c 'touch marker'": touch,
		"flock f touch marker": touch, "flock f -c 'touch marker'": touch, "ssh host touch marker": touch, "ssh host 'touch marker'": touch, "parallel touch marker": touch,
		"find . -exec touch marker ;": touch, "find . -execdir /bin/touch marker +": touch, "fd x -x touch marker": touch, "strace -f touch marker": touch,
		"direnv exec . touch marker": touch, "npx touch marker": touch, "trap 'touch marker' EXIT": touch, "alias x='touch marker'": touch,
		"/usr/bin/time -o x touch marker": touch, `"touch" "marker"`: touch,
		"git   push": "git push", "git -C x push": "git push", "git --no-pager push": "git push", "git -p push": "git push", "git -c a=b --git-dir=x push": "git push",
		"git pu''sh": "git push", "/usr/bin/git --git-dir x push": "git push", "env git push": "git push", "GIT push": "git push",
		"'git push'": "git push", `npm "run test" x`: "npm run test x", `'npm' "run test"`: `npm "run test"`,
		"timeout 5 ls": "timeout 5 ls", "A=1 ls": "A=1 ls",
	}
	for line, want := range tests {
		require.Contains(t, inner(parse(line)), want, "%q", line)
	}
}

func TestInnerDoesNotInvent(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"ls touch marker", "echo 'touch marker'", "grep 'touch marker' x", "git log --grep push", "sudo ls touch marker", "timeout 5 ls touch marker"} {
		require.NotContains(t, inner(parse(line)), "touch marker", "%q", line)
		require.NotContains(t, inner(parse(line)), "git push", "%q", line)
	}
}

// A critical removal is found wherever it hides.
func TestCaution(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"rm -rf /", "rm -rf ~", "rm -rf $HOME/", "rm -rf .", "cd src && rm -rf ..", "cd / && rm -rf etc", "cd src; rm -rf ../*", `rm -rf "$D"/*`, "/bin/rm -rf /", "RM -rf /",
		"timeout 5 rm -rf /", "sudo rm -rf /", "env A=1 rm -rf ~", "sh -c 'rm -rf ~'", "eval rm -rf /", "echo $(rm -rf /)", "cat <(rm -rf /)", "find . -exec rm -rf / ';'", "xargs rm -rf /", "f() { rm -rf /; }", "sudo sh -c 'cd / && rm -rf usr'",
	} {
		caution := ""
		for _, c := range parse(line).Commands {
			caution += c.Caution
		}
		require.NotEmpty(t, caution, line)
	}
	for _, line := range []string{"rm -rf build", "rm -rf ./a/*", "cd src && rm -rf a", "ls /", "echo rm -rf /"} {
		for _, c := range parse(line).Commands {
			require.Empty(t, c.Caution, line)
		}
	}
}

func TestRedirections(t *testing.T) {
	t.Parallel()
	read := func(name string) shellparse.Path { return shellparse.Path{Name: name} }
	write := func(name string) shellparse.Path { return shellparse.Path{Name: name, Write: true} }
	tests := map[string]struct {
		line string
		want []shellparse.Path
	}{
		"out":          {"pwd > a", []shellparse.Path{write("/proj/a")}},
		"add":          {"pwd >> a", []shellparse.Path{write("/proj/a")}},
		"force":        {"pwd >| a", []shellparse.Path{write("/proj/a")}},
		"both":         {"pwd &> a", []shellparse.Path{write("/proj/a")}},
		"add both":     {"pwd &>> a", []shellparse.Path{write("/proj/a")}},
		"number":       {"pwd 5>a", []shellparse.Path{write("/proj/a")}},
		"in":           {"pwd < a", []shellparse.Path{read("/proj/a")}},
		"in and out":   {"pwd <> a", []shellparse.Path{write("/proj/a")}},
		"absolute":     {"pwd > /x/../a", []shellparse.Path{write("/x/../a")}},
		"dots stay":    {"pwd > src/../a", []shellparse.Path{write("/proj/src/../a")}},
		"quoted":       {`pwd > "a b"'c'`, []shellparse.Path{write("/proj/a bc")}},
		"escaped":      {`pwd > $'a\x62'`, []shellparse.Path{write("/proj/ab")}},
		"alone":        {"> a", []shellparse.Path{write("/proj/a")}},
		"compound":     {"for i in a; do pwd; done > a", []shellparse.Path{write("/proj/a")}},
		"subshell":     {"(pwd) > a", []shellparse.Path{write("/proj/a")}},
		"not":          {"! pwd > a", []shellparse.Path{write("/proj/a")}},
		"substitution": {"echo $(< a)", []shellparse.Path{read("/proj/a")}},
		"descriptors":  {"pwd 2>&1 >&2 <&0 2>&- 3<&-", nil},
		"null":         {"pwd > /dev/null 2> /dev/null < /dev/null", nil},
		"streams":      {"pwd > /dev/stdout 2> /dev/stderr < /dev/stdin", nil},
		"no files":     {"pwd << E <<< a\nx > y\nE", nil},
		"to a command": {"pwd > >(pwd)", nil},
		"condition":    {"[[ -f a && b -nt c ]]", []shellparse.Path{read("/proj/a"), read("/proj/b"), read("/proj/c")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := parse(tt.line)
			require.Empty(t, l.Unknown)
			require.Equal(t, tt.want, l.Paths)
		})
	}
	t.Run("copied to a file", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, []shellparse.Path{write("/proj/a")}, parse("pwd >& a").Paths)
	})
}
