package settings_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
)

// TestApprove writes into the local file and changes nothing else of it.
func TestApprove(t *testing.T) {
	t.Parallel()
	f := files(t)
	write(t, f.Servers, `{"mcpServers": {"a": {"command": "a"}, "b c": {"command": "b"}}}`)
	require.Equal(t, map[string]string{"a": "ask", "b c": "ask"}, approvals(load(t, f)))
	require.NoError(t, f.Approve(t.Context(), "a", true))
	require.Equal(t, "{\n  \"enabledMcpjsonServers\": [\n    \"a\"\n  ]\n}\n", read(t, f.Local))
	require.NoError(t, f.Approve(t.Context(), "b c", false))
	require.Equal(t, map[string]string{"a": "on", "b c": "off"}, approvals(load(t, f)))
	require.NoError(t, f.Approve(t.Context(), "a", false))
	require.NoError(t, f.Approve(t.Context(), "b c", true))
	require.Equal(t, map[string]string{"a": "off", "b c": "on"}, approvals(load(t, f)))
	text := read(t, f.Local)
	require.NoError(t, f.Approve(t.Context(), "a", false))
	require.Equal(t, text, read(t, f.Local), "nothing to change")

	write(t, f.Local, "{\r\n\t\"model\": \"é\", \"disabledMcpjsonServers\":[\"x\",\"a\"],\r\n\t\"enabledMcpjsonServers\": [7]\r\n}")
	require.NoError(t, f.Approve(t.Context(), "a", true))
	require.Equal(t, "{\r\n\t\"model\": \"é\", \"disabledMcpjsonServers\":[\"x\"],\r\n\t\"enabledMcpjsonServers\": [7, \"a\"]\r\n}", read(t, f.Local))
}

// TestApproveRefuses what it cannot write, and writes nothing then.
func TestApproveRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"enabledMcpjsonServers": "a"}`:                                "is not a list",
		`{"disabledMcpjsonServers": {}}`:                                "is not a list",
		`{"enabledMcpjsonServers": [], "enabledMcpjsonServers": ["a"]}`: "is there twice",
		"{ // x\n}": "comments",
	} {
		f := files(t)
		write(t, f.Local, text)
		require.ErrorContains(t, f.Approve(t.Context(), "a", true), want)
		require.Equal(t, text, read(t, f.Local))
	}
	f := files(t)
	for _, name := range []string{"", "a\xff", "a\x00"} {
		require.ErrorContains(t, f.Approve(t.Context(), name, true), "is no name")
	}
	require.ErrorContains(t, settings.Files{}.Approve(t.Context(), "a", true), "there is no local file")
	require.Empty(t, names(t, f.Dir))
	write(t, f.Local, "{")
	var told []*settings.SetAsideError
	f.OnSetAside = func(e *settings.SetAsideError) { told = append(told, e) }
	require.NoError(t, f.Approve(t.Context(), "a", true))
	require.Len(t, told, 1, "as Save does with a file that nothing can read")
}

// TestApprovedIsLoaded: approvals and saved updates, in any order and over any file, are
// loaded as the last answers were, and the rest stays.
func TestApprovedIsLoaded(t *testing.T) {
	t.Parallel()
	servers := []string{"a", "B", `quo"te`, "x y", "日本1"}
	starts := []string{"", `{"model": 1}`, "{\n\t\"hooks\": {},\n\t\"enabledMcpjsonServers\": [\"a\", \"old\"]\n}", `{"disabledMcpjsonServers":["B","B"],"permissions":{"deny":["Kept"]}}`}
	for seed := range effort.Of(t, uint64(100)) {
		d := rand.New(rand.NewPCG(seed, 3))
		f := files(t)
		config := `{"mcpServers": {"a": {"command": "c"}, "B": {"command": "c"}, "quo\"te": {"command": "c"}, "x y": {"command": "c"}, "日本1": {"command": "c"}}}`
		write(t, f.Servers, config)
		start := one(d, starts...)
		if start != "" {
			write(t, f.Local, start)
		}
		l := load(t, f)
		want := approvals(l)
		perms, err := l.Permissions()
		require.NoError(t, err)
		for range 12 {
			if d.IntN(3) == 0 {
				u := anyUpdate(d)
				for u.Type == policy.SetMode || u.Destination != local {
					u = anyUpdate(d)
				}
				save(t, f, u)
				perms, err = perms.Apply(u)
				require.NoError(t, err)
			} else {
				server, on := one(d, servers...), d.IntN(2) == 0
				require.NoError(t, f.Approve(t.Context(), server, on))
				want[server] = map[bool]string{true: "on", false: "off"}[on]
			}
			require.False(t, f.Changed(l))
			again := load(t, f)
			require.Equal(t, want, approvals(again), "seed %d", seed)
			got, err := again.Permissions()
			require.NoError(t, err)
			require.Equal(t, said(perms), said(got), "seed %d", seed)
			if _, err := os.Stat(f.Local); start != "" || err == nil { // removing from no file makes none
				require.Equal(t, unapproved(t, start), unapproved(t, read(t, f.Local)))
			}
		}
	}
}

// unapproved returns the members of a file that neither Save nor Approve changes.
func unapproved(t testing.TB, text string) (rest []field) {
	t.Helper()
	if text == "" {
		return nil
	}
	for _, m := range fields(t, []byte(text)) {
		if m.key != "permissions" && m.key != "enabledMcpjsonServers" && m.key != "disabledMcpjsonServers" {
			rest = append(rest, m)
		}
	}
	return rest
}

// TestApproveThroughLinks: a link that a project has brought along leads no answer into the file
// of another project.
func TestApproveThroughLinks(t *testing.T) {
	t.Parallel()
	const text = `{"permissions": {"deny": ["D"]}}`
	for _, whole := range []bool{false, true} {
		f := files(t)
		other := write(t, filepath.Join(f.Home, "other", ".claude", "settings.local.json"), text)
		if whole {
			link(t, filepath.Dir(other), filepath.Dir(f.Local))
		} else {
			require.NoError(t, os.Mkdir(filepath.Dir(f.Local), 0o755))
			link(t, other, f.Local)
		}
		require.ErrorContains(t, f.Approve(t.Context(), "a", true), "until the project is trusted")
		require.Error(t, f.Save(t.Context(), []policy.Update{add(policy.Allow, local, tool("Bash"))}))
		require.Equal(t, text, read(t, other))
		f.Trusted = true
		require.NoError(t, f.Approve(t.Context(), "a", true))
		require.NotEqual(t, text, read(t, other))
	}
}
