package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRemovalReason(t *testing.T) {
	t.Parallel()
	const dir, home = "/srv/proj/app", "/home/me"
	for _, tt := range []struct {
		line string
		want bool
	}{
		{"rm -rf /", true},
		{"rm -rf //", true},
		{"rm -rf /etc", true},
		{"rm -rf /etc/", true},
		{"rm -rf /*", true},
		{"rm -rf /e*", true},
		{"rm -rf /etc/*", true},
		{"rm -rf /etc/x/..", true},
		{"rm -rf / --no-preserve-root", true},
		{"rm -rf --unknown-flag /", true},
		{"rm -rf /home/me", true},
		{"rm -rf /home/me/", true},
		{"rm -rf /home/me/*", true},
		{"rm -rf /home/*/", true},
		{"rm -rf .", true},
		{"rm -rf ..", true},
		{"rm -rf ../../", true},
		{"rm -rf /srv/proj", true},
		{"rm -rf *", true},
		{"rm -rf ./*", true},
		{"rm -rf ../*", true},
		{"rm -rf ../ap*", true},
		{"rmdir /etc", true},
		{`rm -rf "$x"/*`, true},
		{`rm -rf "$x"/`, true},
		{"rm -rf $x/", true},
		{"rm -rf $x/*", true},
		{"rm -rf C:/", true},
		{`rm -rf C:\Windows`, true},
		{"rm -rf a /", true},
		{"rm -rf /proc/self/root/etc", true},
		{"rm -rf /proc/1/root", true},
		{"rm -rf /proc//1/./root/", true},
		{"rm -rf /proc/self/task/7/root/etc/*", true},
		{"rm -rf /proc/self/root/../etc", true},
		{"rm -rf /proc/*/root/proc/1/root/etc", true},
		{"rm -rf /proc/self/cwd", true},
		{"rm -rf /proc/self/cwd/..", true},
		{"rm -rf /proc/self/root/srv/other/x", false},
		{"rm -rf /proc/self/cwd/build", false},
		{"rm -rf build", false},
		{"rm -rf build/*", false},
		{"rm -f *.o", false},
		{"rm -rf ../other", false},
		{"rm -rf /home/me/x", false},
		{"rm -rf /srv/other/x", false},
		{`rm -rf "$x"`, false},
		{`rm -rf "$x"/build`, false},
		{"rmdir src", false},
		{"mv / x", false},
	} {
		args := argsOf(tt.line)
		e := effectOf(args[0].value, args[1:])
		require.Equal(t, tt.want, removalReason(args[0].value, e.files, dir, home) != "", tt.line)
	}
	files := []file{{arg: literalArg("x"), write: true}}
	require.Empty(t, removalReason("rm", files, "", ""), "nothing is known of where it runs")
}
