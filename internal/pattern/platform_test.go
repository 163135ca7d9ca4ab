package pattern_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

var (
	win = pattern.Base{Dir: `C:\srv\app`, Root: `C:\srv`, Home: `C:\Users\Ada`, Platform: pattern.Windows}
	mac = pattern.Base{Dir: "/Users/ada/app", Root: "/Users/ada", Home: "/Users/ada", Platform: pattern.Darwin}
)

func TestWindowsRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, path string
		want             want
	}{
		{name: "one drive", text: "//c/**/.env", path: `C:\x\y\.env`, want: covers},
		{name: "one drive, another", text: "//c/**/.env", path: `D:\x\.env`},
		{name: "all drives", text: "//**/.env", path: `D:\x\.env`, want: covers},
		{name: "a rule with a drive", text: `C:\x\**`, path: `c:\X\y`, want: covers},
		{name: "a rule with a drive and slashes", text: `C:/x/**`, path: `c:/x/y`, want: covers},
		{name: "a rule with doubled backslashes", text: `C:\\x\\y`, path: `C:\x\y`, want: covers},
		{name: "a rule with backslashes", text: `src\*.go`, path: `C:\srv\app\src\a.go`, want: covers},
		{name: "a rule with an escape", text: `src/\[id].go`, path: `C:\srv\app\src\[id].go`, want: covers},
		{name: "a POSIX spelling", text: "/app/a", path: "/c/srv/app/a", want: covers},
		{name: "the source's root", text: "/app/a", path: `C:\srv\app\a`, want: covers},
		{name: "home", text: "~/.ssh/**", path: `c:\users\ada\.ssh\id`, want: covers},
		{name: "letter case of the rule", text: "./SRC/*.GO", path: `C:\srv\app\src\a.go`, want: covers},
		{name: "letter case of a class", text: "./[A-C]", path: `C:\srv\app\b`, want: covers},
		{name: "letter case of an excluding class", text: "./[!a]", path: `C:\srv\app\A`},
		{name: "letter case beyond ASCII: deny and ask only", text: "./É", path: `C:\srv\app\é`, want: touches},
		{name: "composition counts", text: "./é", path: "C:\\srv\\app\\e\u0301"},
		{name: "way up", text: "./a", path: `C:\srv\app\b\..\a`, want: covers},
		{name: "way out", text: "./**", path: `C:\srv\app\..\x`},
		{name: "a dot at the end", text: "./.env", path: `C:\srv\app\.env.`, want: touches},
		{name: "blanks at the end", text: "./.env", path: `C:\srv\app\.env  `, want: touches},
		{name: "a stream", text: "./.env", path: `C:\srv\app\.env::$DATA`, want: touches},
		{name: "a short name", text: "./**", path: `C:\srv\app\PROGRA~1`, want: touches},
		{name: "a device", text: "./**", path: `C:\srv\app\nul.txt`, want: touches},
		{name: "a device's prefix", text: "./a", path: `\\?\C:\srv\app\a`, want: touches},
		{name: "another device's prefix", text: "./a", path: `\\.\C:\srv\app\a`, want: touches},
		{name: "the prefix of NT", text: "./a", path: `\??\C:\srv\app\a`, want: touches},
		{name: "the drive of a machine", text: "~/.ssh/**", path: `\\localhost\c$\Users\Ada\.ssh\id`, want: touches},
		{name: "a machine", text: "//**", path: `\\host\share\a`, want: touches},
		{name: "a machine, said so", text: `\\host\share\**`, path: `\\HOST\share\a`, want: touches},
		{name: "a device's prefix, with slashes", text: "./a", path: `//?/C:/srv/app/a`, want: touches},
		{name: "a device's prefix and a machine", text: `\\host\share\**`, path: `\\?\UNC\host\share\a`, want: touches},
		{name: "a drive at the end of the alphabet", text: `Z:\**`, path: `z:\a`, want: covers},
		{name: "a drive at the start of the alphabet", text: `A:\**`, path: `a:\a`, want: covers},
		{name: "a class of three", text: "./[acz]", path: `C:\srv\app\b`},
		{name: "a port", text: "./**", path: `C:\srv\app\com1.txt`, want: touches},
		{name: "a port of a small figure", text: "./**", path: `C:\srv\app\LPT²`, want: touches},
		{name: "a port with two figures", text: "./**", path: `C:\srv\app\com10`, want: covers},
		{name: "a port without a figure", text: "./**", path: `C:\srv\app\com`, want: covers},
		{name: "a console", text: "./**", path: `C:\srv\app\conin$`, want: touches},
		{name: "a clock", text: "./**", path: `C:\srv\app\CLOCK$`, want: touches},
		{name: "eight characters with a tilde", text: "./**", path: `C:\srv\app\abcdef~1.txt`, want: touches},
		{name: "nine characters with a tilde", text: "./**", path: `C:\srv\app\abcdefg~1.txt`, want: covers},
		{name: "a tilde and an extension of four", text: "./**", path: `C:\srv\app\abc~1.text`, want: covers},
		{name: "a tilde without a number", text: "./**", path: `C:\srv\app\abc~`, want: covers},
		{name: "a tilde before letters", text: "./**", path: `C:\srv\app\abc~1x`, want: covers},
		{name: "a machine with the name of a drive", text: "//c/**", path: `\\c\share\a`, want: touches},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			requireWant(t, tc.want, "Edit", tc.text, writes(tc.path), win)
		})
	}
}

func TestDarwinRules(t *testing.T) {
	t.Parallel()
	const app = "/Users/ada/app/"
	tests := []struct {
		name, text, path string
		want             want
	}{
		{name: "letter case", text: "./A.go", path: app + "a.GO", want: covers},
		{name: "letter case of the base", text: "./a", path: "/users/ADA/app/a", want: covers},
		{name: "letter case beyond ASCII: deny and ask only", text: "./É", path: app + "é", want: touches},
		{name: "composed, decomposed rule: deny and ask only", text: "./se\u0301cret", path: app + "sécret", want: touches},
		{name: "decomposed, composed rule: deny and ask only", text: "./sécret", path: app + "se\u0301cret", want: touches},
		{name: "the same bytes", text: "./sécret", path: app + "sécret", want: covers},
		{name: "behind a wildcard", text: "./*.txt", path: app + "sécret.txt", want: covers},
		{name: "two marks in another order", text: "./a\u0323\u0301", path: app + "a\u0301\u0323", want: touches},
		{name: "Hangul in parts", text: "./각", path: app + "\u1100\u1161\u11A8", want: touches},
		{name: "Hangul as a character", text: "./?", path: app + "\u1100\u1161", want: touches},
		{name: "kana", text: "./が", path: app + "か\u3099", want: touches},
		{name: "a question mark and a mark", text: "./e?", path: app + "e\u0301", want: covers}, // as bytes
		{name: "an invisible character", text: "./.git/**", path: app + ".g\u200cit/config", want: touches},
		{name: "an invisible character behind a wildcard", text: "./**", path: app + ".g\u200cit/config", want: touches},
		{name: "a ligature", text: "./office", path: app + "oﬃce", want: touches},
		{name: "sharp s", text: "./STRASSE", path: app + "straße", want: touches},
		{name: "long s", text: "./.ssh", path: app + ".ſsh", want: touches},
		{name: "the sign of kelvin", text: "./key", path: app + "\u212Aey", want: touches},
		{name: "dotless i is a letter of its own", text: "./.idea", path: app + ".ıdea"},
		{name: "a class beyond ASCII: deny and ask only", text: "./[é]", path: app + "e\u0301", want: touches},
		{name: "a fork", text: "./**", path: app + "a/..namedfork/rsrc", want: touches},
		{name: "a volume", text: "//**", path: "/.vol/16777220/2", want: touches},
		{name: "an ideograph that stands for another", text: "./**", path: app + "\uF900", want: touches},
		{name: "the last of such ideographs", text: "./**", path: app + "\uFAFF", want: touches},
		{name: "a character behind them", text: "./**", path: app + "\uFB50", want: covers},
		{name: "an ideograph of another plane", text: "./**", path: app + "\U0002F800", want: touches},
		{name: "the last one there", text: "./**", path: app + "\U0002FA1F", want: touches},
		{name: "a character behind those", text: "./**", path: app + "\U0002FA20", want: covers},
		{name: "Hangul in three parts behind a letter", text: "./a각b", path: app + "a\u1100\u1161\u11A8b", want: touches},
		{name: "other Hangul", text: "./각", path: app + "\u1100\u1162\u11A8"},
		{name: "no UTF-8", text: "./**", path: app + "\xff", want: touches},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			requireWant(t, tc.want, "Edit", tc.text, writes(tc.path), mac)
		})
	}
}

// TestLinuxTakesBytes: on Linux, all of these are names like any other.
func TestLinuxTakesBytes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"É", "é", "e\u0301", "a:b", "a.", "a ", "PROGRA~1", "nul", ".g\u200cit", `a\b`, "\xff", "a\nb", "C:"} {
		s, err := pattern.Parse("Edit", "./"+pattern.EscapePath(name))
		require.NoError(t, err, name)
		for _, other := range []string{name, "É", "é", "e\u0301", "a:", "a", "A", "NUL", ".git", "a/b"} {
			require.Equal(t, name == other, s.Covers(writes("/srv/app/"+other), base), "%q, %q", name, other)
			require.Equal(t, name == other, s.Touches(writes("/srv/app/"+other), base), "%q, %q", name, other)
		}
		form, doubt := pattern.Canonical(pattern.Linux, "/srv/../"+name)
		require.Equal(t, "/srv/../"+name, form)
		require.Empty(t, doubt)
	}
}

func TestCanonicalWindows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path, want, doubt string // doubt: a part of it, empty: none
	}{
		{path: `C:\a`, want: "/c/a"},
		{path: `c:/a/./b//c/`, want: "/c/a/b/c"},
		{path: "/c/a", want: "/c/a"},
		{path: `C:\`, want: "/c"},
		{path: `C:\..\..\a`, want: "/c/a"},
		{path: `src\..\..\a`, want: "../a"},
		{path: `.`, want: "."},
		{path: ``, want: "."},
		{path: `.gitignore`, want: ".gitignore"},
		{path: `a~b`, want: "a~b"},
		{path: `console.txt`, want: "console.txt"},
		{path: `COM10`, want: "COM10"},
		{path: `文件.txt`, want: "文件.txt"},
		{path: `/ab/c`, want: "/ab/c", doubt: "no drive"},
		{path: `\ab\c`, want: "/ab/c", doubt: "current drive"},
		{path: `/ab/c:d`, want: "/ab/c", doubt: "stream"}, // more than that it names no drive
		{path: `/xy/../C/a`, want: "/c/a", doubt: "cleaned"},
		{path: `/C /a`, want: "/c/a", doubt: "cleaned"},
		{path: `\c\a`, want: "/c/a", doubt: "current drive"}, // not the drive c
		{path: `\`, want: "/", doubt: "current drive"},
		{path: `C:secret.txt`, want: "secret.txt", doubt: "current directory"},
		{path: `C:`, want: ".", doubt: "current directory"},
		{path: `README.md:evil.exe`, want: "README.md", doubt: "stream"},
		{path: `ab::$DATA`, want: "ab", doubt: "stream"},
		{path: `:a`, want: ":a", doubt: "stream"},
		{path: `.git.\x`, want: ".git/x", doubt: "dot or blank"},
		{path: `.git \x`, want: ".git/x", doubt: "dot or blank"},
		{path: `...\x`, want: ".../x", doubt: "only dots"},
		{path: `GIT~1\hooks`, want: "GIT~1/hooks", doubt: "short name"},
		{path: `LONGFI~2.TXT`, want: "LONGFI~2.TXT", doubt: "short name"},
		{path: `CON`, want: "CON", doubt: "device"},
		{path: `a\nul.tar.gz`, want: "a/nul.tar.gz", doubt: "device"},
		{path: `com1`, want: "com1", doubt: "device"},
		{path: `LPT²`, want: "LPT²", doubt: "device"},
		{path: `conin$`, want: "conin$", doubt: "device"},
		{path: `aux .txt`, want: "aux .txt", doubt: "device"},
		{path: `a?`, want: "a?", doubt: "no name on Windows"},
		{path: "a\x01", want: "a\x01", doubt: "no name on Windows"},
		{path: "a\xff", want: "a\xff", doubt: "UTF-8"},
		{path: `\\evil.example@SSL\dav\x`, want: "//evil.example@SSL/dav/x", doubt: "network"},
		{path: `\\host`, want: "//host", doubt: "network"},
		{path: `//host/share`, want: "//host/share", doubt: "network"},
		{path: `\\localhost\C$\Users`, want: "/c/Users", doubt: "network"},
		{path: `\\?\C:\a`, want: "/c/a", doubt: "spelled as a device"},
		{path: `\\?\UNC\host\share\a`, want: "//host/share/a", doubt: "spelled as a device"},
		{path: `\??\UNC\evil.example\share\x`, want: "//evil.example/share/x", doubt: "spelled as a device"},
		{path: `\\\.\C:\a`, want: "/c/a", doubt: "spelled as a device"},
		{path: `\\.\PhysicalDrive0`, want: "//./PhysicalDrive0", doubt: "spelled as a device"},
		{path: `//?/GLOBALROOT/Device/x`, want: "//?/GLOBALROOT/Device/x", doubt: "spelled as a device"},
	}
	for _, tc := range tests {
		form, doubt := pattern.Canonical(pattern.Windows, tc.path)
		require.Equal(t, tc.want, form, tc.path)
		if tc.doubt == "" {
			require.Empty(t, doubt, tc.path)
		} else {
			require.Contains(t, doubt, tc.doubt, tc.path)
		}
	}
}

// FuzzCanonicalWindows: what is in no doubt stays as it is, and holds no way up
// after a name.
func FuzzCanonicalWindows(f *testing.F) {
	for _, path := range []string{`C:\a\..\b`, `\\?\UNC\h\s`, `\??\C:x`, `a:b. .`, `\\h\c$\..`, `//./..`, `C:a\..\..`, "/", `:\.. `} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		form, doubt := pattern.Canonical(pattern.Windows, path)
		require.NotEmpty(t, form)
		require.NotContains(t, form, `\`)
		if doubt == "" {
			again, doubt := pattern.Canonical(pattern.Windows, form)
			require.Equal(t, form, again)
			require.Empty(t, doubt)
			rest := form
			for strings.HasPrefix(rest, "../") {
				rest = rest[3:]
			}
			require.NotContains(t, "/"+strings.TrimPrefix(rest+"/", "../"), "/../")
		}
	})
}
