package code

import (
	"encoding/json"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// A Server is a language server. Name, Command and Languages are required. The times are our
// choice; a first request of gopls in a large module takes some seconds.
type Server struct {
	Name      string            // for the model, and to tell servers apart
	Command   []string          // the program, which is looked up on the path, and its arguments
	Languages map[string]string // language ids by file ending, such as ".go": "go"
	// Roots are files that mark a root, such as go.mod. The first of them that a directory
	// above the file has counts, of several such directories the nearest. No directory above
	// the working directory that holds the file is looked at. Without a mark the root is that
	// working directory, and for a file outside of all the directory of the file.
	Roots    []string
	Options  json.RawMessage // initializationOptions; nil means none
	Settings json.RawMessage // an object, the answer to workspace/configuration; nil means none

	Begin   time.Duration // how long the server may take to start; 0 means 30 s
	Request time.Duration // how long a request may take; 0 means 30 s
	Idle    time.Duration // how long the server runs without a request; 0 means 30 min
}

// config returns the configuration of the process.
func (s Server) config() languageserver.Config {
	return languageserver.Config{
		Name: s.Name, Command: s.Command, Languages: s.Languages, Roots: s.Roots, Options: s.Options, Settings: s.Settings,
		Begin: s.Begin, Request: s.Request, Idle: s.Idle,
	}
}

// knows reports whether the server knows files with the ending of file.
func (s Server) knows(file string) bool { return s.config().Language(file) != "" }

// installed returns s with the place of its program. It reports false if the program does not
// exist, or if it is in one of dirs: the content of a working directory may be foreign.
func (s Server) installed(dirs []string) (Server, bool) {
	path, err := proc.LookPath(s.Command[0])
	if err != nil || realpath.LeadsThrough(path, dirs) {
		return s, false
	}
	s.Command = append([]string{path}, s.Command[1:]...)
	return s, true
}

// Known returns a table of common language servers. With nil [Options].Servers those are used
// that are on the path. A program inside a working directory is never used. The caller may
// change the result.
//
// Some servers run code of the project. Their options here turn that off where the server has
// one: no toolchain that go.mod names, no build scripts, procedural macros and checks of Cargo,
// no download of types for JavaScript. What remains is in docs/code.md. A server inherits all
// variables of this process.
func Known() []Server {
	return []Server{
		{
			Name: "gopls", Command: []string{"gopls"},
			Languages: map[string]string{".go": "go", "go.mod": "go.mod", "go.work": "go.work"},
			Roots:     []string{"go.work", "go.mod"},
			// The go command would run, or download, the toolchain that go.mod names.
			Options: json.RawMessage(`{"env": {"GOTOOLCHAIN": "local"}}`),
		},
		{
			Name: "typescript-language-server", Command: []string{"typescript-language-server", "--stdio"},
			Languages: map[string]string{
				".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
				".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
			},
			Roots: []string{"tsconfig.json", "jsconfig.json", "package.json"},
			// The second process, which answers while the project is loaded, knows one file only.
			// The path is that of the tsserver on the path, which the one of the project would
			// precede.
			Options: json.RawMessage(`{"tsserver": {"useSyntaxServer": "never", "path": "tsserver"}, "disableAutomaticTypingAcquisition": true}`),
		},
		{
			Name: "pyright", Command: []string{"pyright-langserver", "--stdio"},
			Languages: map[string]string{".py": "python", ".pyi": "python"},
			Roots:     []string{"pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"},
		},
		{
			Name: "rust-analyzer", Command: []string{"rust-analyzer"},
			Languages: map[string]string{".rs": "rust"},
			Roots:     []string{"Cargo.toml"},
			// A check runs build scripts, too.
			Options: json.RawMessage(`{"cargo": {"buildScripts": {"enable": false}}, "procMacro": {"enable": false}, "checkOnSave": false}`),
		},
		{
			Name: "clangd", Command: []string{"clangd"},
			Languages: map[string]string{
				".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp",
				".m": "objective-c", ".mm": "objective-cpp",
			},
			Roots: []string{"compile_commands.json", "compile_flags.txt", ".clangd"},
		},
	}
}
