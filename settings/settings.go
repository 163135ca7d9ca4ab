// Package settings reads and writes the settings files of Claude Code, as its documentation
// of settings describes them, so that they work unchanged in another program. [Locate] finds
// the files of a session, [Files.Load] reads them, [Files.Save] and [Files.Approve] write the
// answers of the user, [Files.Changed] reports that a file has changed, and [Explain] shows where
// each setting comes from.
//
// # Sources
//
// From the highest precedence to the lowest:
//
//	managed       managed-settings.json and managed-settings.d/*.json of the system
//	command line  see [Flags]
//	local         .claude/settings.local.json of the project
//	project       .claude/settings.json of the project
//	user          .claude/settings.json of the home directory
//
// Lists of several sources are joined, single values are those of the highest source. MCP
// servers come from .mcp.json of the project and from .claude.json of the home directory, of
// which nothing but mcpServers and projects[DIR].mcpServers is read.
//
// # Keys
//
//	permissions                                           Loaded.Permissions
//	hooks, disableAllHooks, allowManagedHooksOnly         Loaded.Hooks
//	allowedHttpHookUrls, httpHookAllowedEnvVars           Loaded.HookURLs, Loaded.HookEnv
//	env                                                   Loaded.Env, Loaded.Values
//	enableAllProjectMcpServers, enabledMcpjsonServers,
//	disabledMcpjsonServers, allowedMcpServers,
//	deniedMcpServers, allowManagedMcpServersOnly,
//	managedMcpServers                                     Loaded.Servers
//	allowManagedPermissionRulesOnly                       Loaded.Rules
//
// All other keys are the host's, see [Loaded.Key]. A setting that does not count gives a [Warning].
//
// # Writing
//
// Only the object "permissions" and the lists enabledMcpjsonServers and
// disabledMcpjsonServers are changed. All other bytes stay: unknown keys, their order,
// indentation, line ends.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
)

// maxBytes is the maximum size of a settings file.
const maxBytes = 4 << 20

// SourceFlags is the source of the rules of the flag --settings. Those of the other flags are
// from [policy.SourceCLI].
const SourceFlags policy.Source = "flagSettings"

// Files are the settings files of a session. [Locate] finds those of a directory. A value
// may be used by several goroutines and processes at once.
type Files struct {
	// Managed are the files of the system's administrator: absolute paths, from the lowest
	// precedence to the highest. A path that ends in ".d" is a directory: of it all files
	// whose names end in ".json" and do not begin with a dot are read, in the order of their
	// names. The files need not exist.
	Managed []string
	// Flags are the settings of the command line.
	Flags Flags
	// The files by the source of their rules: absolute paths, or empty. The files need not
	// exist.
	Local, Project, User string

	Servers string // .mcp.json of the project: an absolute path, or empty
	Person  string // .claude.json of the home directory, for its MCP servers: likewise

	Dir  string // working directory of the session; empty means that of the process
	Home string // home directory of the session, for "~"; empty means the user's

	// Trusted says that the user trusts the project. Otherwise its allow rules, its
	// directories, its hooks, its env, a mode but ModePlan and ModeDontAsk, its approvals
	// of MCP servers and their headersHelper are ignored, and also those of the local file, which
	// an archive or a copied repository may have brought along. Their denials count in any case.
	Trusted bool
	// TrustedLocal says the same of the local file alone, unless it, or its directory, is a link.
	// It is for a host that knows that only the user has written the file.
	TrustedLocal bool

	// Strict makes a hook of PreToolUse, PermissionRequest or UserPromptSubmit that cannot
	// be read an error like a deny rule that cannot be read, and [Loaded.HookOptions] passes it
	// on, so that one that cannot run denies. Otherwise it is left out with a warning, as Claude
	// Code documents it.
	Strict bool

	// Lookup returns a variable of the environment and whether it is set. It is used for the
	// variables in the configuration of MCP servers and for [Loaded.Values], after the key
	// env. Nil means [os.LookupEnv].
	Lookup func(name string) (string, bool)

	// OnSetAside is called for each corrupt file that Save set aside, before Save returns.
	// If it is nil, Save returns the error instead, after it has saved all updates.
	OnSetAside func(e *SetAsideError)

	saves *saves // made by Locate; nil means that an own save is a change
}

// sources returns the sources with files that can be saved, in order of precedence.
func sources() []policy.Source {
	return []policy.Source{policy.SourceLocal, policy.SourceProject, policy.SourceUser}
}

// path returns the file of a source, or "".
func (f Files) path(source policy.Source) string {
	switch source {
	case policy.SourceLocal:
		return f.Local
	case policy.SourceProject:
		return f.Project
	case policy.SourceUser:
		return f.User
	}
	return ""
}

// hasFile reports whether a source may have a file that can be saved.
func hasFile(source policy.Source) bool {
	return source == policy.SourceLocal || source == policy.SourceProject || source == policy.SourceUser
}

// sessionDirs returns the session's working directory and home directory.
func (f Files) sessionDirs() (dir, home string, err error) {
	if dir, err = filepath.Abs(cmp.Or(f.Dir, ".")); err != nil {
		return "", "", fmt.Errorf("working directory: %w", err)
	}
	if home = f.Home; home == "" {
		home, _ = os.UserHomeDir() // if it is empty, no rule is written with "~"
	}
	return dir, home, nil
}

// projectDir returns the directory of the project: that of its .mcp.json or of its settings, or
// else the session's.
func (f Files) projectDir() string {
	switch {
	case f.Servers != "":
		return filepath.Dir(f.Servers)
	case f.Project != "":
		return filepath.Dir(filepath.Dir(f.Project))
	}
	dir, _, _ := f.sessionDirs() // empty if there is no working directory
	return dir
}

// resolve returns the resolved path of a file. It returns an error if a link in the path is
// dangling or part of a circle, since it is unclear where the file should be created.
func resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("the settings file %s is not an absolute path", path)
	}
	path = filepath.Clean(path)
	if _, err := os.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return realpath.Resolve(path), err
	}
	for at := path; filepath.Dir(at) != at; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err != nil {
			continue
		}
		if _, err := os.Stat(at); err != nil {
			return "", fmt.Errorf("%s is a link that leads nowhere: %w", at, err)
		}
		break
	}
	return realpath.Resolve(path), nil
}

// isLinked reports whether the file, or its directory, is a link. real is the resolved path.
func isLinked(path, real string) bool {
	dir, name := filepath.Split(filepath.Clean(path))
	dir = filepath.Clean(dir)
	return real != filepath.Join(realpath.Resolve(filepath.Dir(dir)), filepath.Base(dir), name)
}
