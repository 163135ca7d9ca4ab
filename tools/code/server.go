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

// installed returns s with the place of its program. It reports false if there is none, or
// if one of dirs holds the program: what a working directory holds may be foreign.
func (s Server) installed(dirs []string) (Server, bool) {
	path, err := proc.LookPath(s.Command[0])
	if err != nil || realpath.LeadsThrough(path, dirs) {
		return s, false
	}
	s.Command = append([]string{path}, s.Command[1:]...)
	return s, true
}
