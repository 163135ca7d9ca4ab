package shellparse

import (
	"testing"
)

func TestEdits(t *testing.T) {
	t.Parallel()
	runEffectCases(t, []effectCase{
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
