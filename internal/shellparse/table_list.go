package shellparse

import "strings"

// listSpecs are the commands that list or describe files.
var listSpecs = map[string]commandSpec{
	"ls": {
		source: "GNU coreutils 9.5 manual, ls invocation", operands: readFiles, defaultsToDir: true,
		flags: "-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= -u -U -v -w= -x -X -Z -1" +
			" --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --dired --classify? --file-type" +
			" --format= --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line" +
			" --dereference-command-line-symlink-to-dir --hide= --hyperlink? --indicator-style= --inode --ignore= --kibibytes" +
			" --dereference --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style=" +
			" --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --context --zero" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			if len(p.operands) == 0 && len(p.flags) == len(p.flagValues("-1")) {
				e.prints = &foundNames{trees: []arg{literalArg(".")}, bare: true}
			}
			// The ls of BSD takes no value here and reads the next word as a file.
			for _, v := range p.flagValues("-I", "-T", "-w") {
				if !isDigits(v.value) {
					e.files = append(e.files, file{arg: v, guess: !mayLeaveDir(v.value)})
				}
			}
			if !p.hasFlag("-R", "--recursive") {
				return
			}
			if p.hasFlag("-L", "--dereference") {
				e.worsen(Unknown, "ls -R -L follows links out of the tree")
			}
			for i := range e.files {
				e.files[i].tree, e.files[i].namesOnly = true, true
			}
		},
	},
	"stat": {
		source: "GNU coreutils 9.5 manual, stat invocation", operands: readFiles,
		flags: "-L -f -c= -t --dereference --file-system --cached= --format= --printf= --terse" + gnuFlags,
	},
	"du": {
		source: "GNU coreutils 9.5 manual, du invocation", operands: namedTrees, defaultsToDir: true,
		flags: "-0 -a -A -b -B= -c -D -d= -h -H -k -l -m -P -S -s -t= -x" +
			" --null --all --apparent-size --block-size= --bytes --total --dereference-args --max-depth= --human-readable --inodes" +
			" --count-links --no-dereference --separate-dirs --si --summarize --threshold= --time? --time-style= --exclude=" +
			" --one-file-system" + gnuFlags,
		hasUnsafeFlags: true, // --files0-from shows the text of any file
	},
	"df": {
		source: "GNU coreutils 9.5 manual, df invocation", operands: readFiles,
		flags: "-a -B= -h -H -i -k -l -m -P -t= -T -x=" +
			" --all --block-size= --human-readable --si --inodes --local --no-sync --output? --portability --total --type= --print-type" +
			" --exclude-type=" + gnuFlags,
	},
	"file": {
		source: "file 5.45 manual", operands: readFiles, hasUnsafeFlags: true, // -C writes a file
		flags: "-b -i -k -L -h -N -n -0 -r -v -F= --brief --mime --mime-type --mime-encoding --extension --apple --keep-going" +
			" --dereference --no-dereference --no-pad --no-buffer --print0 --raw --separator=" + gnuFlags,
	},
	"tree": {source: treeSpec.source, custom: treeEffect},
	"realpath": {
		source: "GNU coreutils 9.5 manual, realpath invocation", operands: readFiles,
		flags: "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip" +
			" --no-symlinks --zero --relative-to< --relative-base<" + gnuFlags,
	},
	"readlink": {
		source: "GNU coreutils 9.5 manual, readlink invocation", operands: readFiles,
		flags: "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet" +
			" --silent --verbose --zero" + gnuFlags,
	},
	"basename": {
		source: "GNU coreutils 9.5 manual, basename invocation", operands: plainTexts,
		flags: "-a -s= -z --multiple --suffix= --zero" + gnuFlags,
	},
	"dirname": {
		source: "GNU coreutils 9.5 manual, dirname invocation", operands: plainTexts, flags: "-z --zero" + gnuFlags,
	},
	"which":   {source: "which(1) of Debian and GNU which 2.21", operands: plainTexts, flags: "-a -s --all" + gnuFlags},
	"whereis": {source: "whereis(1) of util-linux 2.40", operands: plainTexts, flags: "-b -m -s -u -l"},
	"fd":      fdSpec,
	"fdfind":  fdSpec,
}

var treeSpec = commandSpec{
	source: "tree 2.1 manual", operands: namedTrees, defaultsToDir: true, hasUnsafeFlags: true, // -o writes a file, -R several
	flags: "-a -d -f -i -s -h -D -p -u -g -C -n -N -q -Q -F -r -t -c -v -U -x -A -S -J -X -L= -P= -I=" +
		" --dirsfirst --filesfirst --noreport --charset? --filelimit? --timefmt? --sort? --prune --matchdirs --ignore-case" +
		" --du --si --inodes --device --gitignore --nolinks --metafirst --help --version",
}

// treeValued are the short flags of tree that take the next argument as their value,
// also inside a bundle, where each letter takes another argument.
const treeValued = "LPIHTo"

// treeEffect parses the arguments of tree, which differs from getopt.
func treeEffect(args []arg) effect {
	e := treeSpec.effectOf("tree", args)
	for _, a := range args {
		letters, short := strings.CutPrefix(a.value, "-")
		switch {
		case !a.known || !short:
		case has("--charset --filelimit --timefmt --sort", a.value):
			e.worsen(Unknown, "tree may take the next argument for the value of "+a.value)
		case !strings.HasPrefix(letters, "-") && strings.ContainsAny(letters[:max(len(letters)-1, 0)], treeValued):
			if level, ok := strings.CutPrefix(letters, "L"); !ok || !isDigits(level) {
				e.worsen(Unknown, "tree does not read "+a.source+" as others do")
			}
		}
	}
	return e
}

// fdSpec is for fd. -x and -X run commands, -l runs ls.
var fdSpec = commandSpec{
	source: "fd 10 manual", operands: otherOperands, hasUnsafeFlags: true,
	flags: "-H -I -u -s -i -g -F -a -p -0 -1 -q -t= -e= -E= -d= -S= -c= --hidden --no-ignore --unrestricted --case-sensitive" +
		" --ignore-case --glob --fixed-strings --absolute-path --full-path --print0 --quiet --type= --extension= --exclude=" +
		" --max-depth= --min-depth= --size= --color= --max-results= --changed-within= --changed-before= --help --version",
	post: func(p parsedArgs, e *effect) { e.addSearched(p, 1, file{namesOnly: true}) },
}
