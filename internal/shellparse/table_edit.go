package shellparse

import (
	"slices"
	"strings"
)

// target are the flags about where to, which cp, mv, ln and install share.
const target = " --verbose --no-target-directory --target-directory= -v -T -t="

// edits are the commands that change files that they name. Those with edit set
// are the ones that a mode for edits covers.
var edits = map[string]entry{
	"mkdir": {
		source: "GNU coreutils 9.5 manual, mkdir invocation", operands: writes, does: "makes directories", edit: true,
		flags: "-m= -p -v --mode= --parents --verbose" + gnu,
	},
	"touch": {
		source: "GNU coreutils 9.5 manual, touch invocation", operands: writes, does: "makes files or changes their times", edit: true,
		flags: "-a -c -d= -f -h -m -r< -t= --no-create --date= --no-dereference --reference< --time=" + gnu,
	},
	"rm": {
		source: "GNU coreutils 9.5 manual, rm invocation", operands: writes, does: "removes files", edit: true,
		flags: "-d -f -i -I -r -R -v --dir --force --interactive? --one-file-system --no-preserve-root --preserve-root?" +
			" --recursive --verbose" + gnu,
		and: func(g given, u *use) {
			tree := g.has("-r", "-R", "--recursive")
			for _, f := range u.files {
				tree = tree || f.mayBeFlag() // such as a file called -r
			}
			for i := range u.files {
				u.files[i].tree = tree
			}
		},
	},
	"rmdir": {
		source: "GNU coreutils 9.5 manual, rmdir invocation", operands: writes, does: "removes directories", edit: true,
		flags: "-p -v --ignore-fail-on-non-empty --parents --verbose" + gnu,
	},
	"mv": {
		source: "GNU coreutils 9.5 manual, mv invocation", operands: others, acts: true, does: "moves files", edit: true,
		flags: "-f -i -n -u --force --interactive --no-clobber --update? --strip-trailing-slashes --debug" + target + gnu,
		and:   mvUse,
	},
	"cp": {
		source: "GNU coreutils 9.5 manual, cp invocation", operands: others, acts: true, does: "writes files", edit: true,
		flags: "-a -d -f -H -i -l -L -n -p -P -r -R -s -u -x --archive --attributes-only --copy-contents --debug --dereference" +
			" --force --interactive --link --no-clobber --no-dereference --one-file-system --parents --preserve? --no-preserve=" +
			" --recursive --reflink? --remove-destination --sparse= --strip-trailing-slashes --symbolic-link --update?" + target + gnu,
		and: func(g given, u *use) {
			cpUse(g, u)
			// A link is not one of the files that it names.
			links := g.has("-a", "-d", "-l", "-P", "-s", "--archive", "--link", "--no-dereference", "--symbolic-link") ||
				len(g.values("--preserve")) > 0
			u.edits = u.edits && !links
		},
	},
	"ln": {
		source: "GNU coreutils 9.5 manual, ln invocation", operands: others, acts: true, does: "makes links",
		flags: "-f -i -L -n -P -r -s --force --interactive --logical --no-dereference --physical --relative --symbolic" + target + gnu,
		and:   lnUse,
	},
	"install": {
		source: "GNU coreutils 9.5 manual, install invocation", operands: others, acts: true, does: "writes files",
		flags: "-b -c -C -d -D -g= -m= -o= -p --compare --directory --group= --mode= --owner= --preserve-timestamps" + target + gnu,
		and:   installUse,
	},
	"truncate": {
		source: "GNU coreutils 9.5 manual, truncate invocation", operands: writes, does: "changes the size of files",
		flags: "-c -o -r< -s= --no-create --io-blocks --reference< --size=" + gnu,
	},
	"dd": {source: "GNU coreutils 9.5 manual, dd invocation", all: ddUse},
	"chmod": {
		source: "GNU coreutils 9.5 manual, chmod invocation", operands: others, does: "changes permissions",
		flags: "-c -f -R -v --changes --no-preserve-root --preserve-root --quiet --silent --verbose --recursive --reference<" + gnu,
		and:   attribute,
	},
	"chown": owner,
	"chgrp": owner,
	"split": {
		source: "GNU coreutils 9.5 manual, split invocation", operands: others, acts: true, does: "writes files",
		flags: "-a= -b= -C= -d -e -l= -n= -u -x -t= -# --suffix-length= --additional-suffix= --bytes= --line-bytes= --numeric-suffixes?" +
			" --hex-suffixes? --elide-empty-files --lines= --number= --separator= --unbuffered --verbose" + gnu,
		and: func(g given, u *use) {
			if len(g.operands) > 0 {
				u.read(g.operands[0])
			}
			u.numbered(append(g.operands, word("x"), word("x"))[1])
		},
	},
	"csplit": {
		source: "GNU coreutils 9.5 manual, csplit invocation", operands: others, acts: true, does: "writes files",
		flags: "-b= -f= -k -n= -q -s -z --suffix-format= --prefix= --keep-files --suppress-matched --digits= --quiet --silent" +
			" --elide-empty-files" + gnu,
		and: func(g given, u *use) {
			if len(g.operands) > 0 {
				u.read(g.operands[0])
			}
			u.numbered(append(g.values("-f", "--prefix"), word("xx"))[0])
		},
	},
	"mktemp": {
		source: "GNU coreutils 9.5 manual, mktemp invocation", operands: others, does: "makes a file",
		flags: "-d -u -q -t -p= --directory --dry-run --quiet --tmpdir? --suffix=" + gnu,
		and:   mktempUse,
	},
	"patch": {source: "GNU patch 2.7 manual", all: func([]arg) use {
		return unknown("patch writes the files that its input names")
	}},
}

// owner is what changes who owns files.
var owner = entry{
	source: "GNU coreutils 9.5 manual, chown and chgrp invocation", operands: others, does: "changes who owns files",
	flags: "-c -f -h -H -P -R -v --changes --dereference --from= --no-dereference --no-preserve-root --preserve-root --quiet" +
		" --silent --verbose --recursive --reference<" + gnu,
	and: attribute,
}

// attribute adds the files of which chmod and its like change something: all
// operands but the first, which says what.
func attribute(g given, u *use) {
	files := g.operands
	if !g.has("--reference") && len(files) > 0 && !files[0].loose() {
		files = files[1:]
	}
	u.write(files...)
	for i := range u.files {
		u.files[i].tree = u.files[i].write && g.has("-R", "--recursive")
	}
}

// numbered adds files whose names begin alike.
func (u *use) numbered(prefix arg) {
	if prefix.known && !prefix.glob {
		prefix.value, prefix.glob = escapeGlob(prefix.value)+"*", true
	}
	u.write(prefix)
}

// mktempUse adds the file that mktemp makes where its arguments say so, and not where
// TMPDIR does.
func mktempUse(g given, u *use) {
	template := word("tmp.XXXXXXXXXX")
	if len(g.operands) > 0 {
		template = g.operands[0]
	}
	dirs := g.values("-p", "--tmpdir")
	dirs = slices.DeleteFunc(dirs, func(a arg) bool { return a.is("") })
	if len(dirs) == 0 && (len(g.operands) == 0 || g.has("-t", "--tmpdir")) {
		return
	}
	template = template.with(append(g.values("--suffix"), word(""))[0].value)
	if len(dirs) > 0 && !strings.HasPrefix(template.value, "/") {
		dir := dirs[len(dirs)-1]
		template.value, template.known = strings.TrimSuffix(dir.value, "/")+"/"+template.value, template.known && dir.exact()
	}
	if template.exact() {
		template.value, template.glob = strings.ReplaceAll(escapeGlob(template.value), "X", "?"), true
	}
	u.write(template)
}
