package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEdits(t *testing.T) {
	t.Parallel()
	runUseCases(t, []useCase{
		{name: "mkdir", line: "mkdir -p a/b", class: Mutating, edits: true, write: "a/b"},
		{name: "touch", line: "touch a b", class: Mutating, edits: true, write: "a b"},
		{name: "touch like a file", line: "touch -r a b", class: Mutating, edits: true, reads: "a", write: "b"},
		{name: "rm", line: "rm -f a", class: Mutating, edits: true, write: "a"},
		{name: "rm tree", line: "rm a -rf", class: Mutating, edits: true, write: "a/"},
		{name: "rm flag after --", line: "rm -- -r", class: Mutating, edits: true, write: "-r"},
		{name: "rm glob that may be a flag", line: "rm *", class: Mutating, edits: true, write: "*/"},
		{name: "rm glob", line: "rm src/*", class: Mutating, edits: true, write: "src/*"},
		{name: "rm unknown", line: `rm "$x"`, class: Mutating, edits: true, write: "?/"},
		{name: "rm odd flag", line: "rm -z a", class: Unknown, write: "a"},
		{name: "rmdir", line: "rmdir a", class: Mutating, edits: true, write: "a"},
		{name: "mv", line: "mv a src/", class: Mutating, edits: true, write: "src/ src/a/ a/"},
		{name: "mv onto", line: "mv a b", class: Mutating, edits: true, write: "b/ b/a/ a/"},
		{name: "mv into", line: "mv -t d a b", class: Mutating, edits: true, write: "d d/a/ d/b/ a/ b/"},
		{name: "mv glob that may be a flag", line: "mv * d", class: Unknown, write: "d/ d/*/ */"},
		{name: "mv alone", line: "mv a", class: Unknown, write: "a/"},
		{name: "cp", line: "cp a b", class: Mutating, edits: true, reads: "a", write: "b b/a"},
		{name: "cp here", line: "cp x/.npmrc .", class: Mutating, edits: true, reads: "x/.npmrc", write: ". ./.npmrc"},
		{name: "cp never into", line: "cp -T a b", class: Mutating, edits: true, reads: "a", write: "b"},
		{name: "cp into", line: "cp -t src a", class: Mutating, edits: true, reads: "a", write: "src src/a"},
		{name: "cp into glued", line: "cp -tsrc a", class: Mutating, edits: true, reads: "a", write: "src src/a"},
		{name: "cp into long", line: "cp a --target-directory=src", class: Mutating, edits: true, reads: "a", write: "src src/a"},
		{name: "cp into abbreviated", line: "cp --target=src a b", class: Unknown, reads: "a", write: "b b/a"},
		{name: "cp tree never into", line: "cp -rT x .", class: Mutating, edits: true, reads: "x/", write: "./"},
		{name: "cp with parents", line: "cp --parents a/b d", class: Mutating, edits: true, reads: "a/b", write: "d/ d/a/b"},
		{name: "cp with parents from the root", line: "cp --parents /a/b d", class: Mutating, edits: true, reads: "/a/b", write: "d/ d/a/b"},
		{name: "cp tree", line: "cp -r a b/", class: Mutating, edits: true, reads: "a/", write: "b/ b/a/"},
		{name: "cp tree with links", line: "cp -rL a b", class: Unknown, reads: "a/", write: "b/ b/a/"},
		{name: "cp glob", line: "cp src/* d", class: Mutating, edits: true, reads: "src/*", write: "d d/*"},
		{name: "ln", line: "ln -s a b", class: Mutating, reads: "a", write: "b b/a"},
		{name: "ln here", line: "ln -s ../a", class: Mutating, reads: "../a", write: ". ./a"},
		{name: "install", line: "install -m 755 a b", class: Mutating, reads: "a", write: "b b/a"},
		{name: "install directory", line: "install -d a b", class: Mutating, write: "a b"},
		{name: "install strips", line: "install -s --strip-program=x a b", class: Unknown},
		{name: "truncate", line: "truncate -s 0 a", class: Mutating, write: "a"},
		{name: "dd reads", line: "dd if=a bs=1 count=3", reads: "a"},
		{name: "dd writes", line: "dd if=a of=b", class: Mutating, reads: "a", write: "b"},
		{name: "dd unknown", line: `dd "$x"`, class: Unknown},
		{name: "chmod", line: "chmod -R +x a", class: Mutating, write: "a/"},
		{name: "chmod like a file", line: "chmod --reference=a b", class: Mutating, reads: "a", write: "b"},
		{name: "chown", line: "chown nobody a", class: Mutating, write: "a"},
		{name: "split", line: "split -l 10 a b", class: Mutating, reads: "a", write: "b*"},
		{name: "split runs", line: "split --filter=x a", class: Unknown},
		{name: "csplit", line: "csplit -f b a 1", class: Mutating, reads: "a", write: "b*"},
		{name: "csplit default", line: "csplit a 1", class: Mutating, reads: "a", write: "xx*"},
		{name: "mktemp", line: "mktemp", class: Mutating},
		{name: "patch", line: "patch -p1", class: Unknown},
	})
}

// TestCopied: whose names come up elsewhere, and which trees are written through links.
func TestCopied(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line string
		want []string // with a slash at the end of a tree
	}{
		{line: "cp a b", want: []string{"a"}},
		{line: "cp x/* b", want: []string{"x/*"}},
		{line: "cp -r a b", want: []string{"b/", "b/a/", "a/"}},
		{line: "cp -r a b c", want: []string{"c/a/", "c/b/", "a/", "b/"}},
		{line: "cp -rT a .", want: []string{"./", "a/"}},
		{line: "cp --parents a/b c", want: []string{"c/", "a/b"}},
		{line: "ln a/* .", want: []string{"a/*"}},
		{line: "install a/* .", want: []string{"a/*"}},
		{line: "mv a b"},
		{line: "rm -r a"},
		{line: "touch a"},
	} {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			args := argsOf(tt.line)
			var got []string
			for _, f := range useOf(args[0].value, args[1:]).files {
				if f.copied && f.tree {
					got = append(got, f.value+"/")
				} else if f.copied {
					got = append(got, f.value)
				}
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestArchives(t *testing.T) {
	t.Parallel()
	runUseCases(t, []useCase{
		{name: "tar lists", line: "tar tf a.tar", reads: "a.tar"},
		{name: "tar packs", line: "tar -czf a.tgz src", class: Mutating, reads: "src/", write: "a.tgz"},
		{name: "tar packs to standard output", line: "tar cf - src", class: Mutating, reads: "src/"},
		{name: "tar packs elsewhere", line: "tar -cf a.tar -C d x", class: Mutating, reads: "d/x/", write: "a.tar"},
		{name: "tar unpacks", line: "tar xzf a.tgz", class: Mutating, reads: "a.tgz", write: "./"},
		{name: "tar unpacks elsewhere", line: "tar -xf a.tar -C ../d", class: Mutating, reads: "a.tar", write: "../d/"},
		{name: "tar old values", line: "tar xfC a.tar d", class: Unknown},
		{name: "tar runs", line: "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec=x a", class: Unknown, exact: true, reads: "a/", write: "/dev/null"},
		{name: "tar program", line: "tar -tI x -f a", class: Unknown, exact: true},
		{name: "tar elsewhere", line: "tar tf host:a", class: Unknown},
		{name: "zip", line: "zip -r a src", class: Mutating, reads: "src/", write: "a a.zip"},
		{name: "zip tests by a program", line: "zip -TT x a b", class: Unknown},
		{name: "unzip lists", line: "unzip -l a.zip", reads: "a.zip a.zip.zip"},
		{name: "unzip", line: "unzip a -d d", class: Mutating, reads: "a a.zip", write: "d/"},
		{name: "unzip here", line: "unzip a", class: Mutating, reads: "a a.zip", write: "./"},
		{name: "gzip", line: "gzip a", class: Mutating, write: "a a.gz"},
		{name: "gunzip", line: "gunzip -k a.gz", class: Mutating, write: "a.gz a.gz.gz a"},
		{name: "gzip prints", line: "gzip -dc a.gz", reads: "a.gz"},
		{name: "xz tests", line: "xz -t a", reads: "a"},
		{name: "xz packs after all", line: "xz --test a -z", class: Mutating, write: "a a.xz"},
		{name: "unzip updates", line: "unzip -lu a", class: Mutating, reads: "a a.zip", write: "./"},
		{name: "unzip is zipinfo", line: "unzip a -Z", class: Unknown},
		{name: "zcat", line: "zcat a.gz", reads: "a.gz"},
	})
}

func TestHosts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"curl https://a.example/x http://u:p@B.example:8080": {"a.example", "B.example"},
		"curl -o out.txt -s a.example/x":                     {"out.txt", "a.example"},
		"curl a.example/x":                                   {"a.example"},
		"wget http://[::1]:80/":                              {"::1"},
		"curl https://a.example\\@b.example/":                {"a.example", "…https://a.example\\@b.example/"},
		"curl http://%61.example/":                           {"%61.example", "…http://%61.example/"},
		"curl 'http://[a-b].example/'":                       {"[a-b].example"},
		"curl -s -o $x a.example/x":                          {"a.example", "…$x"},
		`curl -s -o "$x" a.example/x`:                        {"a.example"},
		`curl -s -H "$x" https://a.example/"$x"`:             {"a.example"},
		`curl -s https://a.example"$x"`:                      {"…https://a.example\"$x\""},
		`curl -s https://a.example/$x`:                       {"…https://a.example/$x"},
		`wget --header="$x" a.example/x`:                     {"a.example"},
		`curl -o -H "$x"`:                                    {"…\"$x\""},
		`curl -so -H "$x"`:                                   {"…\"$x\""},
		`curl --strange -H "$x"`:                             {"…\"$x\""},
		`curl -sSLd "$x" a.example/`:                         {"a.example"},
		`wget -qO "$x" a.example/x`:                          {"a.example"},
		`curl -s -x "$x" a.example`:                          {"a.example", "…\"$x\""},
		`wget -O --header="$x" "$x"`:                         {"…\"$x\""},
		"curl -K f":                                          {"…"},
		"curl --connect-to ::b.example:1 https://a.example":  {"a.example", "b.example"},
		"ssh -vo ProxyJump=me@b.example a.example":           {"b.example", "a.example", "b.example"},
		"ssh me@a.example":                                   {"a.example"},
		"scp a me@host:b":                                    {"host"},
		"dig +short TXT a.example":                           {"a.example"},
		"curl https://$x":                                    {"…https://$x"},
		"ping -c 1 ./a":                                      nil,
	} {
		args := argsOf(line)
		u := useOf(args[0].value, args[1:])
		require.Equal(t, want, u.hosts, line)
		require.Equal(t, Unknown, u.class, line)
	}
}

func TestCritical(t *testing.T) {
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
		u := useOf(args[0].value, args[1:])
		require.Equal(t, tt.want, critical(args[0].value, u.files, dir, home) != "", tt.line)
	}
	files := []file{{arg: word("x"), write: true}}
	require.Empty(t, critical("rm", files, "", ""), "nothing is known of where it runs")
}
