package settings_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/settings"
)

// A largeFile is a file that has one item many times.
type largeFile struct {
	name, begin, item, end string
	servers                bool // it is .mcp.json
}

// largeFiles have each list and object that may be long, with right and wrong items.
func largeFiles() []largeFile {
	return []largeFile{
		{name: "deny rules", begin: `{"permissions": {"deny": [`, item: `"Read(/a/b%d/**)"`, end: `]}}`},
		{name: "rules that ask", begin: `{"permissions": {"deny": [`, item: `"Write(/a/b%d/**)"`, end: `]}}`},
		{name: "wrong allow rules", begin: `{"permissions": {"allow": [`, item: `"(x%d"`, end: `]}}`},
		{name: "directories", begin: `{"permissions": {"additionalDirectories": [`, item: `"/d/%d"`, end: `]}}`},
		{name: "keys", begin: `{`, item: `"k%d": 1`, end: `}`},
		{name: "one key", begin: `{`, item: `"k": %d`, end: `}`},
		{name: "variables", begin: `{"env": {`, item: `"V%d": "1"`, end: `}}`},
		{name: "approvals", begin: `{"enabledMcpjsonServers": [`, item: `"s%d"`, end: `]}`},
		{name: "hooks", begin: `{"hooks": {"Stop": [{"hooks": [`, item: `{"type": "command", "command": "c%d"}`, end: `]}]}}`},
		{name: "events", begin: `{"hooks": {`, item: `"E%d": [{"hooks": [{"type": "command", "command": "c"}]}]`, end: `}}`},
		{name: "wrong hooks", begin: `{"hooks": {"Stop": [`, item: `%d`, end: `]}}`},
		{name: "comments that do not end", begin: `{`, item: `/* %d`, end: `}`},
		{name: "servers", begin: `{"mcpServers": {`, item: `"s%d": {"command": "c"}`, end: `}}`, servers: true},
		{name: "wrong servers", begin: `{"mcpServers": {`, item: `"s%d": 1`, end: `}}`, servers: true},
		{name: "servers in no object", begin: `{`, item: `"s%d": {"command": "c"}`, end: `}`, servers: true},
		{name: "keys of one server", begin: `{"mcpServers": {"s": {"command": "c"`, item: `, "k%d": 1`, end: `}}}`, servers: true},
		{name: "denied servers", begin: `{"deniedMcpServers": [`, item: `{"serverUrl": "https://h%d/*"}`, end: `]}`},
	}
}

// text returns a file of a size.
func (l *largeFile) text(size int) string {
	var b strings.Builder
	b.WriteString(l.begin)
	for i := 0; b.Len() < size; i++ {
		if i > 0 && !strings.HasPrefix(l.item, ",") && !strings.HasPrefix(l.item, "/") {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, l.item, i)
	}
	b.WriteString(l.end)
	return b.String()
}

// load returns how long a file of a size takes.
func (l *largeFile) load(t *testing.T, size int) time.Duration {
	t.Helper()
	f := files(t)
	f.Trusted = true
	path := f.Project
	if l.servers {
		path = f.Servers
	}
	write(t, path, l.text(size))
	begun := time.Now()
	loaded, err := f.Load(t.Context())
	if err == nil {
		_, err = loaded.Permissions()
	}
	took := time.Since(begun)
	if !strings.Contains(l.name, "comments") {
		require.NoError(t, err)
	}
	return took
}

// TestLargeFilesAreReadInLinearTime: a file as large as may be read, on one line, takes seconds and
// not minutes.
func TestLargeFilesAreReadInLinearTime(t *testing.T) {
	t.Parallel()
	size := min(effort.Of(t, 4_000_000), 4_000_000) // no larger file is read
	for _, l := range largeFiles() {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			require.Less(t, l.load(t, size), time.Minute)
		})
	}
}

// TestManyServersAndPatternsAreNotAllCompared: what a project brings along keeps nobody waiting, and
// what is not compared is off.
func TestManyServersAndPatternsAreNotAllCompared(t *testing.T) {
	t.Parallel()
	f := files(t)
	patterns, servers := largeFile{begin: `{"deniedMcpServers": [`, item: `{"serverUrl": "https://h%d/*"}`, end: `]}`}, largeFile{begin: `{"mcpServers": {`, item: `"s%d": {"url": "https://x/"}`, end: `}}`}
	write(t, f.Project, patterns.text(100_000))
	write(t, f.Servers, servers.text(100_000))
	write(t, f.Person, `{"mcpServers": {"mine": {"url": "https://x/"}}}`)
	off := 0
	for _, s := range load(t, f).Servers {
		switch {
		case s.Name == "mine":
			require.Equal(t, settings.ServerOn, s.Approval, "the user's own are compared in any case")
		case s.Approval == settings.ServerOff:
			off++
			require.Contains(t, s.Why, "more servers and entries about them than are compared")
		}
	}
	require.Greater(t, off, 1000)
}
