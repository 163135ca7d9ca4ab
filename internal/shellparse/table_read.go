package shellparse

import "strings"

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
