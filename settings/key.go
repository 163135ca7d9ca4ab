package settings

import (
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Key is one key of a settings file that is the host's.
type Key struct {
	Name   string
	Value  json.RawMessage // as it stands in the file; read-only
	Source policy.Source
	Position
	// Trusted says that the key does not come with a project that the user does not trust.
	Trusted bool
}

// The keys that this package reads, at the top of a settings file.
const (
	permissionsKey = "permissions"

	hooksKey        = "hooks"
	disableHooksKey = "disableAllHooks"
	hookURLsKey     = "allowedHttpHookUrls"
	hookEnvKey      = "httpHookAllowedEnvVars"

	envKey = "env"

	enableAllServersKey = "enableAllProjectMcpServers"
	enabledServersKey   = "enabledMcpjsonServers"
	disabledServersKey  = "disabledMcpjsonServers"
	allowedServersKey   = "allowedMcpServers"
	deniedServersKey    = "deniedMcpServers"

	rulesOnlyKey   = "allowManagedPermissionRulesOnly"
	hooksOnlyKey   = "allowManagedHooksOnly"
	serversOnlyKey = "allowManagedMcpServersOnly"

	managedServersKey = "managedMcpServers"
)

// sandboxKey is a key of the host's whose user may believe that it counts.
const sandboxKey = "sandbox"

// serversKey is no key of settings files, but of the files with MCP servers.
const serversKey = "mcpServers"

// ownKeys are the keys that this package reads.
func ownKeys() []string {
	return append([]string{
		permissionsKey, hooksKey, disableHooksKey, hookURLsKey, hookEnvKey, envKey,
		enableAllServersKey, enabledServersKey, disabledServersKey, allowedServersKey, deniedServersKey,
	}, managedKeys()...)
}

// managedKeys are the keys that count in managed files only.
func managedKeys() []string {
	return []string{rulesOnlyKey, hooksOnlyKey, serversOnlyKey, managedServersKey}
}

// The keys inside permissions.
const (
	modeKey        = "defaultMode"
	directoriesKey = "additionalDirectories"

	disableBypassKey = "disableBypassPermissionsMode"
	disableAutoKey   = "disableAutoMode"
)

func permissionKeys() []string {
	return []string{"allow", "ask", "deny", directoriesKey, modeKey, disableBypassKey, disableAutoKey}
}

// unenforcedKeys are documented keys that limit calls and that have no effect here, so that a
// person must be told.
func unenforcedKeys() []string {
	return []string{"blockReadsOutsideWorkingDirectories", "blockWritesOutsideWorkingDirectories", "denyInsteadOfPrompting"}
}

// meant returns the key that a misspelled one may stand for, or "". Most keys of a file are
// the host's, so that only names of about the same length are near.
func meant(key string, keys []string) string {
	const maxLonger = 2
	if slices.Contains(keys, key) {
		return ""
	}
	near := nearest.Names(key, keys, 1)
	if len(near) == 0 || max(len(key), len(near[0]))-min(len(key), len(near[0])) > maxLonger {
		return ""
	}
	return near[0]
}
