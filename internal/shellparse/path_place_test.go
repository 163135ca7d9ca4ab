package shellparse_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		line string
		want []string
	}{
		"relative":           {"cat a", []string{"/proj/a"}},
		"dot":                {"cat ./a .//b", []string{"/proj/a", "/proj/b"}},
		"dots":               {"cat a/../../b", []string{"/proj/a/../../b"}},
		"absolute":           {"cat /a/./b", []string{"/a/./b"}},
		"tilde":              {"cat ~/a", []string{"/home/me/a"}},
		"tilde alone":        {"cat ~", []string{"/home/me"}},
		"tilde quoted":       {"cat '~/a' \\~/b ''~/c", []string{"/proj/~/a", "/proj/~/b", "/proj/~/c"}},
		"home":               {`cat $HOME/a "${HOME}/b"`, []string{"/home/me/a", "/home/me/b"}},
		"home quoted":        {`cat '$HOME/a'`, []string{"/proj/$HOME/a"}},
		"working directory":  {`cat $PWD/a "${PWD}/b"`, []string{"/proj/a", "/proj/b"}},
		"it quoted":          {`cat '$PWD/a'`, []string{"/proj/$PWD/a"}},
		"it behind cd":       {"cd src && cat $PWD/a", []string{"/proj/src/a"}},
		"it in a subshell":   {"(cd src && pwd); cat $PWD/a", []string{"/proj/a"}},
		"pieces":             {`cat ".en"v a''b a\ b`, []string{"/proj/.env", "/proj/ab", "/proj/a b"}},
		"escapes":            {`cat $'\x2eenv' $'\056e\n'`, []string{"/proj/.env", "/proj/.e\n"}},
		"braces":             {"cat {a,~/b}", []string{"/proj/a", "/home/me/b"}},
		"braces in a word":   {"cat ~/.{ssh,x}/{a,b}", []string{"/home/me/.ssh/a", "/home/me/.ssh/b", "/home/me/.x/a", "/home/me/.x/b"}},
		"braces in braces":   {"cat {a,{b,c}d}", []string{"/proj/a", "/proj/bd", "/proj/cd"}},
		"series":             {"cat a{3..1}", []string{"/proj/a3", "/proj/a2", "/proj/a1"}},
		"no braces":          {"cat a{b}c {} '{a,b}' @{u}", []string{"/proj/a{b}c", "/proj/{}", "/proj/{a,b}", "/proj/@{u}"}},
		"glob":               {"cat *.go .////*", []string{"/proj/*.go", "/proj/*"}},
		"no glob":            {`cat '*' \? [`, []string{"/proj/*", "/proj/?", "/proj/["}},
		"process":            {"cat <(pwd) a", []string{"/proj/a"}},
		"behind cd":          {"cd src && cat a", []string{"/proj/src/a"}},
		"after cd":           {"cd src; cat a", []string{"/proj/a", "/proj/src/a"}},
		"behind two":         {"cd a && cd b && cat c", []string{"/proj/a/b/c"}},
		"cd absolute":        {"cd /x/ && cat a", []string{"/x/a"}},
		"cd dot":             {"cd ./. ; cat a", []string{"/proj/a"}},
		"cd up":              {"cd src/.. && cat a", []string{"/proj/a", "/proj/src/../a"}},
		"cd home":            {"cd && cat a", []string{"/home/me/a"}},
		"cd options":         {"cd -P -- src && cat a", []string{"/proj/src/a"}},
		"cd failed":          {"cd src || cat a", []string{"/proj/a"}},
		"cd failed or not":   {"cd src || pwd; cat a", []string{"/proj/a", "/proj/src/a"}},
		"cd not":             {"! cd src && cat a", []string{"/proj/a"}},
		"cd in subshell":     {"(cd src; pwd); cat a", []string{"/proj/a"}},
		"cd in block":        {"{ cd src; } && cat a", []string{"/proj/a", "/proj/src/a"}},
		"cd in substitution": {"pwd $(cd src); cat a", []string{"/proj/a"}},
		"cd in pipe":         {"cd src | pwd; cat a", []string{"/proj/a"}},
		"cd behind":          {"cd src & cat a", []string{"/proj/a"}},
		"cd in if":           {"if pwd; then cd src; fi; cat a", []string{"/proj/a", "/proj/src/a"}},
		"cd as condition":    {"if cd src; then pwd; else cat a; fi", []string{"/proj/a"}},
		"cd in case":         {"case x in a) cd src;; b) cd docs;; esac; cat a", []string{"/proj/a", "/proj/docs/a", "/proj/src/a", "/proj/src/docs/a"}},
		"command cd":         {"command cd src && cat a", []string{"/proj/src/a"}},
		"wrapped cat":        {"timeout 5 cat a", []string{"/proj/a"}},
		"name of an option":  {"npm --x=/a -f b ~/c", []string{"/a", "/proj/b", "/home/me/c"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := parse(tt.line)
			require.Empty(t, l.Unknown)
			require.Equal(t, tt.want, names(l))
		})
	}
}

func TestCdIsARead(t *testing.T) {
	t.Parallel()
	l := parse("cd ../x")
	require.Equal(t, []string{"read cd ../x"}, texts(l))
	require.Equal(t, []shellparse.Path{{Name: "/proj/../x", Enters: true}}, l.Commands[0].Paths)
	require.Equal(t, []shellparse.Path{{Name: "/home/me", Enters: true}}, parse("cd").Commands[0].Paths)
}

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"cat $x", "cat \"$x\"", "cat ~you/x", "cat ~+", "cat $(pwd)", "cat {a,b", "cat {a..c}", "cat {01..03}", "cat {,a}", "cat '*'*", "cat a=~/x", "cat $'\\c'", `cat $"a"`,
		"cd $x", "cd -", "cd ~you", "cd a b", "cd +1", "cd *", "cd ''", "pushd; cat a", "popd; cat a", "source x; cat a", "eval pwd; cat a",
		"while pwd; do cd ..; done", "for i in a; do cd a; done", "f() { cd a; }; f", "cd a; cd b; cd c; cat d", "cd src; f() { pwd; }; cd ..; f", "popd; pwd > a", "xargs cat", "HOME=/x; cat ~/a", "PWD=/x; cat $PWD/a", "read PWD; cat $PWD/a", "cd src; cat $PWD/a", "cat ~-/a", "read HOME; cat $HOME/a",
	} {
		require.NotEmpty(t, parse(line).Unknown, "%q", line)
	}
}

func TestHomeThatIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"cat ~/a", "cat $HOME/a", "cd; cat a"} {
		require.NotEmpty(t, shellparse.Parse(line, shellparse.Env{Dir: "/proj"}).Unknown, line)
	}
	require.NotEmpty(t, shellparse.Parse("cat $HOME/a", shellparse.Env{Dir: "/proj", Home: "/a b"}).Unknown)
	require.Empty(t, shellparse.Parse(`cat "$HOME/a"`, shellparse.Env{Dir: "/proj", Home: "/a b"}).Unknown)
}

func TestDirectoryThatIsNotKnown(t *testing.T) {
	t.Parallel()
	l := shellparse.Parse("cat a", shellparse.Env{})
	require.NotEmpty(t, l.Unknown)
	require.Equal(t, []string{"a"}, names(l))
	require.Empty(t, shellparse.Parse("cat /a", shellparse.Env{}).Unknown)
}

// With CDPATH, cd may find a directory of that name elsewhere.
func TestDirectoryOfCDPATH(t *testing.T) {
	t.Parallel()
	for line, known := range map[string]bool{
		"CDPATH=/m; cd src; touch new": false, "CDPATH=/m cd src; touch new": false, "export CDPATH=/m && cd src/x && touch new": false, "read CDPATH; cd src": false,
		"CDPATH=/m sh -c 'cd src; touch new'": false, "CDPATH=/m; (cd src; make)": false, "CDPATH=/m; pushd src": false,
		"CDPATH=/m; cd ./src; touch new": true, "CDPATH=/m; cd ../src": true, "CDPATH=/m; cd /src": true, "echo $CDPATH; cd src": true, "cd src; touch new": true,
	} {
		require.Equal(t, known, parse(line).Unknown == "", line)
	}
	env := testEnv()
	env.IsExported = func(name string) bool { return name == "CDPATH" }
	require.NotEmpty(t, shellparse.Parse("cd src; touch new", env).Unknown, "the environment has it")
	require.Empty(t, shellparse.Parse("cd ./src; touch new", env).Unknown)
}

// Git reads the configuration of the directory that it starts in.
func TestGitInAnotherDirectory(t *testing.T) {
	t.Parallel()
	for line, known := range map[string]bool{
		"git status": true, "cd . && git status": true, "cd /proj; git status": true, "(cd src); git status": true,
		"cd src && git status": true, "cd src; git status": false, "pushd src && git status": true, "popd; git status": false, "cd src || git status": true, "cd src && cd .. && git status": false,
	} {
		l := parse(line)
		require.Equal(t, known, l.Commands[len(l.Commands)-1].Class == shellparse.ReadOnly, line)
	}
}

// A directory in which commands run is marked, whatever leads there.
func TestDirectoriesThatCommandsEnter(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"cd /a; ls": "/a", "pushd ../a": "/proj/../a", "(cd a && make)": "/proj/a", "cd": "/home/me", "make -C /a all": "/a", "env -C a make": "/proj/a",
		"npm --prefix /a run x": "/a", "timeout 5 make --directory=/a": "/a", "sudo -D /a make": "/a", "go -C /a build ./...": "/a", "sh -c 'cd /a && make'": "/a",
	} {
		var entered []string
		for _, c := range parse(line).Commands {
			for _, p := range c.Paths {
				if p.Enters {
					require.False(t, p.Write)
					entered = append(entered, p.Name)
				}
			}
		}
		require.Contains(t, entered, want, line)
	}
	for _, line := range []string{"ls /a", "cat a", "git -C /a status", "tar -C /a -cf x.tar .", "make -j 4"} {
		for _, c := range parse(line).Commands {
			for _, p := range c.Paths {
				require.False(t, p.Enters, line)
			}
		}
	}
	require.NotEmpty(t, parse("make -C a -C b -C c -C d -C e").Unknown)
}

// TestEnvironmentIsLookedAtForCdAlone: to read the environment takes longer than to read a line.
func TestEnvironmentIsLookedAtForCdAlone(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{"git status && make -s test | tail -20": 0, "cd ./a && ls": 0, "cd a && ls": 1} {
		asked := 0
		shellparse.Parse(line, shellparse.Env{Dir: "/proj", Home: "/home/me", IsExported: func(string) bool { asked++; return false }})
		require.Equal(t, want, asked, line)
	}
}

// To replace a pattern, the shell reads a directory.
func TestPatternsAreReads(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"echo /etc/*":                         "/etc/*",
		"echo ~/.ssh/*":                       "/home/me/.ssh/*",
		`printf '%s\n' secrets/*`:             "/proj/secrets/*",
		"for f in ../*; do echo $f; done":     "/proj/../*",
		"select f in ../*; do echo; done":     "/proj/../*",
		"basename -a ../*":                    "/proj/../*",
		"npm run x /etc/*":                    "/etc/*",
		"x=(/etc/*)":                          "/etc/*",
		"declare x=(/etc/*)":                  "/etc/*",
		"x='/etc/*'; echo $x":                 "/etc/*",
		"for f in 'a /etc/*'; do ls $f; done": "/etc/*",
		"cd /etc && echo *":                   "/etc/*",
		"true /etc/s[h]*":                     "/etc/s[h]*",
	}
	for line, want := range tests {
		l := parse(line)
		found := slices.Clone(l.Paths)
		for _, c := range l.Commands {
			found = append(found, c.Paths...)
		}
		require.Contains(t, found, shellparse.Path{Name: want, Glob: true}, "%q", line)
	}
}
