package code

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// Options configure [LSP] and [Diagnostics]. The zero value is valid.
type Options struct {
	// Servers are the language servers, those with the same name being the same. Of several
	// that know a file the first is asked. Nil means those of [Known] that are on the path.
	Servers []Server
	Max     int // locations in a result; 0 means DefaultMax
}

// DefaultMax is the default of [Options].Max, as for the files of Glob.
const DefaultMax = 100

// serverFor returns the server that is asked about a file, an absolute path without links.
func (o Options) serverFor(s *pegboard.Session, file string) (*languageserver.Server, error) {
	var dirs []string
	for _, dir := range s.Dirs() {
		dirs = append(dirs, realpath.Resolve(dir))
	}
	var missing []string
	for _, server := range o.servers() {
		if !server.knows(file) {
			continue
		}
		if o.Servers == nil {
			var found bool
			if server, found = server.installed(dirs); !found {
				missing = append(missing, server.Name)
				continue
			}
		}
		return poolOf(s).Server(server.config(), rootOf(file, server.Roots, dirs))
	}
	if missing != nil {
		return nil, fmt.Errorf("no language server for %s is installed here. %s would be used if it were on the path. Use Grep and Read instead", filepath.Base(file), strings.Join(missing, " or "))
	}
	return nil, fmt.Errorf("no language server for files such as %s is set up. Use Grep and Read instead", filepath.Base(file))
}

// servers returns the servers that may be asked.
func (o Options) servers() []Server {
	if o.Servers == nil {
		return Known()
	}
	return o.Servers
}

// rootOf returns the directory that a server works in for a file. Dirs are the working
// directories.
func rootOf(file string, marks, dirs []string) string {
	top := filepath.Dir(file)
	inside := false
	for _, dir := range dirs {
		if realpath.Contains(dir, file) && (!inside || len(dir) < len(top)) {
			top, inside = dir, true
		}
	}
	for _, mark := range marks {
		for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
			if dir == top && inside || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return top
}

// serverNames returns the names of the servers for the description of the tool.
func (o Options) serverNames() string {
	var names []string
	for _, server := range o.servers() {
		if !slices.Contains(names, server.Name) {
			names = append(names, server.Name)
		}
	}
	return strings.Join(names, ", ")
}
