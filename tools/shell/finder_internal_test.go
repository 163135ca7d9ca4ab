package shell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFinder looks for programs on a made-up Windows.
func TestFinder(t *testing.T) {
	t.Parallel()
	const (
		system  = `C:\WINDOWS\system32`
		stubs   = `C:\Users\a\AppData\Local\Microsoft\WindowsApps`
		windows = "SystemRoot=C:\\Windows"
	)
	for _, tc := range []struct {
		name       string
		env        []string
		files      []string
		bash       string // empty if there is none
		powerShell string
		python     []string
	}{
		{
			name: "nothing", env: []string{windows, "Path=" + system + ";" + stubs},
			files:      []string{system + `\bash.exe`, stubs + `\bash.exe`, stubs + `\python3.exe`, stubs + `\python.exe`},
			powerShell: "powershell.exe", python: []string{"python3"},
		},
		{
			name: "all in the path, behind the stubs", env: []string{windows, `Path=C:\Windows\System32\;` + stubs + `\;"C:\Program Files\Git\usr\bin";C:/Python/;C:\Program Files\PowerShell\7`},
			files: []string{
				`C:\Windows\System32\bash.exe`, stubs + `\python3.exe`, `C:\Program Files\Git\usr\bin\bash.exe`, `C:\Python\python.exe`, `C:\Program Files\PowerShell\7\pwsh.exe`,
				`C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`,
			},
			bash: `C:\Program Files\Git\usr\bin\bash.exe`, powerShell: `C:\Program Files\PowerShell\7\pwsh.exe`, python: []string{`C:\Python\python.exe`},
		},
		{
			name: "beside git", env: []string{windows, `PATH=` + system + `;D:\Git\cmd`},
			files: []string{system + `\bash.exe`, `D:\Git\cmd\git.exe`, `D:\Git\bin\bash.exe`, `D:\Git\usr\bin\bash.exe`, `C:\Windows\py.exe`, `C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`},
			bash:  `D:\Git\bin\bash.exe`, powerShell: `C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`, python: []string{`C:\Windows\py.exe`, "-3"},
		},
		{
			name: "beside another git", env: []string{windows, `PATH=D:\Git\mingw64\bin;D:\py`}, files: []string{`D:\Git\mingw64\bin\git.exe`, `D:\Git\bin\bash.exe`, `D:\py\py.exe`},
			bash: `D:\Git\bin\bash.exe`, powerShell: "powershell.exe", python: []string{`D:\py\py.exe`, "-3"},
		},
		{
			name: "where git is installed", env: []string{windows, `PROGRAMFILES=C:\Program Files`, "path="}, files: []string{`C:\Program Files\Git\bin\bash.exe`},
			bash: `C:\Program Files\Git\bin\bash.exe`, powerShell: "powershell.exe", python: []string{"python3"},
		},
		{
			name: "for one user", env: []string{`LOCALAPPDATA=C:\Users\a\AppData\Local`}, files: []string{`C:\Users\a\AppData\Local\Programs\Git\bin\bash.exe`},
			bash: `C:\Users\a\AppData\Local\Programs\Git\bin\bash.exe`, powerShell: "powershell.exe", python: []string{"python3"},
		},
		{
			name: "pwsh of the store", env: []string{windows, "Path=" + stubs}, files: []string{stubs + `\pwsh.exe`},
			powerShell: stubs + `\pwsh.exe`, python: []string{"python3"},
		},
		{
			name: "not in the project", env: []string{windows, `Path=.;bin;\bin;C:bin`}, files: []string{`.\bash.exe`, `bin\bash.exe`, `\bin\bash.exe`, `C:bin\bash.exe`, `bin\pwsh.exe`, `bin\python.exe`},
			powerShell: "powershell.exe", python: []string{"python3"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := finder{windows: true, env: variables{pairs: tc.env, fold: true}, exists: func(path string) bool {
				for _, file := range tc.files {
					if path == file {
						return true
					}
				}
				return false
			}}
			bash, err := f.shell("bash")
			require.Equal(t, tc.bash, bash)
			if tc.bash == "" {
				require.ErrorIs(t, err, errNoBash)
			} else {
				require.NoError(t, err)
			}
			powerShell, err := f.shell("pwsh")
			require.NoError(t, err)
			require.Equal(t, tc.powerShell, powerShell)
			require.Equal(t, tc.python, f.python())
			other, err := f.shell("fish")
			require.NoError(t, err)
			require.Equal(t, "fish", other)
		})
	}
}

// TestFinderElsewhere leaves names as they are: the system finds them.
func TestFinderElsewhere(t *testing.T) {
	t.Parallel()
	var f finder
	for _, name := range []string{"bash", "pwsh", "zsh"} {
		got, err := f.shell(name)
		require.NoError(t, err)
		require.Equal(t, name, got)
	}
	require.Equal(t, []string{"python3"}, f.python())
}
