package code

import "encoding/json"

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
