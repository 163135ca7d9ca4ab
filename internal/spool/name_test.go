package spool_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/spool"
)

func TestEntryName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, id, ext, want string
	}{
		{name: "of a provider", id: "toolu_01AbC", ext: "txt", want: "toolu_01AbC-xHASH.txt"},
		{name: "with a dot", id: "toolu_01AbC", ext: ".png", want: "toolu_01AbC-xHASH.png"},
		{name: "empty", want: "_-xHASH.txt"},
		{name: "a path", id: "../../etc/passwd", ext: "txt", want: "______etc_passwd-xHASH.txt"},
		{name: "a flag", id: "-rf", ext: "JSON", want: "_rf-xHASH.json"},
		{name: "a device", id: "con", ext: "t/x", want: "con-xHASH.txt"},
		{name: "not text", id: "a\x00\xffé", ext: strings.Repeat("e", 17), want: "a___-xHASH.txt"},
		{name: "long", id: strings.Repeat("q", 1<<20), want: strings.Repeat("q", 48) + "-xHASH.txt"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			hash := fmt.Sprintf("%x", sha256.Sum256([]byte(tc.id)))
			got := spool.EntryName(tc.id, tc.ext)
			require.Equal(t, strings.Replace(tc.want, "HASH", hash[:8], 1), got)
			require.True(t, spool.IsEntryName(got))
		})
	}
}

func TestIsEntryName(t *testing.T) {
	t.Parallel()
	const text = "0123456789abcdef0123456789abcdef"
	for name, want := range map[string]bool{
		"a-x01234567.txt":                          true,
		"a-x01234567-" + text + ".txt":             true,
		"a-x1-x01234567.txt":                       true,
		"-x01234567.txt":                           false,
		"-a-x01234567.txt":                         false,
		"a-x01234567":                              false,
		"a-x01234567.":                             false,
		"a-x01234567.txt.gz":                       false,
		"a-x0123456.txt":                           false,
		"a-x012345678.txt":                         false,
		"a-xABCDEF01.txt":                          false,
		"a-01234567.txt":                           false,
		"a-x01234567-0123.txt":                     false,
		"a-x01234567-.txt":                         false,
		"a/b-x01234567.txt":                        false,
		"a b-x01234567.txt":                        false,
		"é-x01234567.txt":                          false,
		strings.Repeat("a", 49) + "-x01234567.txt": false,
		strings.Repeat("a", 48) + "-x01234567.txt": true,
		"report-20261121.txt":                      false,
		".spool-size":                              false,
		".spool-total":                             false,
		".spool-ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp":    false,
		"..":                                       false,
		"":                                         false,
		"a-x01234567-" + text + "-x01234567.txt":   true,
		"a-x01234567-" + strings.ToUpper(text) + ".t": false,
	} {
		require.Equal(t, want, spool.IsEntryName(name), name)
	}
}

func TestFolderName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		session string
		same    bool
	}{
		{session: "1b4e28ba-2fa1-41d2-883f-0016d3cca427", same: true},
		{session: "main", same: true},
		{session: "main-x0123456789abcdef"},
		{session: "Main"},
		{session: ""},
		{session: "."},
		{session: ".."},
		{session: "a/b"},
		{session: "nul"},
		{session: "lpt1"},
		{session: "-a"},
		{session: strings.Repeat("a", 49)},
	}
	seen := map[string]bool{}
	for _, tc := range tests {
		name := spool.FolderName(tc.session)
		require.Equal(t, tc.same, name == tc.session, tc.session)
		require.False(t, seen[strings.ToLower(name)], name)
		seen[strings.ToLower(name)] = true
		require.True(t, filepath.IsLocal(name) && !strings.ContainsAny(name, `./\`), name)
	}
}

func FuzzNames(f *testing.F) {
	for _, id := range []string{"", "a", "A", "../x", "a\x00", "toolu_01AbC", "con", "é", "-x01234567", "a-x01234567.txt"} {
		f.Add(id, "txt", id+"2")
	}
	f.Fuzz(func(t *testing.T, id, ext, other string) {
		name := spool.EntryName(id, ext)
		if !spool.IsEntryName(name) || len(name) > 80 || spool.IsTempName(name) || !filepath.IsLocal(name) {
			t.Fatalf("%q has the name %q", id, name)
		}
		if id != other && strings.EqualFold(name, spool.EntryName(other, ext)) {
			t.Fatalf("%q and %q have the name %q", id, other, name)
		}
		folder := spool.FolderName(id)
		if !filepath.IsLocal(folder) || len(folder) > 80 || strings.ContainsAny(folder, `./\`) {
			t.Fatalf("%q has the folder %q", id, folder)
		}
		if id != other && strings.EqualFold(folder, spool.FolderName(other)) {
			t.Fatalf("%q and %q have the folder %q", id, other, folder)
		}
	})
}
