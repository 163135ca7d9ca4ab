package shell

import (
	"errors"
	"os"
	"runtime"
	"strings"
)

// A finder finds the programs that run commands and scripts. Names alone do for that, but
// on Windows: there some names are those of stubs, which start a Linux in a virtual machine
// or offer to install a program.
type finder struct {
	windows bool
	env     variables              // of this process
	exists  func(path string) bool // reports whether there is a file
}

func newFinder() finder {
	windows := runtime.GOOS == "windows"
	return finder{windows: windows, env: variables{pairs: os.Environ(), fold: windows}, exists: func(path string) bool {
		info, err := os.Lstat(path) // the stubs cannot be opened
		return err == nil && !info.IsDir()
	}}
}

// errNoBash tells how to get a shell on Windows.
var errNoBash = errors.New("there is no bash for Windows programs; install Git for Windows, which has one, or use PowerShell")

// shell returns the program for a name of Options.Shell that the host did not choose.
func (f finder) shell(name string) (string, error) {
	switch {
	case !f.windows:
		return name, nil
	case name == "bash":
		return f.bash()
	case name == "pwsh":
		return f.powerShell(), nil
	}
	return name, nil
}

// bash returns the bash in PATH that is not the one of the Windows Subsystem for Linux, or
// else that of Git for Windows, which is usually not in PATH.
func (f finder) bash() (string, error) {
	if path := f.inPath("bash.exe"); path != "" {
		return path, nil
	}
	var roots []string
	for _, dir := range f.path() {
		if f.exists(dir + `\git.exe`) { // it is in cmd, bin or mingw64\bin
			parent := parentOf(dir)
			roots = append(roots, parent, parentOf(parent))
		}
	}
	for _, name := range []string{"ProgramFiles", "ProgramW6432", "ProgramFiles(x86)"} {
		if dir, ok := f.env.get(name); ok {
			roots = append(roots, dir+`\Git`)
		}
	}
	if dir, ok := f.env.get("LocalAppData"); ok {
		roots = append(roots, dir+`\Programs\Git`)
	}
	for _, root := range roots {
		for _, name := range []string{`\bin\bash.exe`, `\usr\bin\bash.exe`} {
			if path := root + name; root != "" && f.exists(path) {
				return path, nil
			}
		}
	}
	return "", errNoBash
}

// powerShell returns PowerShell 7, or else the one that every Windows has.
func (f finder) powerShell() string {
	for _, dir := range f.path() {
		if path := dir + `\pwsh.exe`; f.exists(path) { // in the directory of stubs, too, if it is installed from the store
			return path
		}
	}
	if root, ok := f.env.get("SystemRoot"); ok {
		if path := root + `\System32\WindowsPowerShell\v1.0\powershell.exe`; f.exists(path) {
			return path
		}
	}
	return "powershell.exe"
}

// python returns the program and its first arguments for Python 3.
func (f finder) python() []string {
	if !f.windows {
		return []string{"python3"}
	}
	for _, name := range []string{"python3.exe", "python.exe"} {
		if path := f.inPath(name); path != "" {
			return []string{path}
		}
	}
	if path := f.inPath("py.exe"); path != "" {
		return []string{path, "-3"}
	}
	if root, ok := f.env.get("SystemRoot"); ok && f.exists(root+`\py.exe`) {
		return []string{root + `\py.exe`, "-3"}
	}
	return []string{"python3"}
}

// inPath returns the file of that name in PATH that is no stub, or "".
func (f finder) inPath(name string) string {
	for _, dir := range f.path() {
		if path := dir + `\` + name; !f.holdsStubs(dir) && f.exists(path) {
			return path
		}
	}
	return ""
}

// path returns the absolute directories of PATH without slashes at their ends. A relative
// one would be in the project.
func (f finder) path() (dirs []string) {
	value, _ := f.env.get("PATH")
	for dir := range strings.SplitSeq(value, ";") {
		dir = strings.TrimRight(strings.ReplaceAll(strings.Trim(strings.TrimSpace(dir), `"`), "/", `\`), `\`)
		if len(dir) > 2 && dir[1] == ':' && dir[2] == '\\' || strings.HasPrefix(dir, `\\`) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// holdsStubs reports whether a directory holds the system's stubs.
func (f finder) holdsStubs(dir string) bool {
	dir = strings.ToLower(dir)
	if strings.HasSuffix(dir, `\microsoft\windowsapps`) {
		return true
	}
	root, ok := f.env.get("SystemRoot")
	root = strings.ToLower(strings.TrimRight(root, `\`))
	return ok && root != "" && (dir == root || strings.HasPrefix(dir, root+`\`))
}

// parentOf returns the directory above a Windows directory, or "".
func parentOf(dir string) string {
	return dir[:max(strings.LastIndexByte(dir, '\\'), 0)]
}
