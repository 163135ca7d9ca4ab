package shellparse_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// powershell reads a line on a system other than Windows, windows on Windows.
func powershell(line string) shellparse.Line {
	return shellparse.Parse(line, shellparse.Env{Shell: shellparse.PowerShell, Dir: "/proj", Home: "/home/me"})
}

func windows(line string) shellparse.Line {
	return shellparse.Parse(line, shellparse.Env{Shell: shellparse.PowerShell, Dir: `C:\work\proj`, Home: `C:\Users\me`})
}

func TestPowerShellCommands(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, line, want string }{
		{"cmdlet", "Get-ChildItem -Recurse src", "read Get-ChildItem -Recurse src"},
		{"letter case", "GET-childitem  -RECURSE", "read Get-ChildItem -RECURSE"},
		{"alias", "gci src", "read Get-ChildItem src"},
		{"alias of cmd", "dir", "read Get-ChildItem"},
		{"blanks around", " Get-Date\n", "read Get-Date"},
		{"separators in strings", `Write-Output 'a; b | c' "d && e"`, `read Write-Output 'a; b | c' "d && e"`},
		{"pattern in a string", "Select-String -Pattern 'x (y)' a", "read Select-String -Pattern 'x (y)' a"},
		{"no name of a parameter that reads", "Get-ChildItem -r src", "? Get-ChildItem -r src"},
		{"value behind a colon", "Get-Content -Path:a.txt", "? Get-Content -Path:a.txt"},
		{"git", "git log --oneline -n 5", "read git log --oneline -n 5"},
		{"git with a text", `git log --grep="a b"`, `read git log --grep="a b"`},
		{"git that changes", "git commit -m 'a b'", "change git commit -m 'a b'"},
		{"program nobody knows", "npm test", "? npm test"},
		{"cmdlet nobody knows", "Invoke-Thing x", "? Invoke-Thing x"},
		{"alias of such", "iwr http://x", "? Invoke-WebRequest http://x"},
		{"script", `.\build.ps1 -Fast`, `? .\build.ps1 -Fast`},
		{"qualified", `Microsoft.PowerShell.Management\Get-ChildItem`, `? Microsoft.PowerShell.Management\Get-ChildItem`},
		{"edit", "Set-Content a.txt hello", "? Set-Content a.txt hello"},
		{"removal", "del a.txt", "? Remove-Item a.txt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, l := range []shellparse.Line{powershell(tt.line), windows(tt.line)} {
				require.Empty(t, l.Unknown)
				require.Equal(t, []string{tt.want}, texts(l))
			}
		})
	}
}

// What is an alias on Windows is a program elsewhere.
func TestPowerShellAliasesOfOneSystem(t *testing.T) {
	t.Parallel()
	tests := []struct{ line, here, windows string }{
		{"cat a", "read cat a", "read Get-Content a"},
		{"ls -la", "read ls -la", "? Get-ChildItem -la"},
		{"ls -Force", "? ls -Force", "read Get-ChildItem -Force"},
		{"rm a", "change rm a", "? Remove-Item a"},
		{"sort -o a b", "change sort -o a b", "? Sort-Object -o a b"},
		{"touch a", "change touch a", "? touch a"},
		{"sc stop x", "? sc stop x", "? sc stop x"},
		{"curl http://x", "? curl http://x", "? curl http://x"},
		{"grep x a", "read grep x a", "? grep x a"},
	}
	for _, tt := range tests {
		require.Equal(t, []string{tt.here}, texts(powershell(tt.line)), tt.line)
		require.Equal(t, []string{tt.windows}, texts(windows(tt.line)), tt.line)
	}
}

// No line here may be taken for one that is plain.
func TestPowerShellLinesThatAreNotPlain(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"variable":                     "Remove-Item $x",
		"variable in a string":         `Remove-Item "$x"`,
		"substitution in a string":     `Write-Output "$(Remove-Item a)"`,
		"substitution":                 "Write-Output (Remove-Item a)",
		"array":                        "Write-Output @(Remove-Item a)",
		"separators":                   "Get-Date; Remove-Item a",
		"two lines":                    "Get-Date\nRemove-Item a",
		"pipe":                         "Get-Content a | Remove-Item",
		"list":                         "Get-Date && Remove-Item a",
		"output to a file":             "Remove-Item a > b",
		"list of words":                "Remove-Item a -Include x,y",
		"quote in a string":            "Remove-Item 'it''s'",
		"dollar in a string":           "Remove-Item '$x'",
		"quote in another":             `Remove-Item 'a"b'`,
		"letters beyond ASCII":         "Remove-Item ä",
		"another program that runs it": "cmd /c del a",
		"escape in a word":             "Remove-It`em a",
		"escape in a string":           "Remove-Item \"a`nb\"",
		"line that goes on":            "Remove-Item `\n a",
		"script block":                 "gci | ForEach-Object { Remove-Item a }",
		"condition":                    "if (1) { Remove-Item a }",
		"keyword":                      "return Remove-Item a",
		"here-string":                  "Write-Output @'\na\n'@; Remove-Item a",
		"splatting":                    "Remove-Item @a",
		"end of reading":               "cmd --% /c x; Remove-Item a",
		"comment":                      "Get-Date # Remove-Item a",
		"block comment":                "Get-Date <# x #>; Remove-Item a",
		"call operator":                "& 'Remove-Item' a",
		"job":                          "Remove-Item a &",
		"job and another":              "Get-Date & Remove-Item a",
		"script that is read":          ". Remove-Item a",
		"type":                         "[IO.File]::Delete('a'); Remove-Item a",
		"string alone":                 "'x' | Remove-Item a",
		"number alone":                 "5 | Remove-Item a",
		"operator alone":               "-join a; Remove-Item a",
		"assignment":                   "$x = Remove-Item a",
		"en dash":                      "Remove-Item –Recurse a",
		"curly quotes":                 "Write-Output “x”; Remove-Item a",
		"curly single quotes":          "Write-Output ‘x’; Remove-Item a",
		"curly quote in a string":      "Write-Output 'x’; Remove-Item a; ‘'",
		"no-break space":               "Remove-Item\u00a0a",
		"carriage return":              "Get-Date\rRemove-Item a",
		"zero byte":                    "Get-Date\x00; Remove-Item a",
		"string behind a word":         "Remove-Item a'b'",
		"word behind a string":         "Remove-Item 'a'b",
		"string behind a string":       "Remove-Item 'a'\"b\"",
		"open string":                  "Remove-Item 'a",
		"open pipe":                    "Remove-Item a |",
		"open list":                    "Remove-Item a &&",
		"empty pipe":                   "| Remove-Item a",
		"input":                        "Remove-Item a < b",
		"redirection glued to a word":  "Remove-Item a>b",
		"redirection to a variable":    "Remove-Item a > $nullx",
		"redirection to a pattern":     "Remove-Item a > b*",
		"redirection to a drive":       "Remove-Item a > function:prompt",
		"list of files":                "Remove-Item a,b",
		"list that ends":               "Remove-Item a,",
		"files through a pipe":         "gci | Remove-Item",
		"registry":                     `Remove-Item HKLM:\a`,
		"environment":                  "Remove-Item env:a",
		"function":                     "New-Item function:gci",
		"provider":                     "Remove-Item registry::a",
		"alias that is set":            "Set-Alias gci Remove-Item",
		"text that runs":               "iex 'Remove-Item a'",
		"encoded text":                 "pwsh -enc AAAA; Remove-Item a",
		"text for another PowerShell":  "pwsh -Command 'Remove-Item $a'",
		"pattern for a name":           "Remove-It* a",
		"blanks around a name":         "Remove-Item ' a'",
		"module":                       "Import-Module ./Remove-Item",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, l := range []shellparse.Line{powershell(line), windows(line)} {
				require.NotEmpty(t, l.Unknown, "%+v", l)
			}
		})
	}
}

// A rule that denies sees a command in a plain line under any name, and where its words stand in
// another line. Where a name of the same cmdlet stands, somebody is asked.
func TestPowerShellDeniedTexts(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"Remove-Item a", "remove-item a", "ri a", "rm a", "del a", "ERASE a", "rd a", "rmdir a", "del 'a'", "item; ri a", `.\ri.exe a`,
		`Microsoft.PowerShell.Management\Remove-Item a`, "& Remove-Item a", "& 'Remove-Item' a", `& "ri" 'a'`, "gci | % { Remove-Item a }",
		"Write-Output \"$(ri a)\"", "if (1) {ri a}", "gci|ri a", "Get-Date&&ri a", "Get-Date; Del a", "bash -c 'rm a'", "sudo rm a", "cmd /c \"echo x & del a\"",
	} {
		for _, rule := range []string{"Remove-Item:*", "rm *", "ri a"} {
			for _, l := range []shellparse.Line{powershell(line), windows(line)} {
				require.True(t, touched(t, rule, l), "%s: %s: %q", rule, line, allTexts(l))
			}
		}
	}
	for _, line := range []string{
		". Remove-Item a", "cmd /c Remove-Item a", "powershell -c \"Remove-Item a\"", "pwsh -Command Remove-Item a", "iex 'Remove-Item a'",
		"Start-Process Remove-Item a", "$x = Remove-Item a", "return Remove-Item a", "Remove-It`em a", "'Remove-Item' | % { & $_ Remove-Item a }",
	} {
		for _, l := range []shellparse.Line{powershell(line), windows(line)} {
			require.NotEmpty(t, l.Unknown, line)
			require.True(t, touched(t, "Remove-Item:*", l), "%s: %q", line, allTexts(l))
		}
	}
	for _, line := range []string{
		"cmd /c del a", "cmd.exe /cdel a", "cmd /c d^el a", "pwsh -Command ri a", "powershell -enc AAAA", "saps cmd '/c del a'", "start cmd /c,del,a", "wsl rm a",
		`C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe -c ri a`, "'Remove-Item a' | iex", "return ri a", "Remove-Item\u00a0a",
	} {
		for _, l := range []shellparse.Line{powershell(line), windows(line)} {
			require.NotEmpty(t, l.Unknown, line)
		}
	}
	require.False(t, touched(t, "Remove-Item:*", windows("Get-ChildItem a")))
	require.False(t, touched(t, "Remove-Item:*", windows("git rm a")))
	require.False(t, touched(t, "Remove-Item:*", windows("git rm a; git commit")))
	require.True(t, touched(t, "Get-Date:*", windows("date")), "Get- is tried before a name")
	require.True(t, touched(t, "sc:*", windows("Set-Content a b")))
}

func touched(t *testing.T, rule string, l shellparse.Line) bool {
	t.Helper()
	spec, err := pattern.Parse("PowerShell", rule)
	require.NoError(t, err)
	for _, c := range l.Commands {
		if spec.Touches(pattern.Subject{Kind: pattern.Command, Names: []string{c.Text}, Nested: c.Nested}) {
			return true
		}
	}
	return false
}

func TestPowerShellAllowedTexts(t *testing.T) {
	t.Parallel()
	spec, err := pattern.Parse("PowerShell", "get-childitem:*")
	require.NoError(t, err)
	for _, line := range []string{"gci", "gci src", "dir -Recurse", "GET-CHILDITEM x", "Get-ChildItem"} {
		for _, l := range []shellparse.Line{powershell(line), windows(line)} {
			require.True(t, spec.Covers(pattern.Subject{Kind: pattern.Command, Names: []string{l.Commands[0].Text}}), line)
		}
	}
	for _, line := range []string{"gi x", "Get-ChildItems x", "git x", "& gci", `x\gci`, `.\gci`, "iex gci"} {
		for _, c := range windows(line).Commands {
			if c.Class == shellparse.Unknown && windows(line).Unknown == "" {
				require.False(t, spec.Covers(pattern.Subject{Kind: pattern.Command, Names: []string{c.Text}}), line)
			}
		}
	}
}

func TestPowerShellParameters(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"Get-Content -Pa a", "Get-Content -P:a", "Get-ChildItem -Recurse:x", "Get-ChildItem --", "Get-ChildItem -FollowSymlink", "Get-Content -?",
		"Get-Content a -OutVariable x", "Get-Date -Path:x", "git -c:x log", "git log -x.y", "git commit -m ''", "Set-Content -Value x", "Get-Item -Stream x a",
		"git log ~/x", `git log a\`, "export a", "Get-Process -ComputerName x",
	} {
		l := windows(line)
		require.Equal(t, shellparse.Unknown, l.Commands[0].Class, line)
	}
}

func TestPowerShellPaths(t *testing.T) {
	t.Parallel()
	type paths = []shellparse.Path
	tests := []struct {
		line          string
		here, windows paths
	}{
		{"Get-Content a", paths{{Name: "/proj/a"}}, paths{{Name: `C:\work\proj\a`}}},
		{`Get-Content .\a\b`, paths{{Name: "/proj/a/b"}}, paths{{Name: `C:\work\proj\a\b`}}},
		{"Get-Content src/*.go", paths{{Name: "/proj/src/.", Tree: true}}, paths{{Name: `C:\work\proj\src\.`, Tree: true}}},
		{"Get-Content '~/x'", paths{{Name: "/home/me/x"}}, paths{{Name: `C:\Users\me\x`}}},
		{"Get-ChildItem", paths{{Name: "/proj"}}, paths{{Name: `C:\work\proj`}}},
		{"gci -Recurse src", paths{{Name: "/proj/src", Tree: true}}, paths{{Name: `C:\work\proj\src`, Tree: true}}},
		{"gci src -Filter ../x", paths{{Name: "/proj/src"}, {Name: "/proj/../x"}}, paths{{Name: `C:\work\proj\src`}, {Name: `C:\work\proj\..\x`}}},
		{"gci -rec src", paths{{Name: "/proj/src", Guess: true, Tree: true}}, paths{{Name: `C:\work\proj\src`, Guess: true, Tree: true}}},
		{"Select-String -Pattern x a", paths{{Name: "/proj/x"}, {Name: "/proj/a"}}, paths{{Name: `C:\work\proj\x`}, {Name: `C:\work\proj\a`}}},
		{"Set-Content a.txt", paths{{Name: "/proj/a.txt", Guess: true, Write: true, MayWrite: true}}, paths{{Name: `C:\work\proj\a.txt`, Guess: true, Write: true, MayWrite: true}}},
		{"Set-Content -Path:a.txt", paths{{Name: "/proj/a.txt", Guess: true, Write: true, MayWrite: true}}, paths{{Name: `C:\work\proj\a.txt`, Guess: true, Write: true, MayWrite: true}}},
		{"Remove-Item a", paths{{Name: "/proj/a", Write: true, Tree: true}}, paths{{Name: `C:\work\proj\a`, Write: true, Tree: true}}},
		{"Set-Content src/* x", paths{{Name: "/proj/src/.", Guess: true, Write: true, Tree: true, MayWrite: true}, {Name: "/proj/x", Guess: true, Write: true, Tree: true, MayWrite: true}}, paths{{Name: `C:\work\proj\src\.`, Guess: true, Write: true, Tree: true, MayWrite: true}, {Name: `C:\work\proj\x`, Guess: true, Write: true, Tree: true, MayWrite: true}}},
		{"head a/b", paths{{Name: "/proj/a/b"}}, paths{{Name: `C:\work\proj\a\b`}}},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.here, powershell(tt.line).Commands[0].Paths)
			require.Equal(t, tt.windows, windows(tt.line).Commands[0].Paths)
		})
	}
	require.Equal(t, paths{{Name: `D:\a\b`}}, windows("Get-Content D:/a/b").Commands[0].Paths)
	require.Equal(t, paths{{Name: `\a`}}, windows("Get-Content /a").Commands[0].Paths, "on the current drive")
	require.NotEmpty(t, powershell("Get-Content D:/a").Unknown)
	require.Contains(t, windows(`x D:\a\b`).Commands[0].Paths, shellparse.Path{Name: `D:\a\b`, Guess: true, Write: true, MayWrite: true})
	require.Contains(t, windows("Get-Date > o").Commands[0].Paths, shellparse.Path{Name: `C:\work\proj\o`, Guess: true, Write: true, MayWrite: true})
	require.Contains(t, windows("gci | cat 'src/o'").Commands[1].Paths, shellparse.Path{Name: `C:\work\proj\src\o`, Guess: true})
}

func TestPowerShellNetworkPaths(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`Get-Content \\host\share\a`, "Get-Content //host/share/a", `Get-Content -Path:\\host\a`, `gci '/\host/a'`, `npm --x=\\host\a`,
		`\\host\a\x.exe`, `Get-Date > \\host\a\b`, `Test-Path FileSystem::\\host\a`, `Get-Content a,\\host\b`, `Write-Output $x \\host\a`,
		`Get-Content \\?\C:\a`,
	} {
		l := windows(line)
		require.NotEmpty(t, l.Commands[0].AskReason, line)
	}
	require.Empty(t, windows(`Write-Output http://host/a`).Commands[0].AskReason)
}

func TestPowerShellRemovals(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`Remove-Item C:\`, `ri C: -Recurse`, "Remove-Item / -Recurse", "del /", `Remove-Item C:\Users`, `Remove-Item C:\Windows\System32\a`,
		`rm 'C:\Program Files\a'`, "Remove-Item ~", "Remove-Item -Path:~ -Recurse", "Remove-Item *", `Remove-Item build\*`, "Remove-Item ./build/*.*",
		`Remove-Item c:/x/../windows`, `Remove-Item -Pa C:\ -Rec`, "Remove-Item $HOME -Recurse", `ri "$env:SystemRoot\x"`, "Remove-Item $x/*",
		`cmd /c rd /s /q C:\`, `pwsh -c "Remove-Item C:\"`, `& { ri -Recurse C:\ }`, "Remove-Item a,/", `Remove-Item -LiteralPath \`,
	} {
		for _, l := range []shellparse.Line{powershell(line), windows(line)} {
			if strings.HasPrefix(line, "rm ") && l.Unknown != "" {
				continue
			}
			banned := false
			for _, c := range l.Commands {
				banned = banned || c.DenyReason != ""
				require.True(t, c.DenyReason == "" || c.AskReason != "")
			}
			require.True(t, banned, "%s: %+v", line, l)
		}
	}
	for _, line := range []string{"Remove-Item a", "Remove-Item *.log", "Remove-Item -Recurse build", "Get-Content *", `cmd /c del /q a`, "Remove-Item -Recurse .", "Remove-Item .. -Recurse -Filter *"} {
		require.Empty(t, windows(line).Commands[0].DenyReason, line)
	}
	require.Empty(t, powershell("Remove-Item -Recurse .").Commands[0].DenyReason)
}

// No mode that accepts edits covers a command of PowerShell.
func TestPowerShellEdits(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"Set-Content a b", "Remove-Item a", "Copy-Item a b", "touch a", "mkdir a"} {
		for _, l := range []shellparse.Line{powershell(line), windows(line)} {
			require.False(t, l.Commands[0].EditsOnly, line)
		}
	}
}

func TestPowerShellGit(t *testing.T) {
	t.Parallel()
	env := shellparse.Env{Shell: shellparse.PowerShell, Dir: `C:\work\proj`, Home: `C:\Users\me`, GitAliases: func(dir, home, _ string) ([]string, error) {
		require.Equal(t, `C:\work\proj C:\Users\me`, dir+" "+home)
		return []string{"push --force"}, nil
	}}
	require.Equal(t, env.Dir, shellparse.Parse("git status", env).Commands[0].Git.Dir)
	require.Equal(t, shellparse.Unknown, shellparse.Parse("git push", env).Commands[0].Class)
	require.True(t, touched(t, "git push:*", shellparse.Parse("git p", env)))
}

func TestPowerShellLimits(t *testing.T) {
	t.Parallel()
	l := powershell(strings.Repeat("gl;", 501))
	require.NotEmpty(t, l.Unknown)
	require.Len(t, l.Commands, 500)
	require.NotEmpty(t, powershell(strings.Repeat("a", 10_001)).Unknown)
	require.NotEmpty(t, powershell(strings.Repeat("cmd /c ", 20)+"del a").Unknown)
	require.NotEmpty(t, powershell(strings.Repeat("sudo ", 1000)+"rm a").Unknown)
	require.NotEmpty(t, powershell(strings.Repeat("pwsh -c ", 1000)+"ri a").Unknown)
	require.NotEmpty(t, powershell(strings.Repeat("pwsh -x a ", 500)).Unknown)
	require.NotEmpty(t, powershell("Write-Output 'a\xff'").Unknown)
}

func FuzzParsePowerShell(f *testing.F) {
	for _, seed := range []string{
		"gci -Recurse | Select-String x > o 2>&1", `Get-Content -Path:"a b",c`, "& { ri $x }", "cmd /c del a & b", "pwsh -c 'iex \"a\"'", `Remove-Item C:\a..\* ~`,
		"git --format='x' -C a log", "a,b 'it''s' --% <# #> @'\n'@", `\\h\s //h :: = , -: -`, "x::y -a:b=c,d -:b", "cmd \xde\xde\xde/c x /k",
	} {
		f.Add(seed, `C:\proj`)
		f.Add(seed, "/proj")
		f.Add(seed, "")
	}
	f.Fuzz(func(t *testing.T, line, dir string) {
		l := shellparse.Parse(line, shellparse.Env{Shell: shellparse.PowerShell, Dir: dir, Home: "/home/me"})
		require.LessOrEqual(t, len(l.Commands), 500)
		for _, c := range l.Commands {
			require.Equal(t, c.Class == shellparse.ReadOnly, c.Reason == "", "%+v", c)
			require.True(t, c.DenyReason == "" || c.AskReason != "")
		}
		if l.Unknown == "" {
			require.NotContains(t, strings.Map(dropStrings(), line), "$x")
		}
	})
}

// dropStrings leaves out what stands between single or double quotes.
func dropStrings() func(rune) rune {
	var quote rune
	return func(r rune) rune {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case quote == 0:
			return r
		}
		return -1
	}
}

// PowerShell itself finds one command in a plain line.
func TestPowerShellAgainstItself(t *testing.T) {
	t.Parallel()
	pwsh, err := exec.LookPath("pwsh")
	if err != nil {
		t.Skip("pwsh is not installed")
	}
	const script = `$e = $null; $a = [Management.Automation.Language.Parser]::ParseInput($env:PLAIN_LINE, [ref]$null, [ref]$e)
if ($e) { 'invalid' } else { $a.FindAll({ $args[0] -is [Management.Automation.Language.CommandAst] }, $true).Count }`
	for _, line := range []string{
		"gci -Recurse", `Get-Content "a b"`, `Write-Output 'a; b {c} (d) #'`, "git log --format='%h %s' -n5", "rg ^a*?b! --x=%y ~/z", `.\a.ps1 C:\b:c -d: e`,
	} {
		require.Empty(t, powershell(line).Unknown, line)
		cmd := exec.Command(pwsh, "-NoProfile", "-Command", script)
		cmd.Env = append(cmd.Environ(), "PLAIN_LINE="+line)
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, "1", strings.TrimSpace(string(out)), line)
	}
}

// TestPowerShellWildcardBeforeParents: what a wildcard stands for may lie anywhere, and with
// it the directory above it.
func TestPowerShellWildcardBeforeParents(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"Get-Content src/*/../../../out/secret.txt", `Get-ChildItem *\..\..`, "Get-Content s?c/../a", "Get-Content ?*/.."} {
		l := shellparse.Parse(line, shellparse.Env{Shell: shellparse.PowerShell, Dir: "/proj", Home: "/home/me"})
		require.Contains(t, l.Unknown, "wildcard", line)
	}
	for _, line := range []string{"Get-Content */a", "Get-Content ../*", "Get-Content a..b/*/c..d"} {
		l := shellparse.Parse(line, shellparse.Env{Shell: shellparse.PowerShell, Dir: "/proj", Home: "/home/me"})
		require.Empty(t, l.Unknown, line)
	}
}
