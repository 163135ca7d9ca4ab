package shellparse

import "testing"

func TestArchives(t *testing.T) {
	t.Parallel()
	runEffectCases(t, []effectCase{
		{name: "tar lists", line: "tar tf a.tar", reads: "a.tar"},
		{name: "tar packs", line: "tar -czf a.tgz src", class: Mutating, reads: "src/", write: "a.tgz"},
		{name: "tar packs what links lead to", line: "tar -chzf a.tgz src", class: Mutating, reads: "src/", write: "a.tgz"},
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
