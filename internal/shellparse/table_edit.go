package shellparse

import (
	"slices"
	"strings"
)

// targetFlags are the flags for the destination that cp, mv, ln and install share.
const targetFlags = " --verbose --no-target-directory --target-directory= -v -T -t="

// editSpecs are the commands that change the files they name. Those with editsOnly set
// are covered by a mode that accepts edits.
var editSpecs = map[string]commandSpec{
	"mkdir": {
		source: "GNU coreutils 9.5 manual, mkdir invocation", operands: writtenFiles, changes: "makes directories", editsOnly: true,
		flags: "-m= -p -v --mode= --parents --verbose" + gnuFlags,
	},
	"touch": {
		source: "GNU coreutils 9.5 manual, touch invocation", operands: writtenFiles, changes: "makes files or changes their times", editsOnly: true,
		flags: "-a -c -d= -f -h -m -r< -t= --no-create --date= --no-dereference --reference< --time=" + gnuFlags,
	},
	"rm": {
		source: "GNU coreutils 9.5 manual, rm invocation", operands: writtenFiles, changes: "removes files", editsOnly: true,
		flags: "-d -f -i -I -r -R -v --dir --force --interactive? --one-file-system --no-preserve-root --preserve-root?" +
			" --recursive --verbose" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			tree := p.hasFlag("-r", "-R", "--recursive")
			for _, f := range e.files {
				tree = tree || f.mayBeFlag() // a file may be called -r
			}
			for i := range e.files {
				e.files[i].tree, e.files[i].inPlace = tree, true
			}
		},
	},
	"rmdir": {
		source: "GNU coreutils 9.5 manual, rmdir invocation", operands: writtenFiles, changes: "removes directories", editsOnly: true,
		flags: "-p -v --ignore-fail-on-non-empty --parents --verbose" + gnuFlags,
	},
	"mv": {
		source: "GNU coreutils 9.5 manual, mv invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "moves files", editsOnly: true,
		flags: "-f -i -n -u --force --interactive --no-clobber --update? --strip-trailing-slashes --debug" + targetFlags + gnuFlags,
		post:  mvEffect,
	},
	"cp": {
		source: "GNU coreutils 9.5 manual, cp invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "writes files", editsOnly: true,
		flags: "-a -d -f -H -i -l -L -n -p -P -r -R -s -u -x --archive --attributes-only --copy-contents --debug --dereference" +
			" --force --interactive --link --no-clobber --no-dereference --one-file-system --parents --preserve? --no-preserve=" +
			" --recursive --reflink? --remove-destination --sparse= --strip-trailing-slashes --symbolic-link --update?" + targetFlags + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			cpEffect(p, e)
			// A link is not among the files that it names.
			links := p.hasFlag("-a", "-d", "-l", "-P", "-s", "--archive", "--link", "--no-dereference", "--symbolic-link") ||
				len(p.flagValues("--preserve")) > 0
			e.editsOnly = e.editsOnly && !links
		},
	},
	"ln": {
		source: "GNU coreutils 9.5 manual, ln invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "makes links",
		flags: "-f -i -L -n -P -r -s --force --interactive --logical --no-dereference --physical --relative --symbolic" + targetFlags + gnuFlags,
		post:  lnEffect,
	},
	"install": {
		source: "GNU coreutils 9.5 manual, install invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "writes files",
		flags: "-b -c -C -d -D -g= -m= -o= -p --compare --directory --group= --mode= --owner= --preserve-timestamps" + targetFlags + gnuFlags,
		post:  installEffect,
	},
	"truncate": {
		source: "GNU coreutils 9.5 manual, truncate invocation", operands: writtenFiles, changes: "changes the size of files",
		flags: "-c -o -r< -s= --no-create --io-blocks --reference< --size=" + gnuFlags,
	},
	"dd": {source: "GNU coreutils 9.5 manual, dd invocation", custom: ddEffect},
	"chmod": {
		source: "GNU coreutils 9.5 manual, chmod invocation", operands: otherOperands, changes: "changes permissions",
		flags: "-c -f -R -v --changes --no-preserve-root --preserve-root --quiet --silent --verbose --recursive --reference<" + gnuFlags,
		post:  addChangedFiles,
	},
	"chown": chownSpec,
	"chgrp": chownSpec,
	"split": {
		source: "GNU coreutils 9.5 manual, split invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "writes files",
		flags: "-a= -b= -C= -d -e -l= -n= -u -x -t= -# --suffix-length= --additional-suffix= --bytes= --line-bytes= --numeric-suffixes?" +
			" --hex-suffixes? --elide-empty-files --lines= --number= --separator= --unbuffered --verbose" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			if len(p.operands) > 0 {
				e.addRead(p.operands[0])
			}
			e.addNumbered(append(p.operands, literalArg("x"), literalArg("x"))[1])
		},
	},
	"csplit": {
		source: "GNU coreutils 9.5 manual, csplit invocation", operands: otherOperands, hasUnsafeFlags: true, changes: "writes files",
		flags: "-b= -f= -k -n= -q -s -z --suffix-format= --prefix= --keep-files --suppress-matched --digits= --quiet --silent" +
			" --elide-empty-files" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			if len(p.operands) > 0 {
				e.addRead(p.operands[0])
			}
			e.addNumbered(append(p.flagValues("-f", "--prefix"), literalArg("xx"))[0])
		},
	},
	"mktemp": {
		source: "GNU coreutils 9.5 manual, mktemp invocation", operands: otherOperands, changes: "makes a file",
		flags: "-d -u -q -t -p= --directory --dry-run --quiet --tmpdir? --suffix=" + gnuFlags,
		post:  mktempEffect,
	},
	"patch": {source: "GNU patch 2.7 manual", custom: func([]arg) effect {
		e := unknownEffect("patch writes the files that its input names")
		e.noWildcards = true
		return e
	}},
}

// chownSpec is for commands that change the owner of files.
var chownSpec = commandSpec{
	source: "GNU coreutils 9.5 manual, chown and chgrp invocation", operands: otherOperands, changes: "changes who owns files",
	flags: "-c -f -h -H -P -R -v --changes --dereference --from= --no-dereference --no-preserve-root --preserve-root --quiet" +
		" --silent --verbose --recursive --reference<" + gnuFlags,
	post: addChangedFiles,
}

// addChangedFiles adds the files that chmod and chown change: all operands but the
// first, which is the new mode or owner.
func addChangedFiles(p parsedArgs, e *effect) {
	files := p.operands
	if !p.hasFlag("--reference") && len(files) > 0 && !files[0].mayBeSeveral() {
		files = files[1:]
	}
	e.addWrite(files...)
	for i := range e.files {
		e.files[i].tree = e.files[i].write && p.hasFlag("-R", "--recursive")
		e.files[i].inPlace = !p.hasFlag("-H", "-L") // links may lead to other trees
	}
}

// addNumbered adds files whose names begin with prefix.
func (e *effect) addNumbered(prefix arg) {
	if prefix.known && !prefix.glob {
		prefix.value, prefix.glob = escapeGlob(prefix.value)+"*", true
	}
	e.addWrite(prefix)
}

// mktempEffect adds the file that mktemp creates, if its arguments choose the
// directory. Otherwise TMPDIR does.
func mktempEffect(p parsedArgs, e *effect) {
	template := literalArg("tmp.XXXXXXXXXX")
	if len(p.operands) > 0 {
		template = p.operands[0]
	}
	dirs := p.flagValues("-p", "--tmpdir")
	dirs = slices.DeleteFunc(dirs, func(a arg) bool { return a.is("") })
	if len(dirs) == 0 && (len(p.operands) == 0 || p.hasFlag("-t", "--tmpdir")) {
		return
	}
	template = template.withSuffix(append(p.flagValues("--suffix"), literalArg(""))[0].value)
	if len(dirs) > 0 && !strings.HasPrefix(template.value, "/") {
		template = template.inDir(dirs[len(dirs)-1])
	}
	if template.isLiteral() {
		template.value, template.glob = strings.ReplaceAll(escapeGlob(template.value), "X", "?"), true
	}
	e.addWrite(template)
}
