package settings_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
)

// approvals returns the approval of each server.
func approvals(l *settings.Loaded) map[string]string {
	all := map[string]string{}
	for _, s := range l.Servers {
		all[s.Name] = s.Approval.String()
	}
	return all
}

// TestServerApproval: which lists switch which servers on and off.
func TestServerApproval(t *testing.T) {
	t.Parallel()
	const servers = `{"mcpServers": {
		"run": {"command": "node", "args": ["run.js", "-x"]},
		"web": {"url": "https://api.example.com/mcp?v=1"},
		"port": {"url": "http://LOCALHOST:8080/mcp"}
	}}`
	tests := []struct {
		name, user, managed string
		run, web, port      string
		warning             string
	}{
		{name: "nothing", run: "ask", web: "ask", port: "ask"},
		{name: "by name", user: `"enabledMcpjsonServers": ["run"], "disabledMcpjsonServers": ["web"]`, run: "on", web: "off", port: "ask"},
		{name: "all", user: `"enableAllProjectMcpServers": true, "disabledMcpjsonServers": ["web"]`, run: "on", web: "off", port: "on"},
		{name: "both", user: `"enabledMcpjsonServers": ["run"], "disabledMcpjsonServers": ["run"]`, run: "off", web: "ask", port: "ask"},
		{name: "all, overridden", user: `"enableAllProjectMcpServers": true`, managed: `"enableAllProjectMcpServers": false`, run: "ask", web: "ask", port: "ask"},
		{name: "all, misspelt", user: `"enableAllProjectMcpServers": "true"`, run: "ask", web: "ask", port: "ask", warning: "does not count"},
		{name: "denied by name", user: `"enableAllProjectMcpServers": true, "deniedMcpServers": [{"serverName": "web"}]`, run: "on", web: "off", port: "on"},
		{name: "denied by command", user: `"enableAllProjectMcpServers": true, "deniedMcpServers": [{"serverCommand": ["node", "run.js", "-x"]}]`, run: "off", web: "on", port: "on"},
		{name: "denied by another command", user: `"enableAllProjectMcpServers": true, "deniedMcpServers": [{"serverCommand": ["node", "run.js"]}]`, run: "on", web: "on", port: "on"},
		{name: "denied by address", user: `"enableAllProjectMcpServers": true, "deniedMcpServers": [{"serverUrl": "https://*.example.com/*"}]`, run: "on", web: "off", port: "on"},
		{name: "allowed by name", user: `"enableAllProjectMcpServers": true, "allowedMcpServers": [{"serverName": "run"}]`, run: "on", web: "off", port: "off"},
		{name: "none allowed", user: `"enableAllProjectMcpServers": true, "allowedMcpServers": []`, run: "off", web: "off", port: "off"},
		{name: "allowed by command", user: `"enableAllProjectMcpServers": true, "allowedMcpServers": [{"serverName": "run"}, {"serverName": "web"}, {"serverCommand": ["node"]}]`, run: "off", web: "on", port: "off"},
		{name: "allowed by address", user: `"enableAllProjectMcpServers": true, "allowedMcpServers": [{"serverName": "run"}, {"serverName": "web"}, {"serverUrl": "http://localhost:8080/mcp"}]`, run: "on", web: "off", port: "on"},
		{name: "lists are joined", user: `"enableAllProjectMcpServers": true, "allowedMcpServers": [{"serverName": "run"}]`, managed: `"allowedMcpServers": [{"serverName": "web"}]`, run: "on", web: "on", port: "off"},
		{name: "but for managed ones alone", user: `"enableAllProjectMcpServers": true, "allowedMcpServers": [{"serverName": "run"}]`, managed: `"allowManagedMcpServersOnly": true, "allowedMcpServers": [{"serverName": "web"}]`, run: "off", web: "on", port: "off", warning: "allowedMcpServers does not count, since"},
		{name: "managed ones alone, and none", user: `"enableAllProjectMcpServers": true`, managed: `"allowManagedMcpServersOnly": true`, run: "off", web: "off", port: "off", warning: "no server is allowed"},
		{name: "no list", user: `"enableAllProjectMcpServers": true, "allowedMcpServers": {"serverName": "run"}`, run: "off", web: "off", port: "off", warning: "there is an object; write a list"},
		{name: "a wrong entry", user: `"enableAllProjectMcpServers": true, "allowedMcpServers": ["run", {"serverName": "web"}]`, run: "off", web: "on", port: "off", warning: "allowedMcpServers[0]: there is \"run\"; write an object with one key"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := managedFiles(t)
			f.Trusted = true
			write(t, f.Servers, servers)
			write(t, f.User, "{"+tc.user+"}")
			write(t, f.Managed[0], "{"+tc.managed+"}")
			l := load(t, f)
			require.Equal(t, map[string]string{"run": tc.run, "web": tc.web, "port": tc.port}, approvals(l))
			if tc.warning == "" {
				require.Empty(t, l.Warnings)
			} else {
				require.Contains(t, fmt.Sprint(l.Warnings), tc.warning)
			}
		})
	}
}

// TestManagedServers are there for everybody, above those of the same name, unless they are denied.
func TestManagedServers(t *testing.T) {
	t.Parallel()
	f := files(t)
	f.Managed = []string{filepath.Join(t.TempDir(), "managed-settings.json")}
	write(t, f.Servers, `{"mcpServers": {"docs": {"url": "https://example.org/theirs"}}}`)
	write(t, f.User, `{"deniedMcpServers": [{"serverName": "off"}], "managedMcpServers": {"mine": {"url": "https://h/"}}}`)
	write(t, f.Managed[0], `{"managedMcpServers": {
		"docs": {"type": "http", "url": "https://example.com/mcp"}, "off": {"type": "sse", "url": "https://example.com/off"},
		"run": {"command": "x"}, "bad": {"type": "http"}}}`)
	l := load(t, f)
	require.Equal(t, map[string]string{"docs": "on", "off": "off"}, approvals(l))
	i := slices.IndexFunc(l.Servers, func(s settings.Server) bool { return s.Name == "docs" })
	require.Equal(t, "https://example.com/mcp", l.Servers[i].URL)
	require.Equal(t, policy.SourceManaged, l.Servers[i].Scope)
	require.Equal(t, 2, l.Servers[i].Line)
	warnings := fmt.Sprint(l.Warnings)
	for _, want := range []string{"managedMcpServers counts in managed files only", `"run" is a process, and does not count`, "bad"} {
		require.Contains(t, warnings, want)
	}
	require.Len(t, l.Warnings, 3)

	write(t, f.Managed[0], `{"managedMcpServers": ["docs"]}`)
	write(t, f.User, `{"managedMcpServer": {}}`)
	l = load(t, f)
	require.Contains(t, fmt.Sprint(l.Warnings), "managedMcpServers: there is a list, so that no server of it counts")
	require.Contains(t, fmt.Sprint(l.Warnings), "managedMcpServer is not known; did you mean managedMcpServers?")
}

// TestWrongDenialOfServers: what denies servers and cannot be read is an error.
func TestWrongDenialOfServers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"deniedMcpServers": "evil"}`:                                    `1:22: deniedMcpServers: there is "evil"; write a list`,
		`{"deniedMcpServers": [{"serverName": "a", "serverUrl": "b"}]}`:   `deniedMcpServers[0]: there is an object; write an object with one key`,
		`{"deniedMcpServers": [{"name": "evil"}]}`:                        `the key "name" is not known; write serverName`,
		`{"deniedMcpServers": [{"serverName": ""}]}`:                      `the text is empty`,
		`{"deniedMcpServers": [{"serverUrl": "example.com/*"}]}`:          `there is "example.com/*", which is no address; write one such as https://example.com/*`,
		`{"deniedMcpServers": [{"serverCommand": []}]}`:                   `the command is empty`,
		`{"deniedMcpServers": [{"serverCommand": ["a", 1]}]}`:             `the number 1`,
		`{"disabledMcpjsonServers": {"a": true}}`:                         `disabledMcpjsonServers: there is an object, which is not a list`,
		`{"disabledMcpjsonServers": [null]}`:                              `disabledMcpjsonServers[0]: there is null`,
		`{"disabledMcpjsonServers": ["a"], "disabledMcpjsonServers": []}`: `the key is there twice`,
	} {
		f := files(t)
		write(t, f.User, text)
		_, err := f.Load(t.Context())
		require.ErrorContains(t, err, want, text)
		require.ErrorContains(t, err, f.User+":1:")
	}
}

// TestServerURLPatterns: a star in a host stands for no other host.
func TestServerURLPatterns(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, address string
		want             bool
	}{
		{pattern: "https://*.example.com/*", address: "https://a.example.com/x", want: true},
		{pattern: "https://*.example.com/*", address: "https://a.b.example.com/", want: true},
		{pattern: "https://*.example.com/*", address: "https://evil.com/.example.com/"},
		{pattern: "https://*.example.com/*", address: "https://evil.com?.example.com/"},
		{pattern: "https://*.example.com/*", address: "https://example.com/"},
		{pattern: "https://example.com/*", address: "https://EXAMPLE.com:443/x?y=1", want: true},
		{pattern: "https://example.com:443/*", address: "https://example.com/x", want: true},
		{pattern: "https://example.com/*", address: "http://example.com/x"},
		{pattern: "https://example.com/*", address: "https://example.com:8443/x"},
		{pattern: "*://example.com/*", address: "http://example.com/x", want: true},
		{pattern: "https://example.com", address: "https://example.com/", want: true},
		{pattern: "https://example.com", address: "https://example.com/x"},
		{pattern: "https://example.com/a*c*e", address: "https://example.com/abcde", want: true},
		{pattern: "https://example.com/a*c*e", address: "https://example.com/abce/f"},
		{pattern: "https://*", address: "https://example.com/", want: true},
		{pattern: "https://*", address: "https://example.com/x", want: true},
		{pattern: "https://*", address: "http://example.com/x"},
		{pattern: "*", address: "http://example.com:8080/x?y", want: true},
		{pattern: "https://example.com/*", address: "https://example.com./x", want: true},
		{pattern: "https://example.com./*", address: "https://example.com:443/x", want: true},
		{pattern: "https://example.com:8443/*", address: "https://example.com.:8443/x", want: true},
		{pattern: "https://example.com/a/*", address: "https://example.com/b/../a/x", want: true},
		{pattern: "https://example.com/a/*", address: "https://example.com/a/%2e%2e/b"},
		{pattern: "https://example.com/a/*", address: "https://example.com//a/x", want: true},
		{pattern: "https://example.com/a/*", address: "https://example.com/%61/x", want: true},
		{pattern: "https://example.com/a%2Fb/", address: "https://example.com/a%2Fb/", want: true},
		{pattern: "https://example.com/a/", address: "https://example.com/a/", want: true},
	}
	for _, tc := range tests {
		f := files(t)
		f.Trusted = true
		write(t, f.Servers, `{"mcpServers": {"s": {"url": "`+tc.address+`"}}}`)
		write(t, f.User, `{"enableAllProjectMcpServers": true, "deniedMcpServers": [{"serverUrl": "`+tc.pattern+`"}]}`)
		want := "on"
		if tc.want {
			want = "off"
		}
		require.Equal(t, map[string]string{"s": want}, approvals(load(t, f)), "%s %s", tc.pattern, tc.address)
	}
}

// TestServerScopes: a server of a higher scope replaces the others of its name, and variables
// are those of env, or of the environment.
func TestServerScopes(t *testing.T) {
	t.Parallel()
	f := files(t)
	f.Lookup = func(name string) (string, bool) { return "of the environment", name == "OUTER" || name == "BOTH" }
	write(t, f.User, `{"env": {"BOTH": "of env"}}`)
	write(t, f.Servers, `{"mcpServers": {"p": {"command": "${BOTH}", "args": ["${OUTER}", "${CLAUDE_PROJECT_DIR}"]}, "u": {"command": "project"}, "l": {"command": "project"}}}`)
	write(t, f.Person, fmt.Sprintf(`{"mcpServers": {"u": {"command": "user"}, "l": {"command": "user"}, "only": {"command": "user"}}, "projects": {%q: {"mcpServers": {"l": {"command": "local"}}}}, "env": {"BOTH": "no"}, "hooks": 7, "permissions": {"allow": ["No"]}}`, f.Dir))
	l := load(t, f)
	require.Empty(t, l.Warnings)
	var got []string
	for _, s := range l.Servers {
		got = append(got, strings.Join([]string{s.Name, string(s.Scope), s.Command, s.Approval.String()}, " "))
	}
	require.Equal(t, []string{"l localSettings local on", "only userSettings user on", "p projectSettings of env ask", "u projectSettings project ask"}, got)
	require.Equal(t, []string{"of the environment", f.Dir}, l.Servers[2].Args)
	require.Equal(t, f.Servers, l.Servers[2].Source)
	require.NotContains(t, l.Servers[2].String(), "of env")
	require.Equal(t, "p (stdio): ask", l.Servers[2].String())
	_, err := l.Permissions()
	require.NoError(t, err)
	require.Empty(t, l.Rules[0].Allow)
	require.Equal(t, policy.SourceProject, l.Servers[3].Scope)
}

// TestServerFilesThatCannotBeRead start no server, and keep no session from starting.
func TestServerFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"mcpServers": {`:   ".mcp.json:1:16: its MCP servers do not count: ",
		"{\n  // none\n}":    ".mcp.json:2:3: its MCP servers do not count: the file has comments",
		`[]`:                 "not a JSON object",
		`{"mcpServers": []}`: ".mcp.json:1:16: mcpServers: the value is not an object",
		`{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}`: ".mcp.json:1:17: mcpServers.a: the name is there twice",
		strings.Repeat(" ", 4<<20) + `{}`:                                "more than the limit",
	} {
		f := files(t)
		write(t, f.Servers, text)
		l := load(t, f)
		require.Empty(t, l.Servers)
		require.Contains(t, fmt.Sprint(l.Warnings), want)
	}
}

// TestServersAlike: servers of several files whose tools have the same names are told, since a
// rule about one is about the other.
func TestServersAlike(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.Person, `{"mcpServers": {"git_hub": {"command": "a"}, "other": {"command": "a"}}}`)
	write(t, f.Servers, `{"mcpServers": {"Git.hub": {"command": "b"}}}`)
	l := load(t, f)
	require.Len(t, l.Warnings, 1)
	require.Equal(t, f.Servers+`:1:17: the names of the tools of "Git.hub" begin like those of "git_hub", so that rules about one are about both; rename one of the two servers`, l.Warnings[0].String())
	write(t, f.User, `{"disabledMcpjsonServers": ["Git.hub"]}`)
	require.Empty(t, load(t, f).Warnings, "it does not start")
}
