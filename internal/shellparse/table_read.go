package shellparse

import (
	"slices"
	"strings"
)

// checksumFlags are the flags of programs that compute checksums. -c is left out: it
// reads files that are named in another file.
const checksumFlags = "-b -t -z --binary --text --tag --zero" + gnuFlags

// readSpecs are the commands that print files or parts of them.
var readSpecs = map[string]commandSpec{
	"cat": {
		source: "GNU coreutils 9.5 manual, cat invocation", operands: readFiles,
		flags: "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs" +
			" --show-nonprinting" + gnuFlags,
	},
	"tac": {
		source: "GNU coreutils 9.5 manual, tac invocation", operands: readFiles,
		flags: "-b -r -s= --before --regex --separator=" + gnuFlags,
	},
	"head": {
		source: "GNU coreutils 9.5 manual, head invocation", operands: readFiles,
		flags: "-# -c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated" + gnuFlags,
	},
	"tail": {
		source: "GNU coreutils 9.5 manual, tail invocation", operands: readFiles,
		flags: "-# +# -c= -n= -f -F -q -s= -v -z --bytes= --lines= --follow? --retry --pid= --max-unchanged-stats=" +
			" --sleep-interval= --quiet --silent --verbose --zero-terminated" + gnuFlags,
	},
	"wc": {
		source: "GNU coreutils 9.5 manual, wc invocation", operands: readFiles,
		flags: "-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total=" + gnuFlags,
	},
	"nl": {
		source: "GNU coreutils 9.5 manual, nl invocation", operands: readFiles,
		flags: "-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --section-delimiter= --footer-numbering=" +
			" --header-numbering= --line-increment= --join-blank-lines= --number-format= --no-renumber --number-separator=" +
			" --starting-line-number= --number-width=" + gnuFlags,
	},
	"od": {
		source: "GNU coreutils 9.5 manual, od invocation", operands: readFiles,
		flags: "-a -A= -b -B -c -d -D -e -f -F -h -H -i -I -j= -l -L -N= -o -O -s -S= -t= -v -w? -x -X" +
			" --address-radix= --endian= --skip-bytes= --read-bytes= --strings? --format= --output-duplicates --width?" + gnuFlags,
	},
	"hexdump": {
		source: "hexdump(1) of util-linux 2.40", operands: readFiles,
		flags: "-b -c -C -d -e= -f< -L? -n= -o -s= -v -x --canonical --length= --skip= --no-squeezing --one-byte-octal" +
			" --one-byte-char --two-bytes-decimal --two-bytes-octal --two-bytes-hex --format= --format-file< --color?" + gnuFlags,
	},
	"xxd": {source: "xxd(1) of vim 9.1", custom: xxdEffect},
	"strings": {
		source: "GNU binutils 2.42 manual, strings", operands: readFiles, hasUnsafeFlags: true, // @file holds more arguments
		flags: "-# -a -d -f -n= -t= -o -e= -s= -w --all --data --print-file-name --bytes= --radix= --encoding=" +
			" --output-separator= --include-all-whitespace" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			for _, a := range p.operands {
				if a.mayStartWith('@') {
					e.worsen(Unknown, "strings takes arguments from the file that follows an @")
				}
			}
		},
	},
	"cmp": {
		source: "GNU diffutils 3.10 manual, invoking cmp", operands: readFiles,
		flags: "-b -i= -l -n= -s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent" + gnuFlags,
	},
	"comm": {
		source: "GNU coreutils 9.5 manual, comm invocation", operands: readFiles,
		flags: "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated" + gnuFlags,
	},
	"diff": {
		source: "GNU diffutils 3.10 manual, invoking diff", operands: readFiles, hasUnsafeFlags: true, // -l runs pr
		flags: "-# -a -b -B -c -C= -d -D= -e -E -f -F= -H -i -I= -n -N -p -P -q -r -s -t -T -u -U= -w -W= -x= -X< -y -Z" +
			" --text --ignore-space-change --ignore-blank-lines --context? --minimal --ifdef= --ed --ignore-tab-expansion" +
			" --show-function-line= --speed-large-files --ignore-case --ignore-matching-lines= --rcs --new-file" +
			" --unidirectional-new-file --show-c-function --brief --recursive --report-identical-files --expand-tabs --initial-tab" +
			" --unified? --ignore-all-space --width= --exclude= --exclude-from< --side-by-side --ignore-trailing-space" +
			" --color? --palette= --label= --left-column --suppress-common-lines --suppress-blank-empty --strip-trailing-cr" +
			" --normal --no-dereference --tabsize= --horizon-lines= --line-format= --starting-file= --from-file< --to-file<" + gnuFlags,
		post: diffEffect,
	},
	"md5sum":    {source: "GNU coreutils 9.5 manual, md5sum invocation", operands: readFiles, flags: checksumFlags},
	"sha1sum":   {source: "GNU coreutils 9.5 manual, sha1sum invocation", operands: readFiles, flags: checksumFlags},
	"sha224sum": {source: "GNU coreutils 9.5 manual, sha2 utilities", operands: readFiles, flags: checksumFlags},
	"sha256sum": {source: "GNU coreutils 9.5 manual, sha2 utilities", operands: readFiles, flags: checksumFlags},
	"sha384sum": {source: "GNU coreutils 9.5 manual, sha2 utilities", operands: readFiles, flags: checksumFlags},
	"sha512sum": {source: "GNU coreutils 9.5 manual, sha2 utilities", operands: readFiles, flags: checksumFlags},
	"shasum":    {source: "shasum(1) of Perl 5.38", operands: readFiles, flags: "-a= -b -t -U -0 -1 --algorithm= --binary --text --tag" + gnuFlags},
	"b2sum":     {source: "GNU coreutils 9.5 manual, b2sum invocation", operands: readFiles, flags: "-l= --length= " + checksumFlags},
	"cksum": {
		source: "GNU coreutils 9.5 manual, cksum invocation", operands: readFiles,
		flags: "-a= -l= -z --algorithm= --length= --tag --untagged --base64 --raw --zero" + gnuFlags,
	},
	"sum":    {source: "GNU coreutils 9.5 manual, sum invocation", operands: readFiles, flags: "-r -s --sysv" + gnuFlags},
	"base64": {source: "GNU coreutils 9.5 manual, base64 invocation", operands: readFiles, flags: "-d -i -w= --decode --ignore-garbage --wrap=" + gnuFlags},
	"base32": {source: "GNU coreutils 9.5 manual, base32 invocation", operands: readFiles, flags: "-d -i -w= --decode --ignore-garbage --wrap=" + gnuFlags},
	"less": {
		source: "less 643 manual", operands: readFiles, hasUnsafeFlags: true, // -o writes a file, + runs commands of less
		flags: "-# -e -E -f -F -g -G -i -I -L -m -M -n -N -q -Q -r -R -s -S -w -W -X -~ --no-lessopen --quit-if-one-screen" +
			" --no-init --chop-long-lines --line-numbers --LINE-NUMBERS --raw-control-chars --RAW-CONTROL-CHARS --ignore-case" +
			" --IGNORE-CASE --squeeze-blank-lines --quit-at-eof --QUIT-AT-EOF --help --version",
		post: refusePagerCommands,
	},
	"more": {
		source: "more(1) of util-linux 2.40", operands: readFiles, hasUnsafeFlags: true,
		flags: "-# +# -d -l -f -e -p -c -s -u -n= --silent --logical --no-pause --exit-on-eof --print-over --clean-print" +
			" --squeeze --plain --lines=" + gnuFlags,
		post: refusePagerCommands,
	},
	"bat":    batSpec,
	"batcat": batSpec,
}

// batSpec is for bat, a cat with colours that may run a pager.
var batSpec = commandSpec{
	source: "bat 0.24 manual", operands: readFiles, hasUnsafeFlags: true,
	flags: "-A -p -n -P -s -u -l= -r= -H= --show-all --plain --number --no-pager --squeeze-blank --language= --line-range=" +
		" --highlight-line= --style= --color= --theme= --wrap= --tabs= --terminal-width= --decorations= --paging=" +
		" --list-languages --list-themes --help --version",
	post: func(p parsedArgs, e *effect) {
		for _, v := range p.flagValues("--paging") {
			if !v.is("never", "auto") {
				e.worsen(Unknown, "bat runs a pager")
			}
		}
		if len(p.operands) > 0 && p.operands[0].is("cache") {
			e.worsen(Unknown, "bat cache writes files")
		}
	},
}

// refusePagerCommands refuses operands that a pager reads as its own commands.
func refusePagerCommands(p parsedArgs, e *effect) {
	for _, a := range p.operands {
		if a.mayStartWith('+') {
			e.worsen(Unknown, a.source+" is a command of the pager")
		}
	}
}

// diffEffect adds the files that diff reads if its operands are directories: the files
// in them, some of which may be links to other places.
func diffEffect(p parsedArgs, e *effect) {
	links, tree := p.hasFlag("--no-dereference"), p.hasFlag("-r", "--recursive")
	if !links && !tree && p.hasFlag("-N", "--new-file", "--unidirectional-new-file") {
		e.worsen(Unknown, "diff follows the links in a directory")
	}
	for _, a := range append(p.flagValues("--from-file", "--to-file"), p.operands...) {
		if !a.isLiteral() || a.value == "-" || a.value == "" || strings.HasPrefix(a.value, "/dev/") {
			continue
		}
		if links || tree {
			e.files = append(e.files, file{arg: a, tree: true, followsLinks: !links})
			continue
		}
		dir := strings.TrimSuffix(escapeGlob(a.value), "/")
		for _, all := range []string{"/*", "/.*"} {
			e.files = append(e.files, file{arg: arg{value: dir + all, known: true, glob: true, source: a.source}})
		}
	}
}

// xxdEffect parses the arguments of xxd, which looks only at the first letter of a flag
// and writes its second operand.
func xxdEffect(args []arg) effect {
	for len(args) > 0 && args[0].isLiteral() && len(args[0].value) > 1 && args[0].value[0] == '-' {
		a := args[0].value
		args = args[1:]
		if a == "--" {
			break
		}
		switch {
		case has("-a -b -C -d -e -E -i -p -ps -r -u -v -h", a):
		case has("-c -g -l -n -o -s -R", a):
			if len(args) == 0 || args[0].mayBeSeveral() || !args[0].known {
				return unknownEffect("the value of " + a + " is not known")
			}
			args = args[1:]
		case len(a) > 2 && has("-c -g -l -o -s", a[:2]) && isDigits(a[2:]):
		default:
			return unknownEffect("the flag " + a + " is not known")
		}
	}
	var e effect
	for i, a := range args {
		switch {
		case a.mayBeSeveral() || !a.known && a.mayBeFlag():
			e.worsen(Unknown, a.source+" may become a flag or a file that is written")
		case i > 0:
			e.worsen(Mutating, "xxd writes its second operand")
			e.addWrite(a)
			continue
		}
		e.addRead(a)
	}
	return e
}

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

// searchSpecs are the commands that search files or their content.
var searchSpecs = map[string]commandSpec{
	"grep":  grepSpec,
	"egrep": grepSpec,
	"fgrep": grepSpec,
	"rg":    ripgrepSpec,
	"find":  {source: "GNU findutils 4.10 manual", custom: findEffect},
}

// grepSpec is for grep, which follows links below a directory only with -R.
var grepSpec = commandSpec{
	source: "GNU grep 3.11 manual", operands: otherOperands,
	flags: "-# -A= -a -B= -b -C= -c -D= -d= -E -e= -F -f< -G -H -h -I -i -L -l -m= -n -o -P -q -R -r -s -T -U -V -v -w -x -y -Z -z" +
		" --after-context= --basic-regexp --before-context= --binary --binary-files= --byte-offset --color? --colour? --context=" +
		" --count --dereference-recursive --devices= --directories= --exclude= --exclude-dir= --exclude-from< --extended-regexp --file<" +
		" --files-with-matches --files-without-match --fixed-strings --group-separator= --ignore-case --include= --initial-tab" +
		" --invert-match --label= --line-buffered --line-number --line-regexp --max-count= --no-filename --no-group-separator" +
		" --no-ignore-case --no-messages --null --null-data --only-matching --perl-regexp --quiet --recursive --regexp=" +
		" --silent --text --with-filename --word-regexp" + gnuFlags,
	post: grepEffect,
}

func grepEffect(p parsedArgs, e *effect) {
	patterns := 1
	if p.hasFlag("-e", "-f", "--regexp", "--file") {
		patterns = 0
	}
	follows := p.hasFlag("-R") || p.abbreviates("--dereference-recursive")
	tree := follows || p.hasFlag("-r", "--recursive") || p.abbreviates("--recursive")
	for _, v := range p.flagValues("-d", "--directories") {
		tree = tree || !v.is("skip", "read")
	}
	if tree {
		e.addSearched(p, patterns, file{filter: grepFilter(p.flags), followsLinks: follows})
		e.printFound(p, patterns)
		return
	}
	for i, a := range p.operands {
		if i >= patterns || a.mayBeSeveral() {
			e.addRead(a)
		}
	}
	e.addRead(p.splitValues...)
	if len(e.files) > 0 && len(e.files) == len(p.operands)-patterns && len(p.splitValues) == 0 {
		e.printFound(p, patterns)
	}
}

// ripgrepSpec leaves out --pre, --hostname-bin and -z, which run programs, and -L,
// which follows links out of the tree.
var ripgrepSpec = commandSpec{
	source: "ripgrep 14 manual", operands: otherOperands, hasUnsafeFlags: true, readsPatterns: true,
	flags: "-# -A= -a -B= -b -C= -c -E= -e= -F -f< -g= -H -h -I -i -l -M= -m= -N -n -o -P -p -q -r= -S -s -T= -t= -U -u -V -v -w -x -0 -." +
		" --after-context= --text --before-context= --byte-offset --block-buffered --color= --colors= --column --context=" +
		" --context-separator= --count --count-matches --crlf --debug --dfa-size-limit= --encoding= --engine= --field-context-separator=" +
		" --field-match-separator= --file< --files --files-with-matches --files-without-match --fixed-strings --glob= --iglob=" +
		" --glob-case-insensitive --heading --help --hidden --ignore-case --ignore-file< --ignore-file-case-insensitive" +
		" --include-zero --invert-match --json --line-buffered --line-number --line-regexp --max-columns= --max-columns-preview" +
		" --max-count= --max-depth= --max-filesize= --mmap --multiline --multiline-dotall --no-config --no-filename --no-heading" +
		" --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages" +
		" --no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --no-mmap --no-require-git --no-unicode --null" +
		" --null-data --one-file-system --only-matching --passthru --path-separator= --pcre2 --pcre2-version --pretty --quiet" +
		" --regex-size-limit= --regexp= --replace= --smart-case --case-sensitive --sort= --sortr= --stats --stop-on-nonmatch --threads= -j=" +
		" --trace --trim --type= --type-add= --type-clear= --type-list --type-not= --unrestricted --version --vimgrep" +
		" --with-filename --word-regexp -d=",
	post: func(p parsedArgs, e *effect) {
		patterns := 1
		if p.hasFlag("-e", "-f", "--regexp", "--file", "--files", "--type-list") {
			patterns = 0
		}
		e.addSearched(p, patterns, file{filter: ripgrepFilter(p.flags), namesOnly: p.hasFlag("--files")})
		e.printFound(p, patterns)
	},
}

// addSearched adds the operands of a search: first the given number of patterns, then
// the trees that are searched, with the other fields of like. The default is the working
// directory.
func (e *effect) addSearched(p parsedArgs, patterns int, like file) {
	like.tree = true
	in := []arg{literalArg(".")}
	if len(p.operands) > patterns {
		in = p.operands[patterns:]
	}
	for _, a := range p.operands[:min(patterns, len(p.operands))] {
		if a.mayBeSeveral() { // all but its first word are files
			like.arg = a
			e.files = append(e.files, like)
		}
	}
	for _, a := range append(in, p.splitValues...) {
		like.arg = a
		e.files = append(e.files, like)
	}
}

// printFound notes that a search prints the names of the files it finds, if its flags say so.
func (e *effect) printFound(p parsedArgs, patterns int) {
	if !p.hasFlag("-l", "--files-with-matches", "--files") || p.hasFlag("-Z", "--null", "-0", "-z", "--null-data", "-c", "--count", "--color", "--colour", "-p", "--pretty", "--json", "--vimgrep", "--stats", "--debug", "--trace", "--path-separator", "--type-list", "--help", "--version", "-V", "-h", "--pcre2-version") {
		return
	}
	names := &foundNames{plain: true, bare: len(p.operands) <= patterns, regular: !p.hasFlag("-R") && !p.abbreviates("--dereference-recursive")}
	for _, f := range e.files {
		switch names.plain = names.plain && isPlainName(f.arg); {
		case !f.known || f.tree && f.glob:
			return
		case f.tree:
			names.trees = append(names.trees, f.arg)
		default:
			names.values, names.regular = append(names.values, f.arg), false
		}
	}
	e.prints = names
}

// filterSpecs are the commands that transform text.
var filterSpecs = map[string]commandSpec{
	"sort": {
		source: "GNU coreutils 9.5 manual, sort invocation", operands: readFiles, hasUnsafeFlags: true, // --compress-program runs a program
		flags: "-b -c -C -d -f -g -h -i -k= -m -M -n -o> -r -R -s -S= -t= -u -V -z" +
			" --ignore-leading-blanks --check? --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort" +
			" --ignore-nonprinting --key= --merge --month-sort --numeric-sort --output> --reverse --random-sort --stable" +
			" --buffer-size= --field-separator= --unique --version-sort --zero-terminated --sort= --parallel= --batch-size=" +
			" --debug" + gnuFlags,
	},
	"uniq": {
		source: "GNU coreutils 9.5 manual, uniq invocation", operands: otherOperands,
		flags: "-# +# -c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated? --group? --skip-fields= --ignore-case" +
			" --skip-chars= --unique --check-chars= --zero-terminated" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			for i, a := range p.operands {
				switch {
				case a.mayBeSeveral():
					e.worsen(Unknown, "uniq writes its second operand, and "+a.source+" may be two")
					e.addRead(a)
					e.files = append(e.files, file{arg: a, write: true, guess: true})
				case i == 0:
					e.addRead(a)
				default:
					e.worsen(Mutating, "uniq writes its second operand")
					e.addWrite(a)
				}
			}
			if len(p.splitValues) > 0 {
				e.worsen(Unknown, "uniq writes its second operand, and "+p.splitValues[0].source+" may be two")
			}
		},
	},
	"cut": {
		source: "GNU coreutils 9.5 manual, cut invocation", operands: readFiles,
		flags: "-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited" +
			" --output-delimiter= --zero-terminated" + gnuFlags,
	},
	"paste": {
		source: "GNU coreutils 9.5 manual, paste invocation", operands: readFiles,
		flags: "-d= -s -z --delimiters= --serial --zero-terminated" + gnuFlags,
	},
	"tr": {
		source: "GNU coreutils 9.5 manual, tr invocation", operands: plainTexts,
		flags: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1" + gnuFlags,
	},
	"rev": {source: "rev(1) of util-linux 2.40", operands: readFiles, flags: "-0 --zero" + gnuFlags},
	"fold": {
		source: "GNU coreutils 9.5 manual, fold invocation", operands: readFiles,
		flags: "-# -b -s -w= --bytes --spaces --width=" + gnuFlags,
	},
	"fmt": {
		source: "GNU coreutils 9.5 manual, fmt invocation", operands: readFiles,
		flags: "-# -c -g= -p= -s -t -u -w= --crown-margin --tagged-paragraph --goal= --prefix= --split-only" +
			" --uniform-spacing --width=" + gnuFlags,
	},
	"pr": {
		source: "GNU coreutils 9.5 manual, pr invocation", operands: readFiles,
		flags: "-# +# -a -b -c -d -D= -f -F -h= -J -l= -m -o= -r -t -T -v -w= -W= --across --columns= --show-control-chars" +
			" --double-space --date-format= --form-feed --header= --join-lines --length= --merge --indent=" +
			" --no-file-warnings --omit-header --omit-pagination --show-nonprinting --width= --page-width= --pages=" + gnuFlags,
	},
	"expand": {
		source: "GNU coreutils 9.5 manual, expand invocation", operands: readFiles,
		flags: "-# -i -t= --initial --tabs=" + gnuFlags,
	},
	"unexpand": {
		source: "GNU coreutils 9.5 manual, unexpand invocation", operands: readFiles,
		flags: "-a -t= --all --first-only --tabs=" + gnuFlags,
	},
	"column": {
		source: "column(1) of util-linux 2.40", operands: readFiles,
		flags: "-c= -d -e -E= -H= -i= -J -L -N= -o= -O= -p= -r= -R= -s= -t -T= -W= -x --table --separator= --output-separator=" +
			" --output-width= --fillrows --json --table-columns= --table-name= --table-right= --table-hide= --table-order=" +
			" --table-truncate= --table-wrap= --table-noextreme= --table-noheadings --table-columns-limit= --keep-empty-lines" + gnuFlags,
	},
	"join": {
		source: "GNU coreutils 9.5 manual, join invocation", operands: readFiles,
		flags: "-a= -e= -i -j= -o= -t= -v= -1= -2= -z --ignore-case --check-order --nocheck-order --header --zero-terminated" + gnuFlags,
	},
	"shuf": {
		source: "GNU coreutils 9.5 manual, shuf invocation", operands: otherOperands, hasUnsafeFlags: true, // -o writes a file
		flags: "-e -i= -n= -o> -r -z --echo --input-range= --head-count= --output> --random-source< --repeat" +
			" --zero-terminated" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			if !p.hasFlag("-e", "--echo") {
				e.addRead(p.operands...)
			}
		},
	},
	"tee": {
		source: "GNU coreutils 9.5 manual, tee invocation", operands: otherOperands,
		flags: "-a -i -p --append --ignore-interrupts --output-error?" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			if slices.ContainsFunc(p.operands, func(a arg) bool { return !a.is("/dev/null") }) {
				e.worsen(Mutating, "tee writes files")
			}
			e.addWrite(p.operands...)
		},
	},
	"numfmt": {
		source: "GNU coreutils 9.5 manual, numfmt invocation", operands: plainTexts,
		flags: "-# -d= -z --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header? --invalid= --padding=" +
			" --round= --suffix= --to= --to-unit= --zero-terminated" + gnuFlags,
	},
	"factor": {source: "GNU coreutils 9.5 manual, factor invocation", operands: plainTexts, flags: "-h --exponents" + gnuFlags},
	"seq": {
		source: "GNU coreutils 9.5 manual, seq invocation", operands: plainTexts,
		flags: "-# -f= -s= -w --format= --separator= --equal-width" + gnuFlags,
	},
	"expr": {source: "GNU coreutils 9.5 manual, expr invocation", custom: func([]arg) effect { return effect{} }},
	"bc": {
		source: "GNU bc 1.07 manual", operands: readFiles,
		flags: "-h -l -q -s -v -w --help --mathlib --quiet --standard --version --warn",
	},
	"xargs": {
		source: "GNU findutils 4.10 manual, xargs options, and -J of BSD", operands: otherOperands, flagsEndAtOperand: true,
		flags: "-0 -a< -d= -e? -E= -i? -I= -J= -l? -L= -n= -o -p -P= -r -s= -t -x --null --arg-file< --delimiter= --max-lines? --max-args= --max-procs=" +
			" --no-run-if-empty --max-chars= --verbose --exit --replace? --eof? --show-limits" + gnuFlags,
		post: func(p parsedArgs, e *effect) {
			e.worsen(Unknown, "xargs runs a command with arguments that nobody knows")
			if len(p.operands) > 0 {
				rest := arg{source: "…", anyNumber: true}
				e.runs = [][]arg{append(p.nestedCommand(), rest)}
			}
		},
	},
}
